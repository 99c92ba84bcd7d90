import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createToken, tokenHash } from '@bailiwick/contract';
import { bodyOf } from '../support/answers.ts';
import type { Answer } from '../support/harness.ts';
import { createTenant } from '../support/people.ts';
import { type Person, type Stage, startStage } from '../support/stage.ts';
import { rowsOf } from '../support/store.ts';

const callers = 5000;
/** Rights that end, and the calls of each after the reply. */
const endings = 600;
const probes = 50;
/** Concurrent callers that keep the caches warm, and concurrent endings. */
const warmers = 8;
const enders = 4;

type Member = { id: string; token: string };

let stage: Stage;
let owner: Person;
let Tenant: string;
before(async () => {
  stage = await startStage();
  owner = await stage.newPerson();
  Tenant = await createTenant(stage.stack, owner.token);
});
after(() => stage?.stop());

/** Members of the tenant with a session and a grant each, written directly to the database. */
async function fillMembers(): Promise<Member[]> {
  const members = Array.from({ length: callers }, (_, index) => ({
    id: `usr_1${String(index).padStart(25, '0')}`,
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
      [ids, Tenant, owner.id],
    ],
    [
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
       select $2, 'grt' || substr(n, 4), 'user', n, 'member', '', 'nobody', now() from unnest($1::text[]) n`,
      [ids, Tenant],
    ],
  ] as const)
    await rowsOf(stage.stack, statement, [...values]);
  return members;
}

test(`${endings} rights end while ${callers} callers keep the caches warm: no later call is allowed`, async (t) => {
  const members = await fillMembers();
  const use = async (gateway: number, { token }: Member): Promise<boolean> => {
    const { status, body } = await stage.via(gateway, 'Groups_List', { Tenant }, token);
    assert.ok([200, 401, 403].includes(status), JSON.stringify(body));
    return status === 200;
  };
  const byOwner =
    (operation: string, requestOf: (member: object) => object) =>
    (gateway: number, { id: UserID }: Member) =>
      stage.via(gateway, operation, requestOf({ Tenant, UserID }), owner.token);
  const ways: Array<(gateway: number, member: Member) => Promise<Answer>> = [
    (gateway, { token }) => stage.via(gateway, 'Account_Logout', {}, token),
    byOwner('TenantMembers_Disable', (member) => member),
    byOwner('TenantMembers_Remove', (member) => member),
    byOwner('Grants_Remove', (member) => ({ Grant: { ...member, Role: 'member' } })),
    (gateway, { id: UserID }) =>
      stage.via(gateway, 'Users_Disable', { UserID }, stage.stack.platformKey),
  ];
  let next = 0;
  let allowed = 0;
  let isOver = false;
  const warm = async (at: number) => {
    for (let call = at; !isOver; call += warmers)
      await use(call, members[call % callers] as Member);
  };
  const end = async () => {
    for (let index = next++; index < endings; index = next++) {
      const member = members[index] as Member;
      for (const gateway of [0, 1, 0, 1]) assert.ok(await use(gateway, member));
      const way = ways[index % ways.length] as (typeof ways)[number];
      bodyOf(await way(index >> 3, member));
      const results = await Promise.all(
        Array.from({ length: probes }, (_, probe) => use(probe, member)),
      );
      allowed += results.filter((isAllowed) => isAllowed).length;
    }
  };
  const warming = Array.from({ length: warmers }, (_, at) => warm(at));
  try {
    await Promise.all(Array.from({ length: enders }, end));
  } finally {
    isOver = true;
    await Promise.all(warming);
  }
  t.diagnostic(`${endings * probes} calls after the end, ${allowed} allowed`);
  assert.equal(allowed, 0);
  await stage.endLoad((line) => t.diagnostic(line));
});
