import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf, recordIn } from '../../support/answers.ts';
import { createKey } from '../../support/bots.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import {
  accountOf,
  assertScimError,
  newDirectory,
  patchOf,
  personOf,
  type Resource,
  type Scim,
  startScim,
  statusOf,
  writesOf,
} from './scim-calls.ts';

// A directory gains no rights that its tenant did not give it, and undoes no decision of a person.

describeOne('the bounds of a directory', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  const grant = (UserID: string, Role: string) => ({
    Grant: { Tenant: suite.Tenant, UserID, Role },
  });
  const moveTo = (address: string) => patchOf({ op: 'replace', path: 'userName', value: address });
  const emailOf = async (UserID: string) => {
    const { stack } = suite;
    const answer = await stack.call('Users_Get', { UserID }, stack.platformKey);
    return (recordIn(answer, 'User') as { Email: string }).Email;
  };
  /** The audited changes that disabled a member. */
  const disablings = (UserID: string) =>
    countOf(
      suite.stack,
      `access.outbox where for_tenant = $1 and type = 'tenant.member_disabled' and audit::text like $2`,
      [suite.Tenant, `%${UserID}%`],
    );
  const set = (id: string, isActive: boolean) =>
    suite.patch(id, { op: 'replace', path: 'active', value: isActive });

  test('moves the address of no owner, and changes the owner’s other attributes', async () => {
    const { stack, owner, address, call, create, patch } = suite;
    const person = await create('boss');
    bodyOf(await stack.call('Grants_Add', grant(accountOf(person), 'owner'), owner.token));
    const moved = await call('PATCH', `Users/${person.id}`, moveTo(address('mine')));
    assertScimError(moved, 400, 'mutability', /owner/);
    assert.equal(await emailOf(accountOf(person)), address('boss'));
    const named = await patch(person.id, { op: 'replace', path: 'displayName', value: 'The boss' });
    assert.equal(named.displayName, 'The boss');
  });

  test('changes nothing of an owner’s account with a request that also disables the owner', async () => {
    const { stack, owner, call, create, read } = suite;
    const person = await create('kept');
    bodyOf(await stack.call('Grants_Add', grant(accountOf(person), 'owner'), owner.token));
    const present = await read(person.id);
    // The refusals are audited.
    const stored = async () => {
      const [{ changes: _, ...rows } = {}] = await writesOf(stack, suite.Tenant);
      return rows;
    };
    const before = await stored();
    const { schemas } = person;
    const off = { schemas, userName: person.userName, displayName: 'Nobody', active: false };
    assertScimError(await call('PUT', `Users/${person.id}`, off), 403);
    const named = patchOf({ op: 'replace', path: 'displayName', value: 'Nobody' });
    const old = { 'if-match': 'W/"other"' };
    assertScimError(await call('PATCH', `Users/${person.id}`, named, old), 412);
    assert.deepEqual(await stored(), before);
    assert.deepEqual(await read(person.id), present);
  });

  test('moves the address of no member of another tenant, and of no operator', async () => {
    const { stack, owner, address, call, create } = suite;
    const elsewhere = await newDirectory(stack, owner);
    const [shared, operator] = [await create('shared'), await create('operator')];
    const added = { Tenant: elsewhere.Tenant, UserID: accountOf(shared) };
    bodyOf(await stack.call('TenantMembers_Add', added, stack.platformKey));
    const everywhere = { Platform: true, UserID: accountOf(operator), Role: 'platform-support' };
    bodyOf(await stack.call('Grants_Add', { Grant: everywhere }, stack.platformKey));
    for (const [person, name] of [
      [shared, 'shared'],
      [operator, 'operator'],
    ] as const) {
      const moved = await call('PATCH', `Users/${person.id}`, moveTo(address(`${name}-2`)));
      assertScimError(moved, 400, 'mutability', /other tenants/);
      assert.equal(await emailOf(accountOf(person)), address(name));
    }
  });

  test('moves the address only of members whose rights the maker of its key may grant', async () => {
    const { stack, owner, Tenant, bot, address, call, callAs, create, get, read } = suite;
    const admin = await signUp(stack);
    const joined = { Tenant, UserID: admin.id };
    bodyOf(await stack.call('TenantMembers_Add', joined, stack.platformKey));
    bodyOf(await stack.call('Grants_Add', grant(admin.id, 'admin'), owner.token));
    const { Secret } = await createKey(stack, bot, admin.token);
    const Role = { Tenant, Slug: 'cashier', Permissions: ['billing.pay'] };
    bodyOf(await stack.call('Roles_Save', { Role }, owner.token));
    const names = ['direct', 'grouped', 'filled'] as const;
    const [direct, grouped, filled] = [
      await create('direct'),
      await create('grouped'),
      await create('filled'),
    ];
    const people = [direct, grouped, filled];
    const Group = 'cashiers-by-hand';
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: Group } }, owner.token));
    const members = [{ value: filled.id }];
    await get('POST', 'Groups', { displayName: 'Cashiers', members }, 201);
    for (const name of [Group, 'Cashiers']) {
      const Grant = { Tenant, Group: name, Role: 'cashier' };
      bodyOf(await stack.call('GroupGrants_Add', { Grant }, owner.token));
    }
    const added = { Tenant, Group, UserID: accountOf(grouped) };
    bodyOf(await stack.call('Groups_AddMember', added, owner.token));
    bodyOf(await stack.call('Grants_Add', grant(accountOf(direct), 'cashier'), owner.token));
    for (const [at, person] of people.entries()) {
      const body = moveTo(address(`${names[at]}-2`));
      const moved = await callAs(Secret, 'PATCH', `Users/${person.id}`, body);
      assertScimError(moved, 403, undefined, /holds billing.pay.*may not grant/);
      assert.equal(await emailOf(accountOf(person)), address(names[at] ?? ''));
    }
    const plain = await create('plain');
    const to = moveTo(address('plain-2'));
    assert.equal((await callAs(Secret, 'PATCH', `Users/${plain.id}`, to)).status, 200);

    const off = { op: 'replace', path: 'active', value: false };
    const leaving = patchOf(off, { op: 'replace', path: 'userName', value: address('direct-3') });
    const ended = await callAs(Secret, 'PATCH', `Users/${direct.id}`, leaving);
    assert.equal(ended.status, 200, JSON.stringify(ended.body));
    assert.equal((await read(direct.id)).active, false);
    assert.equal(await emailOf(accountOf(direct)), address('direct'), 'the move is left out');

    // The key that the owner made moves them.
    for (const [at, person] of [grouped, filled].entries()) {
      const body = moveTo(address(`${names[at + 1]}-2`));
      assert.equal((await call('PATCH', `Users/${person.id}`, body)).status, 200);
      assert.equal(await emailOf(accountOf(person)), address(`${names[at + 1]}-2`));
    }
  });

  test('moves no address by a key whose maker may grant the rights only until a time', async () => {
    const { stack, owner } = suite;
    const { Tenant, bot, address, callAs, create } = await newDirectory(stack, owner);
    const temporary = await signUp(stack);
    const joined = { Tenant, UserID: temporary.id };
    bodyOf(await stack.call('TenantMembers_Add', joined, stack.platformKey));
    const ExpiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const Grant = { Tenant, UserID: temporary.id, Role: 'admin', ExpiresAt };
    bodyOf(await stack.call('Grants_Add', { Grant }, owner.token));
    const { Secret } = await createKey(stack, bot, temporary.token, { ExpiresAt });
    const person = await create('lasting');
    const grant = { Tenant, UserID: accountOf(person), Role: 'auditor' };
    bodyOf(await stack.call('Grants_Add', { Grant: grant }, owner.token));
    const moved = await callAs(Secret, 'PATCH', `Users/${person.id}`, moveTo(address('other')));
    assertScimError(moved, 403, undefined, /until then at the latest/);
    assert.equal(await emailOf(accountOf(person)), address('lasting'));
  });

  test('leaves an address alone that the person has changed, if it changes another attribute', async () => {
    const { stack, address, create, patch } = suite;
    const person = await create('renamed');
    await rowsOf(
      stack,
      'update identity.user_account set email = $2, email_key = $2 where id = $1',
      [accountOf(person), address('renamed-by-hand')],
    );
    await patch(person.id, { op: 'replace', path: 'displayName', value: 'Re Named' });
    assert.equal(await emailOf(accountOf(person)), address('renamed-by-hand'));
  });

  test('enables no member whom an administrator has disabled too, after the directory', async () => {
    const { stack, owner, Tenant, create } = suite;
    const person = await create('twice');
    await set(person.id, false);
    const which = { Tenant, UserID: accountOf(person) };
    bodyOf(await stack.call('TenantMembers_Disable', which, owner.token));
    assert.equal(statusOf(await set(person.id, true)), 'disabled');
    assert.equal(await disablings(which.UserID), 2);
    bodyOf(await stack.call('TenantMembers_Disable', which, owner.token));
    assert.equal(await disablings(which.UserID), 2);
  });

  test('brings no member back who left after the directory disabled them, once an administrator has', async () => {
    const { stack, owner, Tenant, address, create } = suite;
    const ann = await signUp(stack, address('left-early'));
    const person = await create('left-early');
    await set(person.id, false);
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID: ann.id }, ann.token));
    bodyOf(await stack.call('TenantMembers_Disable', { Tenant, UserID: ann.id }, owner.token));
    assert.equal(await disablings(ann.id), 2);
    assert.equal(statusOf(await set(person.id, true)), 'disabled');
  });

  test('brings no member back who left while an administrator had disabled them, nor one whom it deletes', async () => {
    const { stack, owner, Tenant, address, call, create, get } = suite;
    const ann = await signUp(stack, address('left'));
    const leaver = await create('left');
    const deleted = await create('deleted');
    for (const { id } of [ann, { id: accountOf(deleted) }])
      bodyOf(await stack.call('TenantMembers_Disable', { Tenant, UserID: id }, owner.token));
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID: ann.id }, ann.token));
    await set(leaver.id, false);
    assert.equal(statusOf(await set(leaver.id, true)), 'disabled');
    for (const [person, name] of [
      [leaver, 'left'],
      [deleted, 'deleted'],
    ] as const) {
      assert.equal((await call('DELETE', `Users/${person.id}`)).status, 204);
      const again = await get<Resource>('POST', 'Users', personOf(address(name)), 201);
      assert.equal(statusOf(again), 'disabled', name);
    }
    const active = `access.tenant_member where tenant = $1 and user_id = any ($2) and status = 'active'`;
    assert.equal(await countOf(stack, active, [Tenant, [ann.id, accountOf(deleted)]]), 0);
  });

  test('disables no member to whose address it moves a person who is held by an administrator', async () => {
    const { stack, owner, Tenant, address, create, patch, read } = suite;
    const ann = await signUp(stack, address('held'));
    const other = await signUp(stack, address('other'));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: other.id }, stack.platformKey));
    const guest = await create('held');
    bodyOf(await stack.call('TenantMembers_Disable', { Tenant, UserID: ann.id }, owner.token));
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID: ann.id }, ann.token));
    await patch(guest.id, { op: 'replace', path: 'title', value: 'Guest' });
    assert.deepEqual(
      [accountOf(await read(guest.id)), statusOf(await read(guest.id))],
      [ann.id, 'disabled'],
    );
    for (const more of [[], [{ op: 'replace', path: 'active', value: true }]]) {
      const name = { op: 'replace', path: 'userName', value: address('other') };
      await patch(guest.id, name, ...more);
      const moved = await read(guest.id);
      assert.deepEqual([accountOf(moved), statusOf(moved)], [other.id, 'active']);
      await rowsOf(
        stack,
        `update access.scim_user set user_id = $2, email_key = $3::text, resource = resource || jsonb_build_object('userName', $3::text) where id = $1`,
        [guest.id, ann.id, address('held')],
      );
    }
  });

  test('makes no owner of a person who joins later, by a group that became one of owners', async () => {
    const { stack, owner, Tenant, create, get } = suite;
    const person = await create('later');
    const members = [{ value: person.id }];
    await get<Resource>('POST', 'Groups', { displayName: 'Chiefs', members }, 201);
    const which = { Tenant, UserID: accountOf(person) };
    bodyOf(await stack.call('TenantMembers_Remove', which, owner.token));
    const Grant = { Tenant, Group: 'Chiefs', Role: 'owner' };
    bodyOf(await stack.call('GroupGrants_Add', { Grant }, owner.token));
    assert.equal(statusOf(await set(person.id, true)), 'active');
    const question = { Tenant, Subject: accountOf(person), Permission: 'iam.tenant.delete' };
    const answer = await stack.call('Access_Check', question, owner.token);
    assert.equal(recordIn(answer, 'Allowed'), false);
  });

  test('forgets a user who is deleted', async () => {
    const { stack, create, get } = suite;
    const person = await create('erased', { phoneNumbers: [{ value: '+49 30 1', type: 'work' }] });
    await get<Resource>(
      'POST',
      'Groups',
      { displayName: 'E', members: [{ value: person.id }] },
      201,
    );
    bodyOf(await stack.call('Users_Delete', { UserID: accountOf(person) }, stack.platformKey));
    await eventually(
      'the end of the attributes',
      async () =>
        (await countOf(stack, 'access.scim_user where id = $1', [person.id])) === 0 &&
        (await countOf(stack, 'access.scim_member where scim_user_id = $1', [person.id])) === 0,
    );
  });
});
