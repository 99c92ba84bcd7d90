import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { type Op, startOp } from '../sso/oidc/op.ts';
import { type DnsServer, startDns } from '../support/dns-server.ts';
import { newName } from '../support/domains.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { caughtBy, mailTo, newAddress, password } from '../support/people.ts';
import { type Browser, openBrowser, photograph } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { followLink, newConsolePage } from './console-page.ts';
import { heading, hears, signIn } from './sign-in.ts';

// An administrator's way from an empty installation to a company that works. All changes are made
// in the browser; only mails, DNS records and received webhooks are read and set beside it.

const secret = 'a secret that is long enough for HMAC-SHA256';

describe('an administrator with an empty installation', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let dns: DnsServer;
  let op: Op;
  const problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    [dns, op] = await Promise.all([
      startDns(),
      startOp({ clients: [] }),
      buildConsole(assert.fail),
    ]);
    const settings = {
      BAILIWICK_PUBLIC_URL: `http://127.0.0.1:${ports.gateway.rpc}`,
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_DNS_RESOLVERS: dns.address,
    };
    stack = await startStack('one process', settings, { ports });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await Promise.all([stack?.stop(), op?.stop(), dns?.stop()]);
  });

  const newPage = () => newConsolePage(browser, stack.url, problems);
  const linkTo = async (email: string, path: string, mails: number): Promise<string> => {
    const { Links } = await mailTo(stack, email, mails);
    const link = Links.find((one) => one.startsWith(`${stack.url}/${path}`));
    assert.ok(link, `no link to ${path}`);
    return link;
  };
  /** The step as a picture in test/artifacts. */
  const picture = (page: Page, step: string) => photograph(page, `console-walk-${step}`);

  test('comes to people in groups with a role, a provider, an app and a verified webhook', async () => {
    const page = await newPage();
    const dialog = page.getByRole('dialog');
    const view = (name: string) => followLink(page, name);
    const [owner, colleague] = [newAddress('owner'), newAddress('colleague')];

    // The account of the owner.
    await page.goto(stack.url);
    await page.getByRole('link', { name: 'Open the console' }).click();
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByLabel('E-mail address').fill(owner);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Create the account' }).click();
    await page.getByRole('heading', { name: 'Confirm your address' }).waitFor();
    const verify = await page.context().newPage();
    await verify.goto(await linkTo(owner, 'verify', 1));
    await verify.getByRole('button', { name: 'Verify my address' }).click();
    await hears(verify, /is verified/);
    await verify.close();
    await page.getByRole('button', { name: 'I have confirmed it' }).click();
    await heading(page, 'Welcome to Bailiwick');

    // The organisation, and a colleague who comes by invitation.
    await page.getByLabel('Name of the organisation').fill('Acme');
    await page.getByRole('button', { name: 'Create the organisation' }).click();
    await heading(page, 'Acme');
    await picture(page, 'overview');
    await view('Members');
    await page.getByRole('tab', { name: 'Invitations' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail address').fill(colleague);
    await page.getByRole('button', { name: 'Send the invitation' }).click();
    await page.getByRole('row').filter({ hasText: colleague }).getByText('open').waitFor();
    const guest = await newPage();
    await guest.goto(await linkTo(colleague, 'invitation', 1));
    await guest.getByLabel('No, I create one').check();
    await guest.getByLabel('Password').fill(password);
    await guest.getByRole('button', { name: 'Create the account' }).click();
    await heading(guest, 'Welcome');

    // A role, a group that holds it, and the colleague in the group.
    await view('Roles');
    await page.getByRole('button', { name: 'Add a role' }).click();
    await dialog.getByLabel('Short name').fill('report-editor');
    await dialog.getByRole('combobox', { name: 'Permissions' }).fill('app.reports.*');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Description').click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row').filter({ hasText: 'report-editor' }).waitFor();
    await view('Groups');
    await page.getByRole('button', { name: 'Add a group' }).first().click();
    await dialog.getByLabel('Path').fill('engineering');
    await dialog.getByRole('button', { name: 'Add a group' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('treeitem', { name: 'engineering' }).click();
    await page.getByRole('combobox', { name: 'Add a person' }).fill(colleague);
    await page.getByRole('option', { name: colleague }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('row').filter({ hasText: colleague }).waitFor();
    await view('Roles');
    await page.getByRole('tab', { name: 'Grants' }).click();
    await page.getByLabel('Roles of').selectOption('groups');
    await page.getByRole('button', { name: 'Give a role' }).click();
    await dialog.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'engineering', exact: true }).click();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'report-editor' }).click();
    await dialog.getByText('These would gain').waitFor();
    await dialog.getByText(colleague).waitFor();
    await picture(page, 'what-if');
    await dialog.getByRole('button', { name: 'Give a role' }).click();
    await page.getByRole('row').filter({ hasText: 'report-editor' }).waitFor();

    // Why may the colleague delete reports?
    await view('Check access');
    await page.getByRole('combobox', { name: 'Person or bot' }).fill(colleague);
    await page.getByRole('option', { name: colleague }).click();
    await page.getByRole('combobox', { name: 'Permission' }).fill('app.reports.delete');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Yes, this is allowed').waitFor();
    await picture(page, 'why');

    // The domain and the provider of the company.
    const domain = newName();
    await view('Domains');
    await page.getByRole('button', { name: 'Add a domain' }).click();
    await dialog.getByLabel('Domain').fill(domain);
    await dialog.getByRole('button', { name: 'Add a domain' }).click();
    await dialog.getByText('Publish this record').waitFor();
    const [, name = '', value = ''] = await dialog.locator('code').allInnerTexts();
    dns.set(name, { txt: [value] });
    await dialog.getByText('The domain is verified').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await view('Single sign-on');
    await page.getByRole('link', { name: 'Set up a provider' }).click();
    await page.getByRole('link', { name: 'Okta' }).click();
    const redirect = page.getByText(/\/auth\/.*\/callback$/);
    op.setClient({ id: 'bailiwick', redirectUris: [await redirect.innerText()], secret });
    await page.getByLabel('Issuer').fill(op.issuer);
    await page.getByLabel('Client ID').fill('bailiwick');
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await heading(page, 'Okta');
    await page.getByRole('button', { name: 'Test now' }).click();
    const tests = page.getByRole('region', { name: 'Test' });
    await tests.getByRole('button', { name: 'Enable' }).click();
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('People can sign in through this provider.').waitFor();
    await picture(page, 'provider');

    // An app that signs in with Bailiwick.
    await view('Apps');
    await page.getByRole('link', { name: 'Add an app' }).click();
    await page.getByRole('link', { name: 'Grafana' }).click();
    await page.getByLabel('Address of Grafana').fill('https://metrics.example.com/');
    await page.getByRole('button', { name: 'Create the app' }).click();
    await dialog.getByLabel('grafana.ini', { exact: true }).waitFor();
    await picture(page, 'app');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await heading(page, 'Grafana');

    // A webhook whose signature the receiver verifies.
    await view('Webhooks');
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await dialog.getByLabel('Name').fill('Audit log');
    await dialog.getByLabel('Address').fill(`${stack.inboxUrl}/hooks/walk`);
    await dialog.getByRole('combobox', { name: 'Events' }).fill('group.*');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Name').click();
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByText('Copy it now').waitFor();
    const signing = await page.getByLabel('Secret', { exact: true }).innerText();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The receiver accepted the test').waitFor();
    const [caught] = await caughtBy(stack, 'walk', signing);
    assert.equal(caught?.SignatureValid, true);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await picture(page, 'webhook');

    // The colleague's view, and the steps that are done.
    await view('Overview');
    await page.getByText('Done').first().waitFor();
    await guest.goto(`${stack.url}/console`);
    if (guest.url().includes('/login')) await signIn(guest, colleague, password);
    await heading(guest, 'Acme');
    assert.deepEqual(problems, []);
  });
});
