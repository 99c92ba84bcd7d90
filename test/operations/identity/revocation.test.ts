import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { knownTo } from '../../support/answers.ts';
import { callOften } from '../../support/call-often.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { createTenant, password, signUp } from '../../support/people.ts';
import { settledStack } from '../../support/shared.ts';

// A revoked right never works after the reply, although gateways cache rights for two seconds.
describeOne('revocation', 'five processes', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await settledStack(topology);
  });
  after(() => stack?.stop());

  test('a session that ended by logout, revocation or a new password never works again', async () => {
    for (const end of [
      (token: string) => stack.call('Account_Logout', {}, token),
      (token: string) => stack.call('Sessions_RevokeAll', {}, token),
    ]) {
      const { token } = await signUp(stack);
      const calls = callOften(() => stack.call('Account_Get', {}, token));
      await sleep(200);
      assert.equal((await end(token)).status, 200);
      calls.ended();
      await calls.result();
    }
    const { email, token } = await signUp(stack);
    const other = String(
      (await stack.call('Account_Login', { Email: email, Password: password })).body['Token'],
    );
    const calls = callOften(() => stack.call('Account_Get', {}, other));
    await sleep(200);
    assert.equal(
      (
        await stack.call(
          'Account_ChangePassword',
          { Current: password, Password: 'an entirely new one' },
          token,
        )
      ).status,
      200,
    );
    calls.ended();
    await calls.result();
  });

  test('TenantMembers_Remove and _Disable end a member’s rights with the reply, and _Add starts them with the reply', async () => {
    const owner = await signUp(stack);
    const member = await signUp(stack);
    const tenant = await createTenant(stack, owner.token);
    const list = () => stack.call('Groups_List', { Tenant: tenant }, member.token);
    assert.equal((await list()).status, 403);
    await stack.call('TenantMembers_Add', { Tenant: tenant, UserID: member.id }, stack.platformKey);
    assert.equal((await list()).status, 200);
    for (const operation of ['TenantMembers_Disable', 'TenantMembers_Remove']) {
      const calls = callOften(list);
      await sleep(200);
      assert.equal(
        (await stack.call(operation, { Tenant: tenant, UserID: member.id }, owner.token)).status,
        200,
      );
      calls.ended();
      await calls.result();
      if (operation === 'TenantMembers_Disable') {
        assert.equal(
          (
            await stack.call(
              'TenantMembers_Enable',
              { Tenant: tenant, UserID: member.id },
              owner.token,
            )
          ).status,
          200,
        );
        assert.equal((await list()).status, 200);
      }
    }
  });

  test('Users_Disable, Users_Delete, Tenants_Suspend and Tenants_Delete shut out callers with the reply', async () => {
    const owner = await signUp(stack);
    for (const end of [
      ['Users_Disable', 'Users_Enable'],
      ['Tenants_Suspend', 'Tenants_Resume'],
      ['Tenants_Delete', 'Tenants_Restore'],
      ['Users_Delete', ''],
    ]) {
      const member = await signUp(stack);
      const tenant = await createTenant(stack, owner.token);
      await stack.call(
        'TenantMembers_Add',
        { Tenant: tenant, UserID: member.id },
        stack.platformKey,
      );
      const [operation = '', back = ''] = end;
      const request = { Tenant: tenant, UserID: member.id };
      const calls = callOften(() => stack.call('Groups_List', { Tenant: tenant }, member.token));
      await sleep(200);
      assert.equal(
        (await stack.call(operation, knownTo(operation, request), stack.platformKey)).status,
        200,
        operation,
      );
      calls.ended();
      await calls.result();
      if (back !== '')
        assert.equal(
          (await stack.call(back, knownTo(back, request), stack.platformKey)).status,
          200,
          back,
        );
    }
  });

  test('a revocation that every gateway receives takes milliseconds, not a lease', async () => {
    // A busy machine delays some of the calls. A lease would delay all of them.
    const took: number[] = [];
    for (let round = 0; round < 3; round++) {
      const { token } = await signUp(stack);
      await stack.call('Account_Get', {}, token);
      const began = performance.now();
      await stack.call('Account_Logout', {}, token);
      took.push(performance.now() - began);
    }
    assert.ok(Math.min(...took) < 1000, `${took.join()} ms`);
  });
});
