import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { supportCalls } from './support-calls.ts';

// Support sessions end in many ways. Each end is stored, so that none of them comes back.
describeOne('the end of support access', 'one process', (topology) => {
  let stack: Stack;
  const { started, grant, enable, again, endings, newOperator, newOwner } = supportCalls(
    () => stack,
  );
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());
  const ask = (operation: string, body: object, token: string) =>
    stack.call(operation, body, token);
  const isOpen = async (token: string) => (await ask('Account_Get', {}, token)).status === 200;

  const isStored = (id: string) => countOf(stack, 'identity.session where id = $1', [id]);

  /** The entries of the end of a support session, of the platform and of a tenant. */
  async function endsOf(id: string, tenant: string) {
    const ofPlace = async (Tenant: string) => {
      const Filter = { TargetIDs: [id], Actions: ['session.support_ended'] };
      const { Page } = bodyOf(await ask('Audit_List', { Tenant, Filter }, stack.platformKey)) as {
        Page: { Items: EndEntry[] };
      };
      return Page.Items;
    };
    const [platform, local] = await eventually('both entries of the end', async () => {
      const places = await Promise.all(['', tenant].map(ofPlace));
      return places.every((items) => items.length > 0) && places;
    });
    assert.deepEqual([platform?.length, local?.length], [1, 1]);
    const causeOf = (entry: EndEntry | undefined) =>
      entry?.Changes.find(({ Field }) => Field === 'EndCause')?.New;
    assert.equal(causeOf(platform?.[0]), causeOf(local?.[0]));
    return { cause: causeOf(local?.[0]), by: local?.[0]?.ActorID };
  }
  type EndEntry = { ActorID: string; Changes: Array<{ Field: string; New: string }> };

  test('a support session ends at once with its operator’s session, rights and account, and with its user', async () => {
    const [operatorAgain, userAgain] = [await newOperator(), await newOwner()];
    for (const [title, cause, end] of endings) {
      const [by, user] = [await again(operatorAgain), await again(userAgain)];
      const { Token, Session } = await started(by, user);
      assert.equal(await isOpen(Token), true, title);
      await end(by, user, Session.ID);
      for (const [operation, body] of [
        ['Account_Get', {}],
        ['Groups_ListByTenant', { Tenant: userAgain.tenant }],
      ] as const)
        assertRefused(await ask(operation, body, Token), 401, 'unauthenticated');
      assert.equal(await isStored(Session.ID), 0, title);
      assert.equal((await endsOf(Session.ID, userAgain.tenant)).cause, cause, title);
      // An account that is enabled again does not bring it back.
      if (title.endsWith('disabled')) {
        for (const person of [by, user]) bodyOf(await enable(person));
        assert.equal(await isOpen(Token), false, title);
      }
      // Nor does the permission.
      if (title.endsWith('permission')) {
        await grant(by.id);
        assert.equal(await isOpen(Token), false, title);
      }
    }
  });

  test('the end of a support session is stored and audited with its cause, also without a call of the session', async () => {
    const by = await newOperator();
    const past = "set expires_at = now() - interval '1 second' where id";
    const own = '(select operator_session from identity.session where id = $1)';
    const causes: Record<string, (id: string, tenant: string) => Promise<unknown>> = {
      expired: (id) => rowsOf(stack, `update identity.session ${past} = $1`, [id]),
      permission_lost: () =>
        stack.call(
          'Grants_Remove',
          { Grant: { Platform: true, UserID: by.id, Role: 'platform-owner' } },
          stack.platformKey,
        ),
      tenant_suspended: (_id, Tenant) =>
        stack.call('Tenants_Suspend', { Tenant }, stack.platformKey),
      operator_signed_out: (id) => rowsOf(stack, `update identity.session ${past} = ${own}`, [id]),
    };
    for (const [cause, end] of Object.entries(causes)) {
      const user = await newOwner();
      const { Token, Session } = await started(await again(by), user);
      await end(Session.ID, user.tenant);
      await eventually(cause, async () => (await isStored(Session.ID)) === 0);
      if (cause === 'permission_lost') await grant(by.id);
      if (cause === 'tenant_suspended')
        bodyOf(await stack.call('Tenants_Resume', { Tenant: user.tenant }, stack.platformKey));
      assert.equal(await isOpen(Token), false, cause);
      const ended = await endsOf(Session.ID, user.tenant);
      assert.deepEqual([ended.cause, ended.by], [cause, 'identity'], cause);
    }
  });

  test('a start ends the earlier support session with an entry, and its own start remains', async () => {
    const [by, user] = [await newOperator(), await newOwner()];
    const first = await started(by, user);
    const second = await started(by, user);
    const { cause, by: actor } = await endsOf(first.Session.ID, user.tenant);
    assert.deepEqual([cause, actor], ['replaced', by.id]);
    assert.deepEqual([await isOpen(first.Token), await isOpen(second.Token)], [false, true]);
  });
});
