import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { eventually } from '../support/harness.ts';
import { login, mailsTo, signUp } from '../support/people.ts';
import { appOrigin } from '../support/shared.ts';
import { assertExpiresIn, rowsOf } from '../support/store.ts';
import { addTotp, totp } from '../support/totp.ts';
import { type Browser, startBrowser } from './browse.ts';
import { type ProviderRecord, refusalIn } from './home.ts';
import type { SocialStage } from './social-stage.ts';
import { account } from './stage.ts';

// Links between identities of the platform's providers and accounts that existed before.

/** `stageOf` is called after the suite has started it. */
export function testSocialLinks(stageOf: () => SocialStage): void {
  let stack: SocialStage['stack'];
  let google: ProviderRecord;
  let enter: SocialStage['enter'];
  let link: SocialStage['link'];
  let linksOf: SocialStage['linksOf'];
  before(() => {
    ({ stack, google, enter, link, linksOf } = stageOf());
  });

  test('an identity with the address of an account is linked after that account has signed in, in the same browser, once', async () => {
    const owner = await signUp(stack);
    const stranger = await signUp(stack);
    const returnTo = `${appOrigin}/back`;
    const browser = startBrowser();
    const { page, token } = await enter({ sub: 'l1', email: owner.email }, { browser, returnTo });
    const target = new URL(page.url);
    assert.deepEqual(
      [target.pathname, target.searchParams.get('return_to'), token],
      ['/login', returnTo, undefined],
    );
    assert.equal((await linksOf(owner.id, owner.token)).length, 0);

    const failed = async (by: string, from: Browser, message: RegExp) => {
      const answer = await link(by, from);
      assertRefused(answer, 400, 'failed_precondition');
      assert.match(String(answer.body['Message']), message);
    };
    // The session is older than the social sign-in.
    await failed(owner.token, browser, /^sign in again, so that the identity can be linked$/);
    const fresh = String(bodyOf(await login(stack, owner.email))['Token']);
    const foreign = String(bodyOf(await login(stack, stranger.email))['Token']);
    await failed(foreign, browser, /belongs to another account/);
    // Another browser does not have the cookie, and a token in the body does not count.
    await failed(fresh, startBrowser(), /no longer valid/);
    const inBody = { Token: browser.cookie('bailiwick_link') };
    assertRefused(
      await stack.call('Account_LinkIdentity', inBody, fresh),
      400,
      'failed_precondition',
    );

    const answers = await Promise.all(Array.from({ length: 200 }, () => link(fresh, browser)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.deepEqual(await linksOf(owner.id, fresh), [google.ID]);
    await failed(fresh, browser, /no longer valid/);
    await eventually('the notice', async () =>
      (await mailsTo(stack, owner.email)).some(({ Text }) => Text.includes('through Google, too')),
    );
    const linked = await enter({ sub: 'l1', email: owner.email });
    assert.equal((await account(stack, linked.token ?? '')).User.ID, owner.id);
    // Another subject with that address is another person.
    const second = refusalIn(await enter({ sub: 'l2', email: owner.email }));
    assert.match(second.Message, /linked to another identity of this provider/);
  });

  test('a user with a second factor uses it before a link', async () => {
    const owner = await signUp(stack);
    const second = await stageOf().provide('With a factor');
    const first = startBrowser();
    await enter({ sub: 'f1', email: owner.email }, { browser: first });
    const fresh = String(bodyOf(await login(stack, owner.email))['Token']);
    bodyOf(await link(fresh, first));
    const { secret } = await addTotp(stack, fresh);
    const browser = startBrowser();
    await enter({ sub: 'f1', email: owner.email }, { provider: second, browser });
    // Signed in after it, by the other provider alone.
    const { token = '' } = await enter({ sub: 'f1', email: owner.email });
    assertRefused(await link(token, browser), 403, 'permission_denied', ['second factor required']);
    const { Challenge } = bodyOf(await login(stack, owner.email));
    const answer = await stack.call('Account_CompleteLogin', { Challenge, Totp: totp(secret) });
    bodyOf(await link(String(bodyOf(answer)['Token']), browser));
    assert.equal((await linksOf(owner.id, token)).length, 2);
  });

  test('a link that waits is void after ten minutes, after a newer one, and after a change of address', async () => {
    const owner = await signUp(stack);
    const older = startBrowser();
    await enter({ sub: 'w1', email: owner.email }, { browser: older });
    const newer = startBrowser();
    await enter({ sub: 'w1', email: owner.email }, { browser: newer });
    const fresh = String(bodyOf(await login(stack, owner.email))['Token']);
    assertRefused(await link(fresh, older), 400, 'failed_precondition');
    const set = (column: string, expression: string) =>
      rowsOf(
        stack,
        `update identity.pending_link set ${column} = ${expression} where user_id = $1`,
        [owner.id],
      );
    await set('email_key', `'else@example.com'`);
    assertRefused(await link(fresh, newer), 400, 'failed_precondition');
    await set('email_key', `'${owner.email}'`);
    await assertExpiresIn(stack, 'pending_link', owner.id, 600);
    await set('expires_at', 'now()');
    assertRefused(await link(fresh, newer), 400, 'failed_precondition');
    assert.equal((await linksOf(owner.id, fresh)).length, 0);
  });

  test('Sso_DeleteProvider ends the sessions that a provider opened, and a later sign-in has to be linked again', async () => {
    const passing = await stageOf().provide('Passing');
    const owner = await signUp(stack);
    const browser = startBrowser();
    await enter({ sub: 'p1', email: owner.email }, { provider: passing, browser });
    const fresh = String(bodyOf(await login(stack, owner.email))['Token']);
    bodyOf(await link(fresh, browser));
    const { token = '' } = await enter({ sub: 'p1' }, { provider: passing });
    bodyOf(await stack.call('Account_Get', {}, token));
    bodyOf(await stack.call('Sso_DeleteProvider', { ID: passing.ID }, stack.platformKey));
    assertRefused(await stack.call('Account_Get', {}, token), 401, 'unauthenticated');
    bodyOf(await stack.call('Account_Get', {}, fresh));
    assert.equal((await linksOf(owner.id, fresh)).length, 0);
  });
}
