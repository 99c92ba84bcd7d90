import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { mailsTo, newAddress, signUp, tokenIn } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import {
  accountOf,
  assertScimError,
  patchOf,
  personOf,
  type Resource,
  type Scim,
  startScim,
  statusOf,
  writesOf,
} from './scim-calls.ts';

// People outside of the verified domains are invited.

describeOne('SCIM invitations', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  const provision = (email: string) => suite.get<Resource>('POST', 'Users', personOf(email), 201);
  const expire = (email: string) =>
    rowsOf(
      suite.stack,
      `update access.invitation set expires_at = now() - interval '1 minute' where tenant = $1 and email = $2 and status = 'pending'`,
      [suite.Tenant, email],
    );
  const pending = (email: string) =>
    countOf(
      suite.stack,
      `access.invitation where tenant = $1 and email = $2 and status = 'pending' and expires_at > now()`,
      [suite.Tenant, email],
    );
  const mails = (email: string, count: number) =>
    eventually(`${count} mails`, async () => {
      const current = await mailsTo(suite.stack, email);
      return current.length >= count && current;
    });
  const set = (id: string, active: boolean) =>
    suite.patch(id, { op: 'replace', path: 'active', value: active });
  const titled = (id: string, title: string) =>
    suite.patch(id, { op: 'replace', path: 'title', value: title });

  test('an invitation made by hand keeps its roles and its link when a directory provisions the person', async () => {
    const { stack, owner, Tenant, read } = suite;
    const person = await signUp(stack, newAddress('guest'));
    const offer = { Tenant, Email: person.email, Roles: ['admin'] };
    const invitation = bodyOf(await stack.call('TenantInvitations_Create', offer, owner.token));
    const guest = await provision(person.email);
    assert.equal(statusOf(guest), 'invited');
    await titled(guest.id, 'Guest');
    bodyOf(
      await stack.call('TenantInvitations_Accept', { Token: invitation['Token'] }, person.token),
    );
    assert.equal(accountOf(await read(guest.id)), person.id);
    const roles = await rowsOf(
      stack,
      'select role from access.grant_entry where tenant = $1 and subject = $2',
      [Tenant, person.id],
    );
    assert.deepEqual(roles, [{ role: 'admin' }]);
  });

  test('an expired invitation is sent again with the next change, and with a repeated PUT', async () => {
    const { get, read } = suite;
    const email = newAddress('guest');
    const guest = await provision(email);
    await mails(email, 1);
    await expire(email);
    const expired = await read(guest.id);
    assert.deepEqual([statusOf(expired), expired.active], ['expired', false]);
    assert.notEqual(expired.meta.version, guest.meta.version);
    assert.equal(statusOf(await titled(guest.id, 'Guest')), 'invited');
    await mails(email, 2);
    await expire(email);
    const put = await get<Resource>(
      'PUT',
      `Users/${guest.id}`,
      personOf(email, { title: 'Guest' }),
    );
    assert.deepEqual([statusOf(put), put.active], ['invited', true]);
    await mails(email, 3);
    assert.equal(await pending(email), 1);
  });

  test('an expired invitation is not sent again after the directory has deactivated the person', async () => {
    const email = newAddress('guest');
    const guest = await provision(email);
    await expire(email);
    assert.equal(statusOf(await set(guest.id, false)), 'removed');
    assert.equal(statusOf(await titled(guest.id, 'Guest')), 'removed');
    const openInvitations = `access.invitation where email = $1 and status = 'pending'`;
    await eventually(
      'the sweep',
      async () => (await countOf(suite.stack, openInvitations, [email])) === 0,
    );
    const before = await writesOf(suite.stack, suite.Tenant);
    await set(guest.id, false);
    assert.deepEqual(await writesOf(suite.stack, suite.Tenant), before);
    assert.equal(await pending(email), 0);
    assert.equal(statusOf(await set(guest.id, true)), 'invited');
  });

  test('a declined invitation stays so, and repeated requests write nothing', async () => {
    const { stack, Tenant, call, get } = suite;
    const email = newAddress('guest');
    const guest = await provision(email);
    const mail = await eventually('the invitation', async () => (await mailsTo(stack, email))[0]);
    bodyOf(await stack.call('TenantInvitations_Decline', { Token: tokenIn(mail) }));
    const before = await writesOf(stack, Tenant);
    for (const active of [false, true, false])
      assert.equal(statusOf(await set(guest.id, active)), 'declined');
    const body = personOf(email);
    assert.equal(statusOf(await get<Resource>('PUT', `Users/${guest.id}`, body)), 'declined');
    assertScimError(await call('POST', 'Users', body), 409, 'uniqueness');
    assert.deepEqual(await writesOf(stack, Tenant), before);
  });

  test('an account that has not proved an address in a verified domain is invited', async () => {
    const { stack, address, create } = suite;
    const person = await signUp(stack, address('unproved'));
    await rowsOf(stack, 'update identity.user_account set mailbox_proven = false where id = $1', [
      person.id,
    ]);
    assert.equal(statusOf(await create('unproved')), 'invited');
  });

  test('a name of a person outside of the verified domains stays in the record of the directory', async () => {
    const { stack, Tenant, owner, patch, read } = suite;
    const email = newAddress('guest');
    const guest = await provision(email);
    const [mail] = await mails(email, 1);
    assert.ok(mail);
    const person = await signUp(stack, email, 1);
    bodyOf(await stack.call('TenantInvitations_Accept', { Token: tokenIn(mail) }, person.token));
    const nameOf = async () => {
      const answer = await stack.call('Users_Get', { UserID: person.id }, owner.token);
      return (recordIn(answer, 'User') as { Name: string }).Name;
    };
    const before = await nameOf();
    await patch(guest.id, { op: 'replace', path: 'displayName', value: 'Renamed' });
    assert.equal((await read(guest.id)).displayName, 'Renamed');
    assert.equal(await nameOf(), before);
    const roles = `access.grant_entry where tenant = $1 and subject = $2 and role = 'member'`;
    assert.equal(await countOf(stack, roles, [Tenant, person.id]), 1);
  });

  test('a change of another attribute is stored if the tenant refuses to send an expired invitation again', async () => {
    const { stack, owner, Tenant, call } = suite;
    const email = newAddress('guest');
    const guest = await provision(email);
    await expire(email);
    const inviteOnly = async (InviteDomains: string[]) => {
      const changed = { ID: Tenant, Settings: { InviteDomains } };
      bodyOf(await stack.call('Tenants_Update', { Tenant: changed }, owner.token));
    };
    await inviteOnly(['elsewhere.example']);
    const changed = await titled(guest.id, 'Guest');
    assert.deepEqual([statusOf(changed), changed['title']], ['expired', 'Guest']);
    const { lastModified } = changed.meta;
    assert.equal((await titled(guest.id, 'Guest')).meta.lastModified, lastModified);
    const on = patchOf({ op: 'replace', path: 'active', value: true });
    assert.equal((await call('PATCH', `Users/${guest.id}`, on)).status, 400);
    await inviteOnly([]);
    assert.equal(statusOf(await titled(guest.id, 'Visitor')), 'invited');
  });

  test('an account that accepts the invitations of two people becomes the account of the first', async () => {
    const { stack, read } = suite;
    const emails = [newAddress('guest'), newAddress('guest')] as const;
    const guests = [await provision(emails[0]), await provision(emails[1])] as const;
    const person = await signUp(stack, emails[0], 1);
    for (const email of emails) {
      await rowsOf(
        stack,
        'update identity.user_account set email = $2, email_key = $2 where id = $1',
        [person.id, email],
      );
      const mail = await eventually('the invitation', async () =>
        (await mailsTo(stack, email)).find(({ Text }) => /bwki_/.test(Text)),
      );
      const Token = tokenIn(mail);
      bodyOf(await stack.call('TenantInvitations_Accept', { Token }, person.token));
    }
    assert.equal(accountOf(await read(guests[0].id)), person.id);
    assert.equal(accountOf(await read(guests[1].id)), '');
  });
});
