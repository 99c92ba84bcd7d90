import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeBoth, type Stack } from '../../support/harness.ts';
import { createTenant, login, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { ask, createApp, errorOf, relyOn, signInWith } from './stage.ts';
import { startVisitor } from './visitor.ts';

// What the issuer keeps of people and apps ends with the reply of the call that changes it. Each
// test uses it just before.

describeBoth('cached people and apps of the issuer', (topology) => {
  let stack: Stack;
  let ada: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  test('a replaced client secret is refused, and the new one is accepted', async () => {
    const app = await createApp(stack);
    const config = await relyOn(stack, app);
    const { tokens } = await signInWith(stack, config, ada.token);
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const { ClientSecret } = bodyOf(
      await stack.call('Apps_RotateSecret', { ID: app.ID }, stack.platformKey),
    ) as { ClientSecret: string };
    const token = next.refresh_token ?? '';
    assert.equal(await errorOf(client.refreshTokenGrant(config, token)), 'invalid_client');
    const renewed = await relyOn(stack, { ...app, secret: ClientSecret });
    assert.equal(await errorOf(client.refreshTokenGrant(renewed, token)), 'none');
  });

  test('a changed name is in the next ID token', async () => {
    const config = await relyOn(stack, await createApp(stack));
    const { tokens } = await signInWith(stack, config, ada.token);
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    bodyOf(await stack.call('Account_Update', { User: { Name: 'Ada Byron' } }, ada.token));
    const last = await client.refreshTokenGrant(config, next.refresh_token ?? '');
    assert.equal(last.claims()?.['name'], 'Ada Byron');
  });

  test('a new tenant of the person is offered', async () => {
    const config = await relyOn(stack, await createApp(stack));
    const { token } = await signUp(stack);
    const tenantIn = async () =>
      (await signInWith(stack, config, token)).tokens.claims()?.['tenant'];
    assert.equal(await tenantIn(), undefined);
    const first = await createTenant(stack, token);
    assert.equal(await tenantIn(), first);
    await createTenant(stack, token);
    // Another app, for which the person has not chosen yet.
    const other = await relyOn(stack, await createApp(stack));
    const page = await startVisitor(stack, token).open((await ask(other)).url);
    assert.match(page.text, /Choose an organisation/);
  });

  test('a session that has ended gives no code', async () => {
    const config = await relyOn(stack, await createApp(stack));
    const session = String(bodyOf(await login(stack, ada.email))['Token']);
    await signInWith(stack, config, session);
    bodyOf(await stack.call('Account_Logout', {}, session));
    const page = await startVisitor(stack, session).open((await ask(config)).url);
    assert.equal(page.url.pathname, '/login');
  });
});
