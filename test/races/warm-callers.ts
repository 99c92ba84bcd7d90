import assert from 'node:assert/strict';
import { createToken, tokenHash } from '@bailiwick/contract';
import type { Answer } from '../support/harness.ts';
import { createTenant } from '../support/people.ts';
import type { Person, Stage } from '../support/stage.ts';
import { rowsOf } from '../support/store.ts';

// Rights that end while many callers keep the caches warm.

export type Member = { id: string; token: string };
export type Place = { stack: Stage['stack']; via: Stage['via']; owner: Person; tenant: string };

export async function openPlace(stage: Stage): Promise<Place> {
  const owner = await stage.newPerson();
  const tenant = await createTenant(stage.stack, owner.token);
  return { stack: stage.stack, via: stage.via, owner, tenant };
}

/**
 * Members of the tenant with a session and a grant each, written directly to the database. `mark`: a
 * digit that makes their IDs differ from those of others in the installation.
 */
export async function fillMembers(
  { stack, owner, tenant }: Pick<Place, 'stack' | 'tenant'> & { owner: Pick<Person, 'id'> },
  count: number,
  mark = 1,
): Promise<Member[]> {
  const members = Array.from({ length: count }, (_, index) => ({
    id: `usr_${mark}${String(index).padStart(25, '0')}`,
    token: createToken('session'),
  }));
  const ids = members.map(({ id }) => id);
  for (const [statement, values] of [
    [
      `insert into identity.user_account select (jsonb_populate_record(u, jsonb_build_object('id', n,
         'email', n || '@example.com', 'email_key', n || '@example.com'))).*
       from identity.user_account u cross join unnest($1::text[]) n where u.id = $2`,
      [ids, owner.id],
    ],
    [
      `insert into identity.session select (jsonb_populate_record(s, jsonb_build_object('id', 'ses' || substr(n, 4),
         'user_id', n, 'token_hash', hash))).*
       from identity.session s cross join unnest($1::text[], $3::bytea[]) as one (n, hash) where s.user_id = $2`,
      [ids, owner.id, members.map(({ token }) => tokenHash(token))],
    ],
    [
      `insert into access.tenant_member select (jsonb_populate_record(m, jsonb_build_object('user_id', n,
         'email_key', n || '@example.com'))).*
       from access.tenant_member m cross join unnest($1::text[]) n where m.tenant = $2 and m.user_id = $3`,
      [ids, tenant, owner.id],
    ],
    [
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
       select $2, 'grt' || substr(n, 4), 'user', n, 'member', '', 'nobody', now() from unnest($1::text[]) n`,
      [ids, tenant],
    ],
  ] as const)
    await rowsOf(stack, statement, [...values]);
  return members;
}

export type Use = 'allowed' | 'refused' | 'unavailable';

export async function use(
  { via, tenant }: Place,
  gateway: number,
  { token }: Member,
): Promise<Use> {
  const { status, body } = await via(gateway, 'Groups_List', { Tenant: tenant }, token);
  if (body.Code === 'unavailable') return 'unavailable';
  assert.ok([200, 401, 403].includes(status), JSON.stringify(body));
  return status === 200 ? 'allowed' : 'refused';
}

/** The calls that end a member's right to list the groups. */
export function waysToEnd({ stack, via, owner, tenant }: Place) {
  const byOwner =
    (operation: string, requestOf: (member: object) => object) =>
    (gateway: number, { id: UserID }: Member) =>
      via(gateway, operation, requestOf({ Tenant: tenant, UserID }), owner.token);
  const ways: Array<(gateway: number, member: Member) => Promise<Answer>> = [
    (gateway, { token }) => via(gateway, 'Account_Logout', {}, token),
    byOwner('TenantMembers_Disable', (member) => member),
    byOwner('TenantMembers_Remove', (member) => member),
    byOwner('Grants_Remove', (member) => ({ Grant: { ...member, Role: 'member' } })),
    (gateway, { id: UserID }) => via(gateway, 'Users_Disable', { UserID }, stack.platformKey),
  ];
  return ways;
}
