import assert from 'node:assert/strict';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { choosePorts, type Stack, startStack } from '../harness.ts';
import { inviter, newGuest, type Person } from '../invitations.ts';
import { mailTo, password, signUp } from '../people.ts';
import { countOf } from '../store.ts';
import { type Browser, chromiumPath, type Page, startBrowser } from './chromium.ts';

// The page behind the link of an invitation, below a path prefix, used with the keyboard alone.

const skip = chromiumPath === undefined && 'THE PAGES ARE NOT TESTED: this host has no Chromium (set BAILIWICK_TEST_CHROMIUM to one)';

describe('the page of an invitation', { skip }, () => {
  let stack: Stack;
  let browser: Browser;
  let use: ReturnType<typeof inviter>;
  let owner: Person;
  let Tenant: string;
  before(async () => {
    const ports = await choosePorts();
    const publicUrl = `http://127.0.0.1:${ports.gateway.rpc}/iam`;
    stack = await startStack('one process', { BAILIWICK_PUBLIC_URL: publicUrl, BAILIWICK_LIMITS: 'off' }, { ports });
    browser = await startBrowser(chromiumPath ?? '');
    use = inviter(stack);
    owner = await signUp(stack);
    Tenant = await use.tenantOf(owner);
  });
  after(async () => {
    await browser?.stop();
    await stack?.stop();
  });

  /** Opens the link of the newest mail to an address. */
  async function follow(email: string, mails: number, page: string): Promise<Page> {
    const link = (await mailTo(stack, email, mails)).Links.find((candidate) => candidate.startsWith(`${stack.url}/iam/${page}#token=`));
    assert.ok(link, `no link to ${page} in the mail`);
    return browser.open(link);
  }
  /** Goes to the element of this id or text by the Tab key. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let presses = 0; presses < 15; presses++) {
      if ((await page.focused()) === name) return;
      await page.press('Tab');
    }
    assert.fail(`the Tab key does not reach ${name}`);
  }
  async function fillIn(page: Page, email: string): Promise<void> {
    await tabTo(page, 'email');
    await page.write(email);
    await page.press('Tab');
    await page.write(password);
    await page.press('Enter');
  }
  /** Calls an operation as a page of ours does: the session is a cookie. */
  const call = (page: Page, operation: string, request: object) =>
    page.evaluate(
      `fetch('${operation}', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(request))} }).then(({ status }) => status)`,
    );
  async function signIn(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
    assert.equal(await call(page, 'Account_Login', { Email: email, Password: password, Cookie: true }), 200);
    await page.reload();
  }
  const photograph = async (page: Page, name: string) => {
    const folder = process.env['BAILIWICK_TEST_PHOTOGRAPHS'];
    if (folder) await page.photograph(path.join(folder, `${name}.png`));
  };
  const members = () => countOf(stack, `access.tenant_member where tenant = $1 and source = 'invitation'`, [Tenant]);

  test('a person without an account registers, verifies in another tab, and finishes in either', async () => {
    for (const finish of ['first', 'second'] as const) {
      const before = await members();
      const email = newGuest();
      await use.invite(Tenant, email, owner.token);
      const page = await follow(email, 1, 'invitation');
      // Whoever finished the round before is signed in still.
      await call(page, 'Account_Logout', {});
      await page.reload();
      await page.until(`document.getElementById('entry')?.hidden === false`);
      // A reload finds the token again, and nobody reads it in the address bar.
      assert.equal(await page.evaluate('location.href'), `${stack.url}/iam/invitation`);
      await photograph(page, `entry-${finish}`);
      await tabTo(page, 'sign-in');
      await page.press('ArrowDown');
      assert.equal(await page.evaluate(`document.querySelector('[type=submit]').textContent`), 'Create the account');
      await fillIn(page, email);
      await page.until(`document.activeElement.id === 'confirm-title'`);
      await photograph(page, `confirm-${finish}`);

      const verify = await follow(email, 2, 'verify');
      await tabTo(verify, 'Verify my address');
      await verify.press('Enter');
      await verify.until(`document.querySelector('.next').hidden === false`);
      await photograph(verify, `verified-${finish}`);
      if (finish === 'first') {
        await page.show();
        await page.until(`document.activeElement.id === 'go-on'`);
        await page.press('Enter');
      } else {
        await verify.press('Enter');
        await verify.until(`document.getElementById('entry')?.hidden === false`);
        await fillIn(verify, email);
      }
      const last = finish === 'first' ? page : verify;
      await last.until(`document.title === 'Welcome'`);
      assert.match(await last.text(), /You have accepted the invitation/);
      await photograph(last, `welcome-${finish}`);
      assert.equal(await members(), before + 1);
      assert.equal(await last.evaluate('sessionStorage.length'), 0);
      // The session is in a cookie that the page cannot read.
      assert.equal(await last.evaluate('document.cookie'), '');
    }
  });

  test('whoever is signed in accepts with one key, and with another address is told which one to take', async () => {
    const [guest, other] = [await signUp(stack, newGuest()), await signUp(stack, newGuest())];
    for (const { email } of [guest, other]) await use.invite(Tenant, email, owner.token);
    const before = await members();
    const page = await follow(guest.email, 2, 'invitation');
    await signIn(page, other);
    await page.until(`document.getElementById('known').hidden === false`);
    await photograph(page, 'known');
    await tabTo(page, 'accept');
    await page.press('Enter');
    await page.until(`document.querySelector('.failed')`);
    assert.match(await page.text(), /This invitation is for another address: sign in with the address that it was sent to\./);
    await photograph(page, 'another-address');
    assert.equal(await page.focused(), 'email');
    await fillIn(page, guest.email);
    await page.until(`document.title === 'Welcome'`);
    assert.equal(await members(), before + 1);
  });

  test('an invitation is declined after a second look, and a dead link says so', async () => {
    const guest = await signUp(stack, newGuest());
    await use.invite(Tenant, guest.email, owner.token);
    const page = await follow(guest.email, 2, 'invitation');
    await signIn(page, guest);
    await page.until(`document.getElementById('refuse').hidden === false`);
    await tabTo(page, 'decline');
    await page.press('Enter');
    assert.equal(await page.focused(), 'really');
    await photograph(page, 'sure');
    await page.press('Tab');
    await page.press('Enter');
    assert.equal(await page.focused(), 'decline');
    await page.press('Enter');
    await page.press('Enter');
    await page.until(`document.title === 'Declined'`);
    assert.equal((await use.statuses(Tenant))[0], 'declined');

    const dead = await follow(guest.email, 2, 'invitation');
    await dead.until(`document.getElementById('known').hidden === false`);
    await tabTo(dead, 'accept');
    await dead.press('Enter');
    await dead.until(`document.querySelector('.failed')`);
    assert.match(await dead.text(), /not valid any more/);
    const none = await browser.open(`${stack.url}/iam/invitation`);
    await none.until(`document.querySelector('.failed')`);
    assert.match(await none.text(), /This link is incomplete/);
  });
});
