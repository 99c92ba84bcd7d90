import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { bodyOf, readList } from '../../support/answers.ts';
import { eventually, type Topology } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf } from '../../support/store.ts';

/** The fields of all records that these suites list. */
export type Row = {
  ID: string;
  Name: string;
  Email: string;
  Path: string;
  UserID: string;
  User?: { Name: string; Email: string };
};

/** `part`: a part of all addresses, since other test files on the same stack create the same people. */
const peopleWith = (part: string) => [
  { Name: 'Ada Lovelace', Email: `ada.${part}@example.com` },
  { Name: 'ádám Zoltan', Email: `zo.${part}@example.com` },
  { Name: 'Grace Brewster Hopper', Email: `grace.${part}@example.com` },
  { Name: '100%_sure', Email: `sure.${part}@example.com` },
  { Name: "Robert'); drop table user_account; --", Email: `bobby.${part}@example.com` },
  { Name: '李小龍', Email: `bruce.${part}@example.com` },
  { Name: '', Email: `nameless.${part}@example.com` },
];

export type Searches = Awaited<ReturnType<typeof startSearches>>;

/** The stack, a tenant with these people as members, and the calls of the suites about searches. */
export async function startSearches(topology: Topology) {
  const stack = await sharedStack(topology);
  const { token } = await signUp(stack);
  const Tenant = await createTenant(stack, token);
  const part = randomBytes(5).toString('hex');
  const ids = new Map<string, string>();
  for (const User of peopleWith(part)) {
    const created = bodyOf(await stack.call('Users_Create', { User }, stack.platformKey));
    const { ID } = created['User'] as Row;
    ids.set(User.Email.slice(0, User.Email.indexOf('.')), ID);
    const added = { Tenant, UserID: ID };
    bodyOf(await stack.call('TenantMembers_Add', added, stack.platformKey));
  }
  await eventually(
    'the names of the members',
    async () =>
      (await countOf(stack, 'access.tenant_member where tenant = $1 and described_at is null', [
        Tenant,
      ])) === 0,
  );

  const list = <Item = Row>(operation: string, request: object, limit = 200) =>
    readList<Item>(stack, operation, request, token, limit).then(({ items }) => items);
  /** The ID of the person with this address before the dot. */
  function idOf(name: string): string {
    const id = ids.get(name);
    assert.ok(id, `no person ${name}`);
    return id;
  }
  const idsOf = (names: readonly string[]) => names.map(idOf).sort();

  return {
    stack,
    token,
    Tenant,
    /** The part after the name in all addresses. */
    part,
    /** The IDs of all people, in the order that they joined in. */
    allIds: [...ids.values()],
    idOf,
    idsOf,
    list,
    stop: () => stack.stop(),
  };
}
