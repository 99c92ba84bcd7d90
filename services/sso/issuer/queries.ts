import type { Buffer } from 'node:buffer';
import type { Origin } from '@bailiwick/contract';
import type { Database, Statement, Transaction } from '@bailiwick/store';

// The rows of the OpenID provider. All belong to the platform (tenant '').

export type RecordRow = {
  id: string;
  dekId: string;
  payloadEnc: Buffer;
  consumedAt: string | null;
};

export type NewRecord = {
  id: string;
  model: string;
  dekId: string;
  payloadEnc: Uint8Array;
  grantHash: string;
  uidHash: string;
  userCodeHash: string;
  seconds: number;
};

/** Inserts the records of `columnsOf`, which are the first parameters of a statement. */
export const insertRecords = `insert into issuer_record (tenant, id, model, dek_id, payload_enc, grant_hash, uid_hash, user_code_hash, created_at, expires_at)
           select '', r.id, r.model, r.dek_id, r.payload_enc, r.grant_hash, r.uid_hash, r.user_code_hash,
             now(), now() + r.seconds * interval '1 second'
           from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::int[])
             as r (id, model, dek_id, payload_enc, grant_hash, uid_hash, user_code_hash, seconds)`;

/** The end of `insertRecords` for records that may exist. A used one stays used. */
export const orReplace = `on conflict (tenant, id) do update set
           dek_id = excluded.dek_id, payload_enc = excluded.payload_enc, grant_hash = excluded.grant_hash,
           uid_hash = excluded.uid_hash, user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at`;

export const columnsOf = (records: readonly NewRecord[]) =>
  [
    records.map(({ id }) => id),
    records.map(({ model }) => model),
    records.map(({ dekId }) => dekId),
    records.map(({ payloadEnc }) => payloadEnc),
    records.map(({ grantHash }) => grantHash),
    records.map(({ uidHash }) => uidHash),
    records.map(({ userCodeHash }) => userCodeHash),
    records.map(({ seconds }) => seconds),
  ] as const;

export type RecordColumns = ReturnType<typeof columnsOf>;

const put: Statement<never, RecordColumns> = {
  name: 'sso.put_issuer_records',
  text: `${insertRecords} ${orReplace}`,
};

/** Stores records, or replaces them. No two of them have one id. */
export async function putRecords(
  database: Database,
  call: Origin,
  records: readonly NewRecord[],
): Promise<void> {
  if (records.length > 0) await database.write(call, put, columnsOf(records));
}

const add: Statement<unknown, RecordColumns> = {
  name: 'sso.add_issuer_records',
  text: `${insertRecords} on conflict (tenant, id) do nothing returning 1 as added`,
};

/** Stores a record unless it exists. Only one of several concurrent calls gets true. */
export async function addRecord(
  database: Database,
  call: Origin,
  record: NewRecord,
): Promise<boolean> {
  return (await database.write(call, add, columnsOf([record]))).length > 0;
}

const columns =
  'select id, dek_id as "dekId", payload_enc as "payloadEnc", consumed_at as "consumedAt" from issuer_record';
// These find expired records too: the library compares the expiry in the payload. What they say twice
// is the condition of an index, which a plan for any value uses only then.
const byKey: Record<
  'id' | 'uid' | 'userCode',
  Statement<RecordRow, [model: string, key: string]>
> = {
  id: {
    name: 'sso.issuer_record',
    text: `${columns} where tenant = '' and model = $1 and id = $2`,
  },
  uid: {
    name: 'sso.issuer_record_of_uid',
    text: `${columns} where tenant = '' and model = $1 and uid_hash = $2 and uid_hash <> ''`,
  },
  userCode: {
    name: 'sso.issuer_record_of_user_code',
    text: `${columns} where tenant = '' and model = $1 and user_code_hash = $2 and user_code_hash <> ''`,
  },
};

export async function findRecord(
  database: Database,
  by: keyof typeof byKey,
  model: string,
  key: string,
): Promise<RecordRow | undefined> {
  return (await database.query(byKey[by], [model, key]))[0];
}

const withGrant: Statement<RecordRow, [model: string, id: string]> = {
  name: 'sso.issuer_record_with_grant',
  text: `with source as (
           select id, dek_id, payload_enc, consumed_at, grant_hash from issuer_record where tenant = '' and model = $1 and id = $2
         )
         select id, dek_id as "dekId", payload_enc as "payloadEnc", consumed_at as "consumedAt" from source
         union all
         select id, dek_id, payload_enc, consumed_at from issuer_record
         where tenant = '' and model = 'Grant' and grant_hash = (select grant_hash from source where grant_hash <> '')`,
};

/** A code or token, and the grant that it belongs to. */
export async function findWithGrant(
  database: Database,
  model: string,
  id: string,
): Promise<{ row?: RecordRow | undefined; grant?: RecordRow | undefined }> {
  const rows = await database.query(withGrant, [model, id]);
  return { row: rows.find((one) => one.id === id), grant: rows.find((one) => one.id !== id) };
}

const consume: Statement<unknown, [id: string]> = {
  name: 'sso.consume_issuer_record',
  text: `update issuer_record set consumed_at = now()
         where tenant = '' and id = $1 and consumed_at is null and expires_at > now()
         returning 1 as consumed`,
};

/** Marks a record as used. Only one of several concurrent calls gets true. */
export async function consumeRecord(
  database: Database,
  call: Origin,
  id: string,
): Promise<boolean> {
  return (await database.write(call, consume, [id])).length > 0;
}

const remove: Statement<never, [id: string]> = {
  name: 'sso.remove_issuer_record',
  text: `delete from issuer_record where tenant = '' and id = $1`,
};

