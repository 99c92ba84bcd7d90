import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addPerson, createBroken, requireByDomain, requirementOf } from '../sso/recovery.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { password } from '../support/people.ts';
import { addTotp, totp } from '../support/totp.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { heading, hears } from './sign-in.ts';

// An owner whose organisation requires an identity provider that does not work.

const unknown = 'k7m2p-9xq4t-3hj6w-b8nvz';
const offer = 'The identity provider does not work: use a recovery code';
const codeLabel = 'Recovery code of the organisation';

describe('a recovery code on the sign-in page', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  before(async () => {
    [stack, browser] = await Promise.all([
      startStack('one process', { BAILIWICK_LIMITS: 'off', BAILIWICK_CONSOLE: 'false' }),
      openBrowser(),
    ]);
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  test('an owner signs in with password, code and authenticator app', async () => {
    const { home, codes } = await createBroken(stack);
    const ada = await addPerson(stack, home, 'owner');
    const { secret } = await addTotp(stack, ada.token);
    await requireByDomain(stack, home);
    const page = await browser.newPage();
    await page.goto(`${stack.url}/login`);
    await page.getByLabel('E-mail address').fill(ada.email);
    await page.getByRole('button', { name: 'Use a password instead' }).click();
    await page.getByRole('button', { name: offer }).click();
    await assertAccessible(page);
    await photograph(page, 'recovery-code');
    const submit = async (code: string) => {
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByLabel(codeLabel).fill(code);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await submit('');
    await hears(page, /enter a recovery code of the organisation/i);
    await submit(unknown);
    await hears(page, /does not own the organisation/i);
    await assertAccessible(page);
    await submit(codes[0] ?? '');
    await page.getByLabel('Code from your authenticator app').fill(totp(secret));
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await heading(page, 'You are signed in');
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, codes.length - 1);
  });

  test('the page offers no code where no organisation has a sign-in of its own', async () => {
    const page = await browser.newPage();
    await page.goto(`${stack.url}/login`);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByRole('button', { name: 'Use a password instead' }).click();
    await page.locator('main:not([aria-busy=true])').waitFor();
    await page.getByLabel('Password', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: offer }).isVisible(), false);
  });

  test('the page of a failed sign-in leads to the field for the code, and on to where the user was going', async () => {
    const { home, provider, codes } = await createBroken(stack);
    const ada = await addPerson(stack, home, 'owner');
    await requireByDomain(stack, home);
    const page = await browser.newPage();
    await page.goto(`${stack.url}/auth/${home.tenant}/${provider.ID}/login?return_to=/factors`);
    await page.getByRole('link', { name: offer }).click();
    await page.getByLabel('E-mail address').fill(ada.email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel(codeLabel).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${stack.url}/factors`);
    await heading(page, 'Your authenticator apps');
  });
});
