import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf, readList, recordIn } from '../../support/answers.ts';
import { describeBoth, eventually } from '../../support/harness.ts';
import { mailsTo, newAddress, signUp, tokenIn } from '../../support/people.ts';
import { countOf } from '../../support/store.ts';
import type { Member } from './member-calls.ts';
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

describeBoth('SCIM users', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  const memberOf = async (userId: string) => {
    const { stack, Tenant, owner } = suite;
    const { items } = await readList<Member>(stack, 'TenantMembers_List', { Tenant }, owner.token);
    return items.find(({ UserID }) => UserID === userId);
  };

  test('POST of an address in a verified domain makes an account and a member with the default role', async () => {
    const { stack, owner, Tenant, address, get, base } = suite;
    const answer = await suite.call(
      'POST',
      'Users',
      personOf(address('ann'), { externalId: 'e1' }),
    );
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const person = answer.body as Resource;
    assert.match(person.id, /^scu_/);
    assert.equal(answer.headers.get('location'), `${base}/Users/${person.id}`);
    assert.equal(answer.headers.get('etag'), person.meta.version);
    assert.equal(person.active, true);
    assert.equal(statusOf(person), 'active');
    assert.deepEqual(await get('GET', `Users/${person.id}`), person);
    const member = await memberOf(accountOf(person));
    assert.equal(member?.Status, 'active');
    assert.equal(member?.Source, 'scim');
    const UserID = accountOf(person);
    const user = recordIn(await stack.call('Users_Get', { UserID }, owner.token), 'User');
    const { Email, Name, GivenName } = user as Record<string, string>;
    assert.deepEqual(
      { Email, Name, GivenName },
      { Email: address('ann'), Name: 'Test User', GivenName: 'Test' },
    );
    const question = { Tenant, Subject: UserID, Permission: 'iam.users.read' };
    assert.equal(
      recordIn(await stack.call('Access_Check', question, owner.token), 'Allowed'),
      true,
    );
  });

  test('POST of a taken userName or address answers 409 uniqueness, and makes nothing', async () => {
    const { stack, address, call, create } = suite;
    await create('bea');
    const again = await call('POST', 'Users', personOf(address('BEA')));
    assertScimError(again, 409, 'uniqueness');
    const emails = [{ value: address('bea'), type: 'work' }];
    assertScimError(await call('POST', 'Users', personOf('other', { emails })), 409, 'uniqueness');
    assert.equal(
      await countOf(stack, 'identity.user_account where email = $1', [address('bea')]),
      1,
    );
  });

  test('ten concurrent POSTs of one person make one', async () => {
    const { address, call, find } = suite;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => call('POST', 'Users', personOf(address('twin')))),
    );
    const created = answers.filter(({ status }) => status === 201);
    assert.equal(created.length, 1);
    for (const answer of answers)
      if (answer.status !== 201) assert.ok([409, 429].includes(answer.status));
    assert.equal((await find(`userName eq "${address('twin')}"`)).totalResults, 1);
  });

  test('active false ends every right in the tenant with the reply, and in no other tenant', async () => {
    const { stack, owner, Tenant, address, call, create, patch } = suite;
    const elsewhere = await newDirectory(stack, owner);
    const ann = await signUp(stack, address('leaver'));
    const person = await create('leaver');
    assert.equal(accountOf(person), ann.id);
    bodyOf(
      await stack.call(
        'TenantMembers_Add',
        { Tenant: elsewhere.Tenant, UserID: ann.id },
        stack.platformKey,
      ),
    );
    bodyOf(await stack.call('Groups_List', { Tenant }, ann.token));
    const off = await patch(person.id, { op: 'Replace', path: 'active', value: 'False' });
    assert.equal(off.active, false);
    assert.equal(statusOf(off), 'disabled');
    assert.equal((await stack.call('Groups_List', { Tenant }, ann.token)).status, 403);
    bodyOf(await stack.call('Groups_List', { Tenant: elsewhere.Tenant }, ann.token));
    const on = await call('PUT', `Users/${person.id}`, personOf(address('leaver')));
    assert.equal(statusOf(on.body as Resource), 'active');
    bodyOf(await stack.call('Groups_List', { Tenant }, ann.token));
  });

  test('active true restores what the directory disabled, and not what an administrator disabled', async () => {
    const { stack, owner, Tenant, create, patch } = suite;
    const person = await create('chief');
    const UserID = accountOf(person);
    bodyOf(
      await stack.call('Grants_Add', { Grant: { Tenant, UserID, Role: 'admin' } }, owner.token),
    );
    const set = (active: boolean) => patch(person.id, { op: 'replace', value: { active } });
    assert.equal((await set(false)).active, false);
    assert.equal((await set(true)).active, true);
    bodyOf(await stack.call('TenantMembers_Disable', { Tenant, UserID }, owner.token));
    const before = await writesOf(stack, Tenant);
    assert.equal(statusOf(await set(true)), 'disabled');
    assert.deepEqual(await writesOf(stack, Tenant), before);
    bodyOf(await stack.call('TenantMembers_Enable', { Tenant, UserID }, owner.token));
    assert.equal((await suite.read(person.id)).active, true);
  });

  test('POST of an inactive person disables the member with that address', async () => {
    const { stack, Tenant, address, get } = suite;
    const member = await signUp(stack, address('sleeper'));
    const UserID = member.id;
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey));
    const body = personOf(address('sleeper'), { active: false });
    const person = await get<Resource>('POST', 'Users', body, 201);
    assert.equal(person.active, false);
    assert.equal(accountOf(person), UserID);
    assert.equal((await memberOf(UserID))?.Status, 'disabled');
    const stranger = personOf(address('unborn'), { active: false });
    assert.equal(statusOf(await get<Resource>('POST', 'Users', stranger, 201)), 'removed');
    const accounts = await countOf(stack, 'identity.user_account where email = $1', [
      address('unborn'),
    ]);
    assert.equal(accounts, 0);
  });

  test('DELETE ends the membership with its grants, and a repetition answers 404', async () => {
    const { call, create } = suite;
    const person = await create('gone');
    assert.equal((await call('DELETE', `Users/${person.id}`)).status, 204);
    assert.equal(await memberOf(accountOf(person)), undefined);
    assertScimError(await call('DELETE', `Users/${person.id}`), 404);
    assertScimError(await call('GET', `Users/${person.id}`), 404);
    assert.equal(accountOf(await create('gone')), accountOf(person));
  });

  test('an address outside of the verified domains becomes an invitation, and its acceptance the member', async () => {
    const { stack, call, get, read, Tenant, owner } = suite;
    const email = newAddress('guest');
    const emails = [{ value: email, type: 'work', primary: true }];
    const guest = await get<Resource>('POST', 'Users', personOf('guest-1', { emails }), 201);
    assert.equal(statusOf(guest), 'invited');
    assert.equal(guest.active, true);
    assert.equal(accountOf(guest), '');
    const group = await get<Resource>(
      'POST',
      'Groups',
      { displayName: 'Guests', members: [{ value: guest.id }] },
      201,
    );
    const mail = await eventually('the invitation', async () =>
      (await mailsTo(stack, email)).find(({ Text }) => /bwki_/.test(Text)),
    );
    const person = await signUp(stack, email, 1);
    bodyOf(await stack.call('TenantInvitations_Accept', { Token: tokenIn(mail) }, person.token));
    const joined = await read(guest.id);
    assert.equal(statusOf(joined), 'active');
    assert.equal(accountOf(joined), person.id);
    assert.deepEqual(
      joined.groups?.map(({ value }) => value),
      [group.id],
    );
    const { items } = await readList<string>(
      stack,
      'Groups_ListMembers',
      { Tenant, Group: 'Guests' },
      owner.token,
    );
    assert.deepEqual(items, [person.id]);
    const moved = patchOf({
      op: 'replace',
      path: 'emails[type eq "work"].value',
      value: newAddress(),
    });
    assertScimError(await call('PATCH', `Users/${guest.id}`, moved), 400, 'mutability');
  });

  test('active false revokes an invitation, and a declined one is not repeated', async () => {
    const { stack, get, patch } = suite;
    const [revoked, declined] = [newAddress('guest'), newAddress('guest')];
    const guest = await get<Resource>('POST', 'Users', personOf(revoked), 201);
    assert.equal(
      statusOf(await patch(guest.id, { op: 'replace', path: 'active', value: false })),
      'removed',
    );
    const other = await get<Resource>('POST', 'Users', personOf(declined), 201);
    const mail = await eventually(
      'the invitation',
      async () => (await mailsTo(stack, declined))[0],
    );
    bodyOf(await stack.call('TenantInvitations_Decline', { Token: tokenIn(mail) }));
    const after = await patch(other.id, { op: 'replace', path: 'title', value: 'Guest' });
    assert.equal(statusOf(after), 'declined');
    assert.equal((await mailsTo(stack, declined)).length, 1);
  });

  test('a change of the address inside the domains moves the account, and a taken address answers 409', async () => {
    const { stack, owner, address, call, create, patch, read } = suite;
    const [mary, paul] = [await create('mary'), await create('paul')];
    const moved = await patch(mary.id, {
      op: 'Replace',
      path: 'userName',
      value: address('marie'),
    });
    assert.equal(moved.userName, address('marie'));
    const { Email } = recordIn(
      await stack.call('Users_Get', { UserID: accountOf(mary) }, owner.token),
      'User',
    ) as Record<string, string>;
    assert.equal(Email, address('marie'));
    const rename = patchOf({ op: 'Replace', path: 'userName', value: address('marie') });
    assertScimError(await call('PATCH', `Users/${paul.id}`, rename), 409, 'uniqueness');
    await signUp(stack, address('unlisted'));
    const toStranger = patchOf({ op: 'Replace', path: 'userName', value: address('unlisted') });
    assertScimError(await call('PATCH', `Users/${paul.id}`, toStranger), 409, 'uniqueness');
    assert.equal((await read(paul.id)).userName, address('paul'));
  });

  test('an emptied or removed address stays the account’s, and only a given one moves it', async () => {
    const { stack, owner, address, call, create, patch, get } = suite;
    const work = 'emails[type eq "work"].value';
    const emptyings: ReadonlyArray<readonly [name: string, operation: object]> = [
      ['null', { op: 'Replace', path: work, value: null }],
      ['blank', { op: 'replace', path: work, value: '' }],
      ['remove', { op: 'remove', path: 'emails[type eq "work"]' }],
      ['every', { op: 'replace', path: 'emails', value: null }],
      ['unpathed', { op: 'replace', value: { emails: [] } }],
      ['list', { op: 'replace', value: { emails: [{ type: 'work', value: null }] } }],
    ];
    const emailOf = async (person: Resource) =>
      (
        recordIn(
          await stack.call('Users_Get', { UserID: accountOf(person) }, owner.token),
          'User',
        ) as Record<string, string>
      )['Email'];
    for (const [name, operation] of emptyings) {
      const emails = [
        { value: address(`${name}-work`), type: 'work' },
        { value: address(`${name}-home`), type: 'home' },
      ];
      const person = await create(`${name}-user`, { emails });
      const emptied = await patch(person.id, operation);
      assert.ok(!JSON.stringify(emptied).includes(address(`${name}-work`)), name);
      assert.equal(await emailOf(person), address(`${name}-work`), name);
      await patch(person.id, { op: 'replace', path: 'title', value: 'Engineer' });
      assert.equal(await emailOf(person), address(`${name}-work`), `${name}, a later change`);
      await patch(person.id, { op: 'replace', path: work, value: address(`${name}-new`) });
      assert.equal(await emailOf(person), address(`${name}-new`), `${name}, a given address`);
    }
    const body = (name: string, emails?: object[]) =>
      personOf(`${name}-put`, { ...(emails && { emails }) });
    const both = [
      { value: address('put-work'), type: 'work', primary: true },
      { value: address('put-home'), type: 'home' },
    ];
    const person = await get<Resource>('POST', 'Users', body('a', both), 201);
    for (const emails of [
      [{ type: 'work', value: null, primary: true }, both[1] ?? {}],
      undefined,
    ]) {
      const answer = await call('PUT', `Users/${person.id}`, body('a', emails));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal(await emailOf(person), address('put-work'));
    }
    const dotted = [{ value: `${address('put-dot')}.`, type: 'work' }];
    assert.equal((await call('PUT', `Users/${person.id}`, body('a', dotted))).status, 200);
    assert.equal(await emailOf(person), address('put-dot'));
  });

  test('the owner of a tenant is neither disabled nor removed by a directory', async () => {
    const { owner, call, get } = suite;
    const boss = await get<Resource>('POST', 'Users', personOf(owner.email), 201);
    assert.equal(accountOf(boss), owner.id);
    assertScimError(
      await call(
        'PATCH',
        `Users/${boss.id}`,
        patchOf({ op: 'replace', path: 'active', value: false }),
      ),
      403,
    );
    assertScimError(await call('DELETE', `Users/${boss.id}`), 403);
    assert.equal((await suite.read(boss.id)).active, true);
  });
});
