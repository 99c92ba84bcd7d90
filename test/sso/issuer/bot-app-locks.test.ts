import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { assertRefused, bodyOf, recordIn, retryWhileBusy } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { settledStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import { lockCalls, type Receipt, stateOf } from './lock-calls.ts';

describeOne('locks of bots and apps', 'five processes', (topology) => {
  let stack: Stack;
  const { platform, read, enter } = lockCalls(() => stack);
  before(async () => {
    stack = await settledStack(topology);
  });
  after(() => stack?.stop());

  test('Bots_Lock ends the keys and tokens of a bot before its reply, and its tenant reads the receipt', async () => {
    const [owner, stranger] = [await signUp(stack), await signUp(stack)];
    const [Tenant, foreign] = [
      await tenantFor(stack, owner.id),
      await tenantFor(stack, stranger.id),
    ];
    const bot = await createBot(stack, Tenant, owner.token);
    const { Secret } = await createKey(stack, bot, owner.token);
    const whoAmI = () => stack.call('Bots_Get', { Tenant, ID: bot.ID }, Secret);
    await platform('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'admin' } });
    bodyOf(await whoAmI());
    const locking = { Tenant, ID: bot.ID, Reason: 'a leaked key' };
    const lockBot = () =>
      retryWhileBusy(() => stack.call('Bots_Lock', locking, owner.token)).then(
        (answer) => recordIn(answer, 'Receipt') as Receipt,
      );
    const receipts = await Promise.all(Array.from({ length: 50 }, lockBot));
    assert.equal((await whoAmI()).status, 401);
    assert.equal(new Set(receipts.map(({ ID }) => ID)).size, 1);
    const ID = receipts[0]?.ID ?? '';
    const { Receipt: receipt, Signed } = await read(ID, Tenant, owner.token);
    assert.deepEqual(
      [receipt.Final, receipt.Reason, receipt.By, stateOf(receipt, bot.ID, 'token')],
      [true, 'a leaked key', owner.id, 'ends'],
    );
    assert.ok(receipt.Rows.some(({ Kind, State }) => Kind === 'cache' && State === 'dropped'));
    assert.notEqual(Signed, '');
    const elsewhere = { ID, Tenant: foreign };
    assertRefused(
      await stack.call('LockReceipts_Get', elsewhere, stranger.token),
      400,
      'not_found',
    );
    assertRefused(
      await stack.call('Bots_Lock', { ...locking, Tenant: foreign }, stranger.token),
      400,
      'not_found',
    );
    assertRefused(await stack.call('Bots_Lock', locking, stranger.token), 403, 'permission_denied');
    bodyOf(
      await stack.call('Bots_Save', { Bot: { Tenant, ID: bot.ID, Active: true } }, owner.token),
    );
    bodyOf(await whoAmI());
    assert.notEqual((await read(ID)).Receipt.LiftedAt, null);
    assert.notEqual((await lockBot()).ID, ID);
  });

  test('Apps_Lock ends the refresh tokens of an app before its reply, also after it is active again', async () => {
    const [owner, person, stranger] = [
      await signUp(stack),
      await signUp(stack),
      await signUp(stack),
    ];
    const [Tenant, foreign] = [
      await tenantFor(stack, owner.id),
      await tenantFor(stack, stranger.id),
    ];
    await platform('TenantMembers_Add', { Tenant, UserID: person.id });
    bodyOf(await stack.call('TenantMembers_Accept', { Tenant }, person.token));
    const { app, config, refreshToken } = await enter(person, { Tenant }, owner.token);
    const locking = { Tenant, ID: app, Reason: 'a leaked secret' };
    const lockApp = () =>
      retryWhileBusy(() => stack.call('Apps_Lock', locking, owner.token)).then(
        (answer) => recordIn(answer, 'Receipt') as Receipt,
      );
    assertRefused(
      await stack.call('Apps_Lock', { ...locking, Tenant: foreign }, stranger.token),
      400,
      'not_found',
    );
    assertRefused(await stack.call('Apps_Lock', locking, stranger.token), 403, 'permission_denied');
    // More sign-ins than one transaction ends.
    const signIns = `insert into sso.app_sign_in (tenant, app, session_id, place, user_id, scopes, signed_in_at)
      select $1, $2, 'ses_' || n, '', $3, '{}', now() from generate_series(1, 2500) n`;
    await rowsOf(stack, signIns, [Tenant, app, person.id]);
    const receipts = await Promise.all(Array.from({ length: 50 }, lockApp));
    assert.equal(new Set(receipts.map(({ ID }) => ID)).size, 1);
    const countOf = async (table: string) => {
      const count = `select count(*)::int as count from sso.${table} where app = $1`;
      return (await rowsOf<{ count: number }>(stack, count, [app]))[0]?.count;
    };
    assert.deepEqual([await countOf('app_sign_in'), await countOf('app_sign_out')], [0, 2501]);
    const [receipt] = receipts;
    assert.ok(receipt);
    assert.deepEqual(
      [receipt.Final, receipt.By, stateOf(receipt, app, 'token'), stateOf(receipt, app, 'session')],
      [true, owner.id, 'ends', 'unknown'],
    );
    await assert.rejects(client.refreshTokenGrant(config, refreshToken));
    bodyOf(await stack.call('Apps_Save', { App: { Tenant, ID: app, Active: true } }, owner.token));
    await assert.rejects(client.refreshTokenGrant(config, refreshToken));
    assert.equal((await stack.call('Account_Get', {}, person.token)).status, 200);
    const { Receipt: kept, Signed } = await read(receipt.ID, Tenant, owner.token);
    assert.deepEqual([kept.Subject, kept.Reason], [app, 'a leaked secret']);
    assert.notEqual(Signed, '');
    // An app that is inactive is locked too, with a receipt of its own.
    const save = (Active: boolean) =>
      stack.call('Apps_Save', { App: { Tenant, ID: app, Active } }, owner.token);
    bodyOf(await save(false));
    const longAgo = "update sso.app set updated_at = now() - interval '500 days' where id = $1";
    await rowsOf(stack, longAgo, [app]);
    const second = await lockApp();
    assert.notEqual(second.ID, receipt.ID);
    assert.ok(Date.now() - Date.parse(second.At) < 60_000, second.At);
    assert.equal((await lockApp()).ID, second.ID);
  });
});
