import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, mailTo, newAddress, password, signUp, tokenIn } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn } from './console-page.ts';
import { signIn } from './sign-in.ts';
import { addAuthenticator } from './virtual-authenticator.ts';

// A user's own account in the console. Passkeys need a host name: browsers allow localhost.

describe("a user's own account in the console", { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let base: string;
  let problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    base = `http://localhost:${ports.gateway.rpc}/iam`;
    await buildConsole(assert.fail);
    const settings = { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' };
    stack = await startStack('one process', settings, { ports });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });

  async function openView(view: string, email: string): Promise<Page> {
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${base}/account/${view}`, email, password);
    return page;
  }

  const grow = (id: string) =>
    rowsOf(
      stack,
      `update identity.session set created_at = created_at - interval '1 hour',
         proven_at = proven_at - interval '1 hour' where user_id = $1`,
      [id],
    );

  test('a passkey is added, asked for where a sign-in is too old, renamed and removed', async () => {
    const { id, email } = await signUp(stack);
    const page = await openView('security', email);
    const dialog = page.getByRole('dialog');
    const authenticator = await addAuthenticator(page);
    await assertGood(page, 'security');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name of the passkey').fill('My <b>laptop</b>');
    await assertGood(page, 'security-passkey');
    await authenticator.approve(true);
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    // The first factor comes with recovery codes.
    await page.getByRole('button', { name: 'I have stored it' }).waitFor();
    await assertGood(page, 'security-codes');
    const codes = await page.getByLabel('Secret', { exact: true }).innerText();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const file = await download;
    assert.equal(file.suggestedFilename(), 'recovery-codes.txt');
    assert.equal(readFileSync(await file.path(), 'utf8'), `${codes}\n`);
    await page.evaluate('globalThis.print = () => document.body.setAttribute("data-printed", "")');
    await page.getByRole('button', { name: 'Print' }).click();
    await page.locator('body[data-printed]').waitFor();
    // Paper shows the codes and whose they are, and no button.
    await page.emulateMedia({ media: 'print' });
    await page.getByText('Bailiwick: Recovery codes').waitFor();
    assert.ok(await page.getByLabel('Secret', { exact: true }).isVisible());
    assert.ok(!(await page.getByText('I have stored it').isVisible()));
    await photograph(page, 'console-codes-on-paper');
    await page.emulateMedia({ media: 'screen' });
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Unused codes: 10.').waitFor();

    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByLabel('Name of the passkey').fill('Again');
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByText('This device has a passkey for your account already.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Actions My <b>laptop</b>' }).click();
    await page.getByRole('menuitem', { name: 'Rename My <b>laptop</b>' }).click();
    await dialog.getByLabel('New name').fill('Phone');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The passkey has a new name.').waitFor();

    await grow(id);
    await authenticator.approve(false);
    await page.getByRole('button', { name: 'Actions Phone' }).click();
    await page.getByRole('menuitem', { name: 'Remove Phone' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByRole('button', { name: 'Use your passkey' }).waitFor();
    await assertGood(page, 'proof-passkey');
    await proof.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await proof.getByLabel('Recovery code').fill('wrong-codes');
    await proof.getByRole('button', { name: 'Confirm' }).click();
    await proof.getByText('The code is wrong.').waitFor();
    await assertGood(page, 'proof-code');
    await authenticator.approve(true);
    await proof.getByRole('button', { name: 'Use your passkey instead' }).click();
    await proof.getByRole('button', { name: 'Use your passkey', exact: true }).click();
    await page.getByText('Phone was removed.').waitFor();
    assert.equal(await countOf(stack, 'identity.passkey where user_id = $1', [id]), 0);
  });

  test('the pages of factors and passkeys lead here, unless they lead on to an application', async () => {
    const { email } = await signUp(stack);
    const page = await openView('sessions', email);
    for (const name of ['factors', 'passkeys']) {
      await page.goto(`${base}/${name}`);
      await page.waitForURL(`${base}/account/security`);
      await page.getByRole('heading', { level: 1, name: 'Sign-in and security' }).waitFor();
      await page.goto(`${base}/${name}?enrol=1`);
      await page.getByRole('heading', { level: 1, name: /^Your / }).waitFor();
      assert.equal(page.url(), `${base}/${name}?enrol=1`);
    }
    await page.context().close();
  });

  test('a form stays as it is while its user signs in again for it', async () => {
    const { id, email } = await signUp(stack);
    const page = await openView('security', email);
    const dialog = page.getByRole('dialog', { name: 'Add an app' });
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await page.getByRole('button', { name: 'Add an app' }).click();
    await dialog.getByLabel('Name of the app').fill('Kept');
    await grow(id);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await proof.getByRole('link', { name: 'Sign in again' }).waitFor();
    await assertGood(page, 'proof-again');
    // Escape closes the upper dialog only.
    await page.keyboard.press('Escape');
    await proof.waitFor({ state: 'hidden' });
    await dialog.getByText('Confirm that it is you first').waitFor();
    assert.equal(await dialog.getByLabel('Name of the app').inputValue(), 'Kept');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      proof.getByRole('link', { name: 'Sign in again' }).click(),
    ]);
    await signIn(tab, email, password);
    await tab.waitForURL(`${base}/account/security`);
    await tab.close();
    await proof.getByRole('button', { name: 'I have signed in' }).click();
    await dialog.getByRole('img', { name: 'QR code of the key' }).waitFor();
    await dialog.getByLabel('Code that the app shows').fill('000 000');
    await assertGood(page, 'security-app');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('The code is wrong.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [id]), 3);
  });

  test('the password and the address change only with the current password', async () => {
    const { id, email, token } = await signUp(stack);
    const page = await openView('security', email);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Change the password' }).click();
    await dialog.getByLabel('Current password').fill('not this one');
    await dialog.getByLabel('New password').fill('short');
    await dialog.getByRole('button', { name: 'Change the password' }).click();
    await dialog.getByText('Use at least 8 characters.').waitFor();
    const next = 'another long passphrase';
    await dialog.getByLabel('New password').fill(next);
    await dialog.getByRole('button', { name: 'Change the password' }).click();
    await dialog.getByText('This is not your password.').waitFor();
    await assertGood(page, 'security-password');
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('Your password was changed.').waitFor();
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    // The calls of the page have that of the dialog, with dots in place of the passwords.
    await page.getByRole('button', { name: 'The same by API' }).click();
    await dialog.getByText(/Account_ChangePassword' \\/).waitFor();
    assert.equal(await dialog.getByText(next).count(), 0);
    await assertGood(page, 'security-api');

    await page.goto(`${base}/account`);
    await page.getByRole('button', { name: 'Change the address' }).click();
    const address = newAddress('moved');
    await dialog.getByLabel('New address').fill(address);
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Change the address' }).click();
    await dialog.getByText('This is not your password.').waitFor();
    await assertGood(page, 'address');
    await dialog.getByLabel('Current password').fill(next);
    await dialog.getByRole('button', { name: 'Change the address' }).click();
    await page.getByText(`A mail is on its way to ${address}.`).waitFor();
    await assertGood(page, 'address-mailed');
    const Token = tokenIn(await mailTo(stack, address));
    assert.equal((await stack.call('Account_Verify', { Token })).status, 200);
    await page.reload();
    await page.getByText(address).waitFor();
    const [row] = await rowsOf<{ email: string }>(
      stack,
      'select email from identity.user_account where id = $1',
      [id],
    );
    assert.equal(row?.email, address);
  });

  test('a user sees why they have a permission, answers an offer, and leaves a tenant', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Offering');
    const { id, email, token } = await signUp(stack);
    await createTenant(stack, token, 'Own');
    const added = { Tenant: tenant, UserID: id };
    assert.equal((await stack.call('TenantMembers_Add', added, owner.token)).status, 200);
    const third = await signUp(stack);
    const inviting = await createTenant(stack, third.token, 'Inviting');
    const invitation = { Tenant: inviting, Email: email };
    const invited = await stack.call('TenantInvitations_Create', invitation, third.token);
    assert.equal(invited.status, 200);
    const page = await openView('tenants', email);
    await page.getByRole('heading', { name: 'Offering invites you' }).waitFor();
    const mailed = page.getByRole('region', { name: 'An invitation waits in your mail' });
    await mailed.getByText(inviting).waitFor();
    await assertGood(page, 'offer');
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('You belong to Offering now.').waitFor();
    await page.getByRole('link', { name: 'Own access' }).click();
    await page.getByLabel('Organisation', { exact: true }).selectOption('Own');
    await page.getByRole('link', { name: 'iam.*' }).click();
    await page.getByText('Yes, this is allowed').waitFor();
    await page.getByLabel('The way to this permission').getByText('owner').waitFor();
    await assertGood(page, 'own-access');
    // The address alone leads to the same view.
    await page.reload();
    await page.getByText('Yes, this is allowed').waitFor();

    await page.getByRole('link', { name: 'Organisations' }).click();
    await page.getByRole('button', { name: 'Leave Own' }).click();
    await page.getByLabel('Type Own to confirm').fill('Own');
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByText('This is not possible now').waitFor();
    await assertGood(page, 'leave-refused');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Leave Offering' }).click();
    await page.getByLabel('Type Offering to confirm').fill('Offering');
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('You have left Offering.').waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Offering' }).count(), 0);
  });
});
