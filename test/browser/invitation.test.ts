import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { inviter, newGuest, type Person } from '../support/invitations.ts';
import { choosePorts } from '../support/own-stack.ts';
import { mailsTo, mailTo, password, signUp } from '../support/people.ts';
import { countOf } from '../support/store.ts';
import { addTotp, totp } from '../support/totp.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { focusedId, heading, hears, tabTo } from './sign-in.ts';

// The invitation page, below a path prefix, used with the keyboard alone.

describe('the invitation page', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let use: ReturnType<typeof inviter>;
  let owner: Person;
  let Tenant: string;
  before(async () => {
    const ports = await choosePorts();
    const publicUrl = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    stack = await startStack(
      'one process',
      { BAILIWICK_PUBLIC_URL: publicUrl, BAILIWICK_LIMITS: 'off' },
      { ports },
    );
    browser = await openBrowser();
    use = inviter(stack);
    owner = await signUp(stack);
    Tenant = await use.tenantOf(owner);
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  /**
   * Opens the link in the newest mail to an address, in a new visitor's browser or in a second tab.
   */
  async function follow(
    email: string,
    mails: number,
    path: string,
    context?: BrowserContext,
  ): Promise<Page> {
    const link = (await mailTo(stack, email, mails)).Links.find(
      (candidate) =>
        candidate.startsWith(`${stack.url}/iam/${path}`) && candidate.includes('#token='),
    );
    assert.ok(link, `no link to ${path} in the mail`);
    const page = await (context?.newPage() ?? browser.newPage());
    await page.goto(link);
    return page;
  }
  async function fillIn(page: Page, email: string): Promise<void> {
    await tabTo(page, 'email');
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
  }
  /** Signs in like the product's pages: the session is a cookie. */
  async function signIn(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
    const { href, origin } = new URL('Account_Login', page.url());
    const request = { Email: email, Password: password, Cookie: true };
    assert.equal(
      (await page.request.post(href, { data: request, headers: { origin } })).status(),
      200,
    );
    await page.reload();
  }
  async function assertGood(page: Page, name: string): Promise<void> {
    await assertAccessible(page);
    await photograph(page, `invitation-${name}`);
  }
  const members = () =>
    countOf(stack, `access.tenant_member where tenant = $1 and source = 'invitation'`, [Tenant]);

  for (const finish of ['first', 'second'] as const) {
    test(`a user without an account registers, verifies in another tab, and finishes in the ${finish}`, async () => {
      const before = await members();
      const email = newGuest();
      await use.invite(Tenant, email, owner.token);
      const page = await follow(email, 1, 'invitation');
      await page.reload();
      await page.locator('#entry').waitFor();
      // A reload restores the token, and the address bar does not show it.
      assert.equal(page.url(), `${stack.url}/iam/invitation?tenant=${Tenant}`);
      await assertGood(page, 'entry');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowDown');
      await page.getByRole('button', { name: 'Create the account' }).waitFor();
      await fillIn(page, email);
      await page.locator('#confirm').waitFor();
      assert.equal(await focusedId(page), 'confirm-title');
      await assertGood(page, 'confirm');

      const verify = await follow(email, 2, 'verify', page.context());
      await verify.keyboard.press('Tab');
      await verify.keyboard.press('Enter');
      await verify.getByRole('link', { name: 'Continue with your invitation' }).waitFor();
      assert.equal(await verify.locator('main').getByRole('link').count(), 1);
      await assertGood(verify, 'verified');
      if (finish === 'first') {
        await page.bringToFront();
        await hears(page, /Your address is confirmed/);
        assert.equal(await focusedId(page), 'go-on');
        await page.keyboard.press('Enter');
      } else {
        await verify.keyboard.press('Enter');
        await verify.locator('#entry').waitFor();
        await fillIn(verify, email);
      }
      const last = finish === 'first' ? page : verify;
      await heading(last, 'Welcome');
      await hears(last, /You have accepted the invitation/);
      await assertGood(last, 'welcome');
      assert.equal(await members(), before + 1);
      assert.equal(await last.evaluate('sessionStorage.length'), 0);
      // The session is in a cookie that the page cannot read.
      assert.equal(await last.evaluate('document.cookie'), 'bailiwick_locale=en');
    });
  }

  test('a user who comes from the mail registers without a second mail, and is in', async () => {
    const before = await members();
    const email = newGuest();
    await use.invite(Tenant, email, owner.token);
    const page = await follow(email, 1, 'invitation');
    await page.getByText(`to Acme, as member. The invitation is for ${email}.`).waitFor();
    await page.getByLabel('No, I create one').check();
    assert.equal(await page.getByLabel('E-mail address').inputValue(), email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await heading(page, 'Welcome');
    await page.getByRole('link', { name: 'Continue' }).click();
    await heading(page, 'You are signed in');
    assert.equal(await members(), before + 1);
    assert.equal((await mailsTo(stack, email)).length, 1);
  });

  test('a signed-in user accepts with one key, and a user with another address learns which one to use', async () => {
    const [guest, other] = [await signUp(stack, newGuest()), await signUp(stack, newGuest())];
    for (const { email } of [guest, other]) await use.invite(Tenant, email, owner.token);
    const before = await members();
    const page = await follow(guest.email, 2, 'invitation');
    await signIn(page, other);
    await page.locator('#known').waitFor();
    await assertGood(page, 'known');
    await tabTo(page, 'accept');
    await page.keyboard.press('Enter');
    await hears(
      page,
      /^This invitation is for another address: sign in with the address that it was sent to\.$/,
    );
    await assertGood(page, 'another-address');
    assert.equal(await focusedId(page), 'email');
    await fillIn(page, guest.email);
    await heading(page, 'Welcome');
    assert.equal(await members(), before + 1);
  });

  test('a user with an authenticator app accepts after the code', async () => {
    const guest = await signUp(stack, newGuest());
    const { secret } = await addTotp(stack, guest.token);
    // The mail about the app: the newest one is to be the invitation.
    await mailTo(stack, guest.email, 2);
    await use.invite(Tenant, guest.email, owner.token);
    const page = await follow(guest.email, 3, 'invitation');
    await page.locator('#entry').waitFor();
    await fillIn(page, guest.email);
    await page.locator('#second').waitFor();
    assert.equal(await focusedId(page), 'totp');
    await assertGood(page, 'second-factor');
    await page.keyboard.type(totp(secret));
    await page.keyboard.press('Enter');
    await heading(page, 'Welcome');
  });

  test('declining needs a confirmation, and a used link shows a message', async () => {
    const guest = await signUp(stack, newGuest());
    await use.invite(Tenant, guest.email, owner.token);
    const page = await follow(guest.email, 2, 'invitation');
    await signIn(page, guest);
    await page.locator('#refuse').waitFor();
    await tabTo(page, 'decline');
    await page.keyboard.press('Enter');
    assert.equal(await focusedId(page), 'really');
    await assertGood(page, 'sure');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal(await focusedId(page), 'decline');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await heading(page, 'Declined');
    assert.equal((await use.statuses(Tenant))[0], 'declined');

    const dead = await follow(guest.email, 2, 'invitation', page.context());
    await dead.locator('#known').waitFor();
    await tabTo(dead, 'accept');
    await dead.keyboard.press('Enter');
    await hears(dead, /no longer valid/);
  });
});