export async function removeRecord(database: Database, call: Origin, id: string): Promise<void> {
  await database.write(call, remove, [id]);
}

/** The model of the answer to a refresh, found by the token that was used. A family has one. */
export const answerModel = 'RefreshAnswer';

const issue: Statement<{ isIssued: boolean }, [...RecordColumns, uses: string]> = {
  name: 'sso.issue_records',
  text: `with used as (
           update issuer_record set consumed_at = now()
           where tenant = '' and id = $9 and consumed_at is null and expires_at > now()
           returning grant_hash
         ), forgotten as (
           delete from issuer_record where tenant = '' and model = '${answerModel}' and grant_hash <> ''
             and grant_hash = (select grant_hash from used)
         ), issued as (
           ${insertRecords}
           where $9 = '' or exists (select from used)
         )
         select $9 = '' or exists (select from used) as "isIssued"`,
};

/**
 * Uses up the code or token of a request ('' = none) and stores the records that it gets. Of several
 * concurrent calls with one code or token, only one gets true; the others store nothing.
 */
export async function issueRecords(
  database: Database,
  call: Origin,
  uses: string,
  records: readonly NewRecord[],
): Promise<boolean> {
  if (uses === '' && records.length === 0) return true;
  const [row] = await database.write(call, issue, [...columnsOf(records), uses]);
  return row?.isIssued ?? false;
}

const answer: Statement<RecordRow, [id: string]> = {
  name: 'sso.refresh_answer',
  text: `${columns} where tenant = '' and model = '${answerModel}' and id = $1 and expires_at > now()`,
};

/** The answer that a repeated refresh gets; undefined after its time, or after the next refresh. */
export async function findAnswer(database: Database, id: string): Promise<RecordRow | undefined> {
  return (await database.query(answer, [id]))[0];
}

const endGrantRecords: Statement<never, [model: string, grant: string]> = {
  name: 'sso.end_issuer_grant',
  text: "delete from issuer_record where tenant = '' and model = $1 and grant_hash = $2",
};

/** Removes the records of a model that belong to a grant. */
export async function endGrant(
  database: Database,
  call: Origin,
  model: string,
  grant: string,
): Promise<void> {
  await database.write(call, endGrantRecords, [model, grant]);
}

const endFamilyRecords: Statement<unknown, [id: string]> = {
  name: 'sso.end_issuer_family',
  text: `delete from issuer_record where tenant = '' and grant_hash <> '' and grant_hash = (
           select grant_hash from issuer_record where tenant = '' and id = $1
         ) returning 1 as ended`,
};

/**
 * Removes the grant of a record, with all codes and tokens that came from it. Returns whether there
 * were any.
 */
export async function endFamily(database: Database, call: Origin, id: string): Promise<boolean> {
  return (await database.write(call, endFamilyRecords, [id])).length > 0;
}

const sweep: Statement<never, []> = {
  name: 'sso.sweep_issuer_records',
  text: `delete from issuer_record where tenant = '' and expires_at < now()
           and (expires_at < now() - interval '1 hour' or model = '${answerModel}')`,
};

/**
 * Erases expired records. Used codes stay for an hour, so that another use of one is noticed. Kept
 * answers, which contain tokens, do not stay.
 */
export async function sweepIssuer(database: Database, call: Origin): Promise<void> {
  await database.write(call, sweep, []);
}

export type SigningKeyRow = {
  id: string;
  algorithm: string;
  dekId: string;
  keyEnc: Buffer;
  createdAt: string;
  signsFrom: string;
};

const signingKeyText = `select id, algorithm, dek_id as "dekId", key_enc as "keyEnc", created_at as "createdAt", signs_from as "signsFrom"
  from signing_key where tenant = '' order by signs_from desc, id desc`;
const signingKeys: Statement<SigningKeyRow, []> = {
  name: 'sso.signing_keys',
  text: signingKeyText,
};

/** All keys, newest first. */
export const listSigningKeys = (database: Database): Promise<SigningKeyRow[]> =>
  database.query(signingKeys, []);

const signingKeyExists: Statement<{ one: number }, [id: string]> = {
  name: 'sso.signing_key_exists',
  text: `select 1 as one from signing_key where tenant = '' and id = $1`,
};

/** Whether a key was not withdrawn. */
export const hasSigningKey = async (database: Database, id: string): Promise<boolean> =>
  (await database.query(signingKeyExists, [id])).length > 0;

export const listSigningKeysIn = (tx: Transaction): Promise<SigningKeyRow[]> =>
  tx.query<SigningKeyRow>(signingKeyText, []);

type NewSigningKey = Pick<SigningKeyRow, 'id' | 'algorithm' | 'dekId'> & {
  keyEnc: Uint8Array;
  signsFrom: Date;
};

export async function addSigningKey(tx: Transaction, key: NewSigningKey): Promise<void> {
  await tx.query(
    `insert into signing_key (tenant, id, algorithm, dek_id, key_enc, created_at, signs_from)
     values ('', $1, $2, $3, $4, now(), $5)`,
    [key.id, key.algorithm, key.dekId, key.keyEnc, key.signsFrom],
  );
}

export async function removeSigningKeys(tx: Transaction): Promise<void> {
  await tx.query("delete from signing_key where tenant = ''", []);
}

/** Removes the keys that another one replaced so long ago that no token of theirs is valid. */
export async function removeOldSigningKeys(tx: Transaction, days: number): Promise<void> {
  await tx.query(
    `delete from signing_key k where k.tenant = '' and exists (
       select from signing_key n where n.tenant = '' and n.algorithm = k.algorithm
         and n.signs_from > k.signs_from and n.signs_from < now() - $1::int * interval '1 day'
     )`,
    [days],
  );
}
