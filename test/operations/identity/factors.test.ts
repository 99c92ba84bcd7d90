import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { createTenant, login, password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { addTotp, totp, wrongTotp } from '../../support/totp.ts';
import { type Factor, factorCalls } from './factor-calls.ts';

describeOne('second factors', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());
  const { protectedUser, challengeOf, factorsOf, actionsOf, hasMail } = factorCalls(() => stack);
  const makeOld = (id: string) =>
    rowsOf(
      stack,
      `update identity.session set created_at = now() - interval '16 minutes' where user_id = $1`,
      [id],
    );

  test('a session without a second factor cannot change the factors of a user who has one', async () => {
    const user = await signUp(stack);
    const other = String(bodyOf(await login(stack, user.email))['Token']);
    const { id } = await addTotp(stack, user.token);
    for (const [operation, request] of [
      ['Factors_BeginTotp', { Name: 'Other' }],
      ['Factors_Remove', { ID: id }],
      ['RecoveryCodes_Generate', {}],
    ] as const)
      assertRefused(await stack.call(operation, request, other), 403, 'permission_denied', [
        'second factor required',
      ]);
  });

  test('Users_ConfirmIdentity by the password of a user with a factor needs a session that used one', async () => {
    const user = await signUp(stack);
    const other = String(bodyOf(await login(stack, user.email))['Token']);
    await addTotp(stack, user.token);
    const request = { UserID: user.id, Provider: createId('sso'), Password: password };
    assertRefused(
      await stack.call('Users_ConfirmIdentity', request, other),
      403,
      'permission_denied',
      ['second factor required'],
    );
    assertRefused(await stack.call('Users_ConfirmIdentity', request, user.token), 400, 'not_found');
  });

  test('Factors_ConfirmTotp adds the app after a right code only, with an event and a mail', async () => {
    const { id, email, token } = await signUp(stack);
    const enrollment = bodyOf(await stack.call('Factors_BeginTotp', { Name: 'Phone' }, token));
    const secret = String(enrollment['Secret']);
    assert.match(String(enrollment['URI']), new RegExp(`^otpauth://totp/.*secret=${secret}`));
    assert.deepEqual((await factorsOf(token)).Factors, []);
    const confirm = (Code: string, by = token) =>
      stack.call('Factors_ConfirmTotp', { FactorID: enrollment['FactorID'], Code }, by);
    assertRefused(await confirm(wrongTotp(secret)), 403, 'permission_denied', ['Code is wrong']);
    assert.match(String(bodyOf(await login(stack, email))['Token']), /^bwks_/);
    const stranger = await signUp(stack);
    assertRefused(await confirm(totp(secret), stranger.token), 400, 'not_found');
    const { Factor: added } = bodyOf(await confirm(totp(secret)));
    assert.equal((added as Factor).ID, enrollment['FactorID']);
    assertRefused(await confirm(totp(secret, 1)), 400, 'not_found');
    assert.equal(await actionsOf(id, 'user.factor_added'), 1);
    await hasMail(email, /second sign-in step was added/);
  });

  test('a user has at most five authenticator apps', async () => {
    const { token, id } = await protectedUser();
    for (let apps = 1; apps < 5; apps++) await addTotp(stack, token, `Phone ${apps}`);
    const begin = () => stack.call('Factors_BeginTotp', { Name: 'Sixth' }, token);
    assertRefused(await begin(), 400, 'failed_precondition', [
      'at most 5 authenticator apps are allowed',
    ]);
    assert.equal((await factorsOf(token)).Factors.length, 5);
    bodyOf(await stack.call('Factors_Remove', { ID: id }, token));
    bodyOf(await begin());
  });

  test('the secret of an authenticator app is sealed, and appears in no event', async () => {
    const { id, secret, userId } = await protectedUser();
    const [row] = await rowsOf<{ secret_enc: Buffer; dek_id: string }>(
      stack,
      'select secret_enc, dek_id from identity.totp_factor where id = $1',
      [id],
    );
    assert.ok(row && !row.secret_enc.includes(secret));
    assert.equal(await countOf(stack, 'identity.dek where id = $1', [row.dek_id]), 1);
    assert.equal(
      await countOf(
        stack,
        `identity.outbox where concat(event, audit, tasks) like '%' || $1 || '%'`,
        [secret],
      ),
      0,
    );
    assert.equal(await actionsOf(userId, 'user.factor_begun'), 1);
  });

  test('Factors_Remove removes the caller’s own factor, and with the last one the recovery codes', async () => {
    const { id, email, token } = await protectedUser();
    bodyOf(await stack.call('RecoveryCodes_Generate', {}, token));
    const stranger = await signUp(stack);
    assert.deepEqual(bodyOf(await stack.call('Factors_Remove', { ID: id }, stranger.token)), {});
    assert.equal((await factorsOf(token)).Factors.length, 1);
    for (let times = 0; times < 2; times++)
      assert.deepEqual(bodyOf(await stack.call('Factors_Remove', { ID: id }, token)), {});
    assert.deepEqual(await factorsOf(token), { Factors: [], RecoveryCodesLeft: 0 });
    assert.match(String(bodyOf(await login(stack, email))['Token']), /^bwks_/);
    await hasMail(email, /second sign-in step was removed/);
  });

  test('Factors_Remove refuses the last factor of a member of a tenant that requires one', async () => {
    const { id, token } = await protectedUser();
    const ID = await createTenant(stack, token);
    const demand = async (RequireFactor: string) =>
      bodyOf(
        await stack.call(
          'Tenants_Update',
          { Tenant: { ID, Name: 'Acme', Settings: { RequireFactor } } },
          stack.platformKey,
        ),
      );
    const remove = (ofId: string) => stack.call('Factors_Remove', { ID: ofId }, token);
    await demand('any');
    assertRefused(await remove(id), 400, 'failed_precondition', [
      'Acme requires a second factor: add another one first',
    ]);
    const tablet = await addTotp(stack, token, 'Tablet');
    bodyOf(await remove(id));
    assertRefused(await remove(tablet.id), 400, 'failed_precondition');
    await demand('off');
    bodyOf(await remove(tablet.id));
    assert.deepEqual((await factorsOf(token)).Factors, []);
  });

  test('changes of factors need a sign-in within the last 15 minutes', async () => {
    const { id, userId, token } = await protectedUser();
    await makeOld(userId);
    for (const [operation, request] of [
      ['Factors_BeginTotp', { Name: 'Other' }],
      ['Factors_ConfirmTotp', { FactorID: createId('fac'), Code: '123456' }],
      ['Factors_Remove', { ID: id }],
      ['RecoveryCodes_Generate', {}],
    ] as const)
      assertRefused(await stack.call(operation, request, token), 403, 'permission_denied', [
        'recent login required',
      ]);
    assert.equal((await factorsOf(token)).Factors.length, 1);
  });

  test('RecoveryCodes_Generate needs a factor', async () => {
    const { token } = await signUp(stack);
    assertRefused(
      await stack.call('RecoveryCodes_Generate', {}, token),
      400,
      'failed_precondition',
      ['a second factor is required first'],
    );
  });

  test('Users_ResetFactors removes all factors, ends the sessions and mails the person', async () => {
    const { userId, email, token } = await protectedUser();
    bodyOf(await stack.call('RecoveryCodes_Generate', {}, token));
    assertRefused(
      await stack.call('Users_ResetFactors', { UserID: userId }, token),
      403,
      'permission_denied',
    );
    for (let times = 0; times < 2; times++)
      assert.deepEqual(
        bodyOf(await stack.call('Users_ResetFactors', { UserID: userId }, stack.platformKey)),
        {},
      );
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    const { Token } = bodyOf(await login(stack, email));
    assert.deepEqual(await factorsOf(String(Token)), { Factors: [], RecoveryCodesLeft: 0 });
    await hasMail(email, /second sign-in steps were reset/);
    assert.equal(await actionsOf(userId, 'user.factors_reset'), 1);
  });

  test('Users_Delete deletes the factors, the recovery codes and the challenges', async () => {
    const { userId, email, token } = await protectedUser();
    bodyOf(await stack.call('RecoveryCodes_Generate', {}, token));
    await challengeOf(email);
    bodyOf(await stack.call('Users_Delete', { UserID: userId }, stack.platformKey));
    for (const table of ['totp_factor', 'recovery_code', 'login_challenge'])
      assert.equal(
        await countOf(stack, `identity.${table} where user_id = $1`, [userId]),
        0,
        table,
      );
  });
});
