import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { newIdentity } from '../../support/federation.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import {
  login,
  mailsTo,
  mailTo,
  password,
  signUp,
  tenantFor,
  tokenIn,
} from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { addTotp } from '../../support/totp.ts';

const required = ['second factor required'];

// A session proves a factor of ours only if the user has used one in it.
describeOne('the proof of a second factor', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  /** A user with an authenticator app, and a session that a provider opened, with its claim. */
  async function claimedSession(trust: 'address' | 'confirmed') {
    const user = await signUp(stack);
    const { Token } = bodyOf(await login(stack, user.email));
    const { id } = await addTotp(stack, user.token);
    const tenant = await tenantFor(stack, (await signUp(stack)).id);
    const provider = await newIdentity(stack, user.id, tenant, trust);
    const token = String(Token);
    await rowsOf(
      stack,
      `update identity.session set auth_method = 'oidc', sso_tenant = $2, provider = $3, assurance = 'phishing_resistant'
       where user_id = $1 and further_methods = '{}'`,
      [user.id, tenant, provider],
    );
    return { user, factor: id, token, provider };
  }

  test('a provider’s statement changes no factor of the user', async () => {
    const { factor, token } = await claimedSession('confirmed');
    for (const [operation, request] of [
      ['Factors_Remove', { ID: factor }],
      ['Factors_BeginTotp', { Name: 'Mine' }],
      ['RecoveryCodes_Generate', {}],
    ] as const)
      assertRefused(
        await stack.call(operation, request, token),
        403,
        'permission_denied',
        required,
      );
  });

  test('a provider’s statement and the password confirm no identity of a user with a factor', async () => {
    const { user, token, provider } = await claimedSession('address');
    const request = { UserID: user.id, Provider: provider, Password: password };
    assert.notEqual((await stack.call('Users_ConfirmIdentity', request, token)).status, 200);
    const [link] = await rowsOf<{ trust: string }>(
      stack,
      'select trust from identity.identity_link where user_id = $1',
      [user.id],
    );
    assert.equal(link?.trust, 'address');
  });

  test('a user without a password changes no factor without one either', async () => {
    const user = await signUp(stack);
    const other = String(bodyOf(await login(stack, user.email))['Token']);
    const { id } = await addTotp(stack, user.token);
    await rowsOf(stack, 'update identity.user_account set password_hash = null where id = $1', [
      user.id,
    ]);
    assertRefused(
      await stack.call('Factors_Remove', { ID: id }, other),
      403,
      'permission_denied',
      required,
    );
    bodyOf(await stack.call('Factors_Remove', { ID: id }, user.token));
  });

  test('the first password of an account drops social links that were made before it', async () => {
    const user = await signUp(stack);
    await rowsOf(stack, 'update identity.user_account set password_hash = null where id = $1', [
      user.id,
    ]);
    await rowsOf(
      stack,
      `insert into identity.identity_link (tenant, provider, issuer, subject, user_id, email, trust, lapsed, created_at, last_used_at)
       values ('', $2, 'https://social.example.com', $1, $1, '', 'confirmed', false, now(), now())`,
      [user.id, createId('sso')],
    );
    const links = () =>
      countOf(stack, "identity.identity_link where tenant = '' and user_id = $1", [user.id]);
    assert.equal(await links(), 1);
    const already = (await mailsTo(stack, user.email)).length;
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: user.email }));
    const Token = tokenIn(await mailTo(stack, user.email, already + 1));
    bodyOf(await stack.call('Account_ResetPassword', { Token, Password: 'an entirely new one' }));
    assert.equal(await links(), 0);
  });
});
