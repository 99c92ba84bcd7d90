import type { Origin } from '@bailiwick/contract';
import type { changeRow } from '@bailiwick/outbox';
import type { Database, Statement } from '@bailiwick/store';
import type { SignIn } from '../../app-sign-ins/queries.ts';
import {
  columnsOf,
  insertRecords,
  type NewRecord,
  orReplace,
  type RecordColumns,
} from '../queries.ts';

// A repeated sign-in of the same session replaces its row. The lock lets a withdrawal of the consent
// either wait and see the row and the code, or leave no consent to find.
const record: Statement<
  { isRecorded: boolean },
  [
    ...RecordColumns,
    tenant: string,
    app: string,
    sessionId: string,
    place: string,
    userId: string,
    scopes: readonly string[],
    isSilent: boolean,
    entry: string,
    forTenant: string,
    type: string,
    audit: string | null,
    traceparent: string,
    createdAt: Date,
    needsConsent: boolean,
  ]
> = {
  name: 'sso.record_app_sign_in',
  text: `with consented as (
           select from app_consent where $22::boolean and tenant = $9 and app = $10 and user_id = $13 and expires_at > now() for share
         ), signed_in as (
           insert into app_sign_in (tenant, app, session_id, place, user_id, scopes, signed_in_at)
           select $9, $10, $11, $12, $13, $14::text[], now() where not $22::boolean or exists (select from consented)
           on conflict (tenant, app, session_id, place) do update set scopes = excluded.scopes, signed_in_at = now()
           returning xmax = 0 as is_new
         ), recorded as (
           insert into outbox (id, for_tenant, type, event, audit, tasks, traceparent, created_at)
           select $16, $17, $18, null, $19, '[]', $20, $21::timestamptz from signed_in where is_new or not $15::boolean
           returning id
         ), stored as (
           ${insertRecords}
           where exists (select from signed_in)
           ${orReplace}
         )
         select exists (select from recorded) as "isRecorded" from signed_in`,
};

type NewSignIn = SignIn & {
  scopes: readonly string[];
  /** Whether the app asked without a page. It is then audited only if it is the session's first. */
  isSilent: boolean;
  /** Whether the app needs the person's consent. */
  needsConsent: boolean;
};

/**
 * Stores a sign-in with its records and its audit entry. Returns whether the entry was written;
 * undefined if the person has withdrawn the consent meanwhile, and nothing was stored.
 */
export async function recordSignIn(
  database: Database,
  call: Origin,
  { tenant, app, sessionId, place, userId, scopes, isSilent, needsConsent }: NewSignIn,
  records: readonly NewRecord[],
  entry: ReturnType<typeof changeRow>,
): Promise<boolean | undefined> {
  const { id, forTenant, type, audit, traceparent, createdAt } = entry;
  const [row] = await database.write(call, record, [
    ...columnsOf(records),
    tenant,
    app,
    sessionId,
    place,
    userId,
    scopes,
    isSilent,
    id,
    forTenant,
    type,
    audit,
    traceparent,
    createdAt,
    needsConsent,
  ]);
  return row?.isRecorded;
}
