import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { type Answer, describeBoth, type Stack } from '../../support/harness.ts';
import { login, mailTo, signUp, tenantFor, tokenIn } from '../../support/people.ts';
import { appOrigin, settledStack } from '../../support/shared.ts';
import { countOf, eventsOf, rowsOf } from '../../support/store.ts';
import { lockCalls, type Receipt, stateOf } from './lock-calls.ts';
import { type LogoutReceiver, startLogoutReceiver } from './logout-receiver.ts';
import { createApp } from './stage.ts';

describeBoth('locks', (topology) => {
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

  test('Users_Lock ends the session, codes, links and refresh tokens of a user before its reply', async () => {
    const person = await signUp(stack);
    const { config, refreshToken } = await enter(person);
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: person.email }));
    const reset = tokenIn(await mailTo(stack, person.email, 2));
    const code = recordIn(
      await stack.call('Account_IssueCode', { ReturnTo: appOrigin }, person.token),
      'Redirect',
    );
    const Code = new URL(String(code)).searchParams.get('code');
    const receipt = await lock(person.id);
    for (const answer of await Promise.all([
      stack.call('Account_Get', {}, person.token),
      login(stack, person.email),
      stack.call('Account_ResetPassword', { Token: reset, Password: 'another horse battery' }),
      stack.call('Account_ExchangeCode', { Code }),
    ]))
      assert.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(answer));
    await assert.rejects(client.refreshTokenGrant(config, refreshToken));
    // Nothing of it comes back with the account.
    await platform('Users_Unlock', { UserID: person.id });
    for (const answer of await Promise.all([
      stack.call('Account_Get', {}, person.token),
      stack.call('Account_ResetPassword', { Token: reset, Password: 'another horse battery' }),
      stack.call('Account_ExchangeCode', { Code }),
    ]))
      assert.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(answer));
    await assert.rejects(client.refreshTokenGrant(config, refreshToken));
    bodyOf(await login(stack, person.email));
    assert.notEqual((await read(receipt.ID)).Receipt.LiftedAt, null);
  });

  test('a receipt has a row for each cache and app', async () => {
    receiver.answer('/refusing', [400]);
    receiver.answer('/failing', [500, 500]);
    const person = await signUp(stack);
    const at = (path: string) => ({ BackchannelLogoutURI: receiver.url(path) });
    const [taking, refusing, failing, silent] = [
      await enter(person, { ...at('/taking'), TokenLifetimeSeconds: 600 }),
      await enter(person, at('/refusing')),
      await enter(person, at('/failing')),
      await enter(person),
    ];
    // An app that nobody has changed for an hour: its lifetime is known.
    await rowsOf(
      stack,
      "update sso.app set updated_at = now() - interval '2 hours' where id = $1",
      [taking.app],
    );
    const early = Date.now();
    const { ID, Rows, Reason, By, Subject } = await lock(person.id);
    const late = Date.now();
    assert.deepEqual([Subject, Reason, By], [person.id, 'a stolen laptop', 'platform']);
    const caches = Rows.filter(({ Kind }) => Kind === 'cache' || Kind === 'changes');
    assert.ok(caches.some(({ Name, State }) => Name === 'gateway' && State === 'dropped'));
    assert.ok(
      caches.every(({ State }) => State === 'dropped'),
      JSON.stringify(caches),
    );
    const { Receipt: receipt, Signed } = await final(ID);
    assert.deepEqual(
      [taking, refusing, failing, silent].map(({ app }) => stateOf(receipt, app, 'session')),
      ['accepted', 'failed', 'accepted', 'unknown'],
    );
    const endOf = (app: string) =>
      Date.parse(
        receipt.Rows.find(({ Holder, Kind }) => Holder === app && Kind === 'token')?.EndsAt ?? '',
      );
    const within = (end: number, seconds: number) =>
      assert.ok(end >= early + seconds * 1000 && end <= late + seconds * 1000, `${end - early}`);
    within(endOf(taking.app), 660);
    // Its lifetime may have been longer a minute ago.
    within(endOf(silent.app), 3660);
    const { payload, protectedHeader } = await jwtVerify(
      Signed,
      createRemoteJWKSet(new URL(`${stack.url}/oauth/jwks`)),
      { issuer: stack.url, typ: 'lock-receipt+jwt' },
    );
    assert.equal(protectedHeader.alg, 'RS256');
    assert.deepEqual(payload['receipt'], receipt);
    assert.deepEqual(
      [payload.jti, payload.aud, payload.sub, payload.exp],
      [ID, undefined, undefined, undefined],
    );
    // The signed copy is a token for no operation.
    assertRefused(await stack.call('Account_Get', {}, Signed), 401, 'unauthenticated');
  });

  test('Users_Lock of a locked user returns its receipt, also 200 times at once', async () => {
    const person = await signUp(stack);
    const { app } = await enter(person, { BackchannelLogoutURI: receiver.url('/at-once') });
    const answers = await Promise.all(Array.from({ length: 200 }, () => lock(person.id)));
    assert.equal(new Set(answers.map(({ ID }) => ID)).size, 1);
    for (const receipt of answers) assert.ok(stateOf(receipt, app, 'session'));
    const ID = answers[0]?.ID ?? '';
    await final(ID);
    assert.equal(receiver.at('/at-once').length, 1);
    assert.equal(
      (await eventsOf(stack, 'identity', '')).filter(
        ({ type, data }) => type === 'user.disabled' && data['ID'] === person.id,
      ).length,
      1,
    );
    await platform('Users_Enable', { UserID: person.id });
    assert.notEqual((await lock(person.id)).ID, ID);
  });

  test('Users_Unlock refuses a user who is disabled without a lock', async () => {
    const person = await signUp(stack);
    await platform('Users_Disable', { UserID: person.id });
    const answer = await stack.call('Users_Unlock', { UserID: person.id }, stack.platformKey);
    assertRefused(answer, 400, 'failed_precondition');
    // A lock of a disabled user has a receipt too.
    const { ID } = await lock(person.id);
    const { User } = (await platform('Users_Get', { UserID: person.id })) as unknown as {
      User: { Status: string; LockReceipt: string };
    };
    assert.deepEqual([User.Status, User.LockReceipt], ['disabled', ID]);
  });

  test('a user who locks another needs a reason, which the user gets by mail', async () => {
    const [operator, person] = [await signUp(stack), await signUp(stack)];
    const grant = { UserID: operator.id, Platform: true, Role: 'platform-owner' };
    await platform('Grants_Add', { Grant: grant });
    const request = { UserID: person.id };
    assertRefused(
      await stack.call('Users_Lock', request, operator.token),
      400,
      'invalid_argument',
      ['Reason is required'],
    );
    const Reason = 'ticket 4711';
    const answer = await stack.call('Users_Lock', { ...request, Reason }, operator.token);
    const receipt = recordIn(answer, 'Receipt') as Receipt;
    assert.deepEqual([receipt.Reason, receipt.By], [Reason, operator.id]);
    assert.match((await mailTo(stack, person.email, 2)).Text, /ticket 4711/);
    const old =
      "update identity.session set created_at = now() - interval '20 minutes', proven_at = null where user_id = $1";
    await rowsOf(stack, old, [operator.id]);
    const unlock = { ...request, Reason };
    assertRefused(
      await stack.call('Users_Unlock', unlock, operator.token),
      403,
      'permission_denied',
    );
  });

  test('a user who locks the own account gets the receipt, and nothing afterwards', async () => {
    const operator = await signUp(stack);
    const grant = { UserID: operator.id, Platform: true, Role: 'platform-owner' };
    await platform('Grants_Add', { Grant: grant });
    const answer = await stack.call('Users_Lock', { UserID: operator.id }, operator.token);
    assert.equal((recordIn(answer, 'Receipt') as Receipt).By, operator.id);
    assert.equal((await stack.call('Account_Get', {}, operator.token)).status, 401);
  });

  test('an invitation of a locked user cannot be accepted', async () => {
    const [inviter, guest] = await Promise.all([signUp(stack), signUp(stack)]);
    const Tenant = await tenantFor(stack, inviter.id);
    bodyOf(
      await stack.call('TenantInvitations_Create', { Tenant, Email: guest.email }, inviter.token),
    );
    const Token = tokenIn(await mailTo(stack, guest.email, 2));
    await lock(inviter.id);
    const answer = await stack.call('TenantInvitations_Accept', { Token }, guest.token);
    assert.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(answer));
  });

  test('LockReceipts_Get shows a tenant its own rows, without the reason and the operator', async () => {
    const [person, owner, stranger] = [
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
    const theirs = await enter(person, { Tenant }, owner.token);
    await enter(person);
    const { ID } = await lock(person.id);
    const { Receipt: view } = await read(ID, Tenant, owner.token);
    assert.deepEqual([view.Reason, view.By, view.Subject], ['', '', person.id]);
    assert.deepEqual(new Set(view.Rows.map(({ Holder }) => Holder)), new Set([theirs.app]));
    const messageOf = ({ status, body }: Answer) => [status, body['Code'], body['Message']];
    const refused: Array<[string, string, number]> = [
      [foreign, stranger.token, 400],
      [Tenant, stranger.token, 403],
      ['', owner.token, 400],
      ['', person.token, 401],
    ];
    for (const [named, token, status] of refused)
      assert.equal(
        (await stack.call('LockReceipts_Get', { ID, Tenant: named }, token)).status,
        status,
      );
    const unknown = { ID: createId('lck'), Tenant: foreign };
    assert.deepEqual(
      messageOf(await stack.call('LockReceipts_Get', unknown, stranger.token)),
      messageOf(await stack.call('LockReceipts_Get', { ...unknown, ID }, stranger.token)),
    );
    for (const operation of ['Users_Lock', 'Users_Unlock'])
      assertRefused(
        await stack.call(operation, { UserID: person.id, Reason: 'mine' }, owner.token),
        403,
        'permission_denied',
      );
  });

  test('a lock lists the bots and apps that the user made, and ends none', async () => {
    const maker = await signUp(stack);
    const Tenant = await tenantFor(stack, maker.id);
    const { ID: bot } = recordIn(
      await stack.call('Bots_Save', { Bot: { Tenant, Name: 'Deployer' } }, maker.token),
      'Bot',
    ) as { ID: string };
    const app = await createApp(stack, { Tenant }, maker.token);
    const receipt = await lock(maker.id);
    assert.deepEqual(
      [stateOf(receipt, bot, 'bot'), stateOf(receipt, app.ID, 'app')],
      ['kept', 'kept'],
    );
    assert.equal(await countOf(stack, 'identity.bot where id = $1 and active', [bot]), 1);
  });
});
