import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt } from 'jose';
import * as client from 'openid-client';
import { bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { settledStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import { lockCalls, type Receipt, stateOf } from './lock-calls.ts';
import { type LogoutReceiver, startLogoutReceiver } from './logout-receiver.ts';
import { signInWith } from './stage.ts';

describeOne('receipts of locks', 'one process', (topology) => {
  let stack: Stack;
  let receiver: LogoutReceiver;
  before(async () => {
    [stack, receiver] = await Promise.all([settledStack(topology), startLogoutReceiver()]);
  });
  after(async () => {
    await receiver?.stop();
    await stack?.stop();
  });

  const { platform, lock, read, final, enter } = lockCalls(() => stack);

  test('of two sign-outs of a session from an app the receipt has the later one', async () => {
    const person = await signUp(stack);
    const { app, config } = await enter(person, { BackchannelLogoutURI: receiver.url('/again') });
    bodyOf(await stack.call('AccountApps_Delete', { ID: app }, person.token));
    await receiver.calls('/again');
    await signInWith(stack, config, person.token, { scope: 'openid', prompt: 'consent' });
    receiver.answer('/again', [400]);
    const { ID } = await lock(person.id);
    const { Receipt: receipt } = await final(ID);
    assert.equal(receiver.at('/again').length, 2);
    assert.equal(stateOf(receipt, app, 'session'), 'failed');
  });

  test("a tenant's view is final without the apps of others, and says whose it is", async () => {
    const [person, owner, other] = [await signUp(stack), await signUp(stack), await signUp(stack)];
    receiver.answer('/away', Array<number>(100).fill(500));
    const tenants = await Promise.all([tenantFor(stack, owner.id), tenantFor(stack, other.id)]);
    for (const Tenant of tenants) {
      await platform('TenantMembers_Add', { Tenant, UserID: person.id });
      bodyOf(await stack.call('TenantMembers_Accept', { Tenant }, person.token));
    }
    const [Tenant, foreign] = tenants;
    const at = (path: string) => ({ BackchannelLogoutURI: receiver.url(path) });
    const { app } = await enter(person, { Tenant, ...at('/near') }, owner.token);
    await enter(person, { Tenant: foreign, ...at('/away') }, other.token);
    const { ID } = await lock(person.id);
    const { Receipt: view, Signed } = await eventually('a final view', async () => {
      const answer = await read(ID, Tenant, owner.token);
      return answer.Receipt.Final && answer;
    });
    assert.equal(stateOf(view, app, 'session'), 'accepted');
    assert.equal((await read(ID, foreign, other.token)).Receipt.Final, false);
    const whole = await read(ID);
    assert.deepEqual([whole.Receipt.Final, whole.Receipt.Tenant, whole.Signed], [false, '', '']);
    assert.equal(view.Tenant, Tenant);
    assert.deepEqual(decodeJwt(Signed)['receipt'], view);
  });

  test('a lock that a process of an earlier version lifted holds no more', async () => {
    const person = await signUp(stack);
    const { ID } = await lock(person.id);
    await platform('Users_Enable', { UserID: person.id });
    // As an earlier version leaves it, which knows no receipts. The lock's call was interrupted.
    await rowsOf(stack, 'update identity.user_account set lock_receipt = $2 where id = $1', [
      person.id,
      ID,
    ]);
    const { token } = await login(stack, person.email).then(({ body }) => ({
      token: String(body['Token']),
    }));
    const { config, refreshToken } = await enter({ ...person, token });
    await rowsOf(
      stack,
      'update identity.lock_receipt set lifted_at = null, completed_at = null, final_at = null where id = $1',
      [ID],
    );
    await final(ID);
    await client.refreshTokenGrant(config, refreshToken);
    await rowsOf(
      stack,
      "update identity.user_account set status = 'disabled', updated_at = now() where id = $1",
      [person.id],
    );
    assert.notEqual((await lock(person.id)).ID, ID);
    await assert.rejects(client.refreshTokenGrant(config, refreshToken));
    assert.notEqual((await read(ID)).Receipt.LiftedAt, null);
  });

  test('the reason of the platform key is in the audit', async () => {
    const person = await signUp(stack);
    const request = { UserID: person.id, Reason: '  ticket 4711 ' };
    const receipt = recordIn(
      await stack.call('Users_Lock', request, stack.platformKey),
      'Receipt',
    ) as Receipt;
    assert.equal(receipt.Reason, 'ticket 4711');
    bodyOf(await stack.call('Users_Unlock', request, stack.platformKey));
    const rows = await rowsOf<{ audit: unknown }>(
      stack,
      "select audit from identity.outbox where audit::text like '%ticket 4711%' and audit::text like $1",
      [`%${person.id}%`],
    );
    assert.equal(rows.length, 2);
  });
});
