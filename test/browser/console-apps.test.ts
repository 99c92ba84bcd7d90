import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { after, afterEach, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn, saveBar } from './console-page.ts';
import { heading, signIn } from './sign-in.ts';

// The apps of tenants and of the platform in the console.

const run = promisify(execFile);
const markup = '<img src=x onerror=alert(1)>';

describe('the apps in the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let problems: string[] = [];
  const { newOperator } = supportCalls(() => stack);
  before(async () => {
    await buildConsole(assert.fail);
    stack = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
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
  const newPage = () => newConsolePage(browser, stack.url, problems);

  async function newOwner() {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Acme');
    const { body } = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const { Slug } = body['Tenant'] as { Slug: string };
    const list = async () => {
      const answer = await stack.call('Apps_List', { Tenant: tenant }, owner.token);
      return (answer.body['Page'] as { Items: Array<Record<string, unknown>> }).Items;
    };
    return { ...owner, tenant, list, view: `${stack.url}/console/t/${Slug}/apps` };
  }
  type Owner = Awaited<ReturnType<typeof newOwner>>;
  async function newApp({ tenant, token }: Owner, values: object = {}) {
    const App = {
      Tenant: tenant,
      Name: 'Shop',
      Kind: 'web',
      RedirectURIs: ['https://shop.example.com/callback'],
      ...values,
    };
    const { status, body } = await stack.call('Apps_Save', { App }, token);
    assert.equal(status, 200, JSON.stringify(body));
    return body['App'] as { ID: string };
  }

  test('Grafana is connected from its address, and its secret is shown once in its configuration', async () => {
    const owner = await newOwner();
    const page = await newPage();
    await openSignedIn(page, owner.view, owner.email, password);
    await page.getByText('There are no apps yet').waitFor();
    await assertGood(page, 'apps-empty');
    await page.getByRole('link', { name: 'Add an app' }).click();
    await page.getByText('Applications with a ready configuration').waitFor();
    await assertGood(page, 'apps-choose');
    await page.getByRole('link', { name: 'Grafana' }).click();
    await page.getByRole('button', { name: 'Create the app' }).click();
    await page.getByText(/^Enter an address such as/).waitFor();
    await page.getByLabel('Address of Grafana').fill('https://metrics.example.com/');
    const redirect = 'https://metrics.example.com/login/generic_oauth';
    await page.getByText(redirect, { exact: true }).waitFor();
    await assertGood(page, 'apps-grafana');
    await page.getByRole('button', { name: 'Create the app' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.getByLabel('Secret', { exact: true }).innerText();
    assert.match(secret, /^bwka_/);
    const configuration = await dialog.getByLabel('grafana.ini', { exact: true }).innerText();
    assert.ok(configuration.includes(`client_secret = ${secret}`));
    assert.ok(configuration.includes('root_url = https://metrics.example.com\n'));
    await page.keyboard.press('Escape');
    await assertGood(page, 'apps-secret');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('heading', { name: 'Grafana', exact: true }).waitFor();
    await page.getByText(stack.url, { exact: true }).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await assertGood(page, 'apps-connect');
    const [app] = await owner.list();
    assert.deepEqual(app?.['RedirectURIs'], [redirect]);
    assert.deepEqual(app?.['PostLogoutRedirectURIs'], ['https://metrics.example.com/login']);
  });

  test('the program of a service, copied from the console, gets a token', async () => {
    const owner = await newOwner();
    const page = await newPage();
    await openSignedIn(page, `${owner.view}/new?kind=service`, owner.email, password);
    await page.getByLabel('Name').fill(markup);
    await page.getByRole('button', { name: 'Create the app' }).click();
    const dialog = page.getByRole('dialog');
    const secret = await dialog.getByLabel('Secret', { exact: true }).innerText();
    const code = await dialog.getByLabel('openid-client', { exact: true }).innerText();
    // The library accepts http only if it is told to.
    const program = `${code.replace(
      '  client.ClientSecretBasic(process.env.CLIENT_SECRET),',
      '$&\n  { execute: [client.allowInsecureRequests] },',
    )}\nconsole.log(tokens.token_type, tokens.access_token.length > 20);`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: path.join(import.meta.dirname, '..'),
      env: { ...process.env, CLIENT_SECRET: secret },
    });
    assert.equal(stdout.trim(), 'bearer true');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    assert.equal(await heading(page, markup), markup);
    assert.equal(await page.locator('img').count(), 0);
  });

  test('a framework gets the values of the app, and the address that the app lacks', async () => {
    const owner = await newOwner();
    const { ID } = await newApp(owner);
    const page = await newPage();
    await openSignedIn(page, `${owner.view}/${ID}`, owner.email, password);
    await page.getByLabel('Framework or application').selectOption('Express');
    const values = await page.getByLabel('.env', { exact: true }).innerText();
    assert.deepEqual(values.split('\n'), [
      `ISSUER=${stack.url}`,
      `CLIENT_ID=${ID}`,
      'CLIENT_SECRET=<client secret>',
      'APP_URL=https://shop.example.com',
    ]);
    const guide = page.getByRole('link', { name: 'The whole program for Express' });
    assert.match((await guide.getAttribute('href')) ?? '', /guides\/add-sign-in\/#express$/);
    assert.equal(await page.getByText('The program returns to').count(), 0);
    await assertGood(page, 'apps-framework');

    const RedirectURIs = ['https://shop.example.com/other'];
    const App = { Tenant: owner.tenant, ID, RedirectURIs };
    assert.equal((await stack.call('Apps_Save', { App }, owner.token)).status, 200);
    await page.reload();
    await page.getByLabel('Framework or application').selectOption('Next.js');
    await page.getByText('returns to https://shop.example.com/callback: add it').waitFor();
  });

  test('two administrators edit an app, a wrong address is refused, and an old sign-in is renewed in place', async () => {
    const owner = await newOwner();
    const { ID } = await newApp(owner);
    const page = await newPage();
    await openSignedIn(page, `${owner.view}/${ID}/settings`, owner.email, password);
    await page.getByLabel('Lifetime of access tokens').fill('600');
    const theirs = { Tenant: owner.tenant, ID, Name: 'Market' };
    const save = (App: object) => stack.call('Apps_Save', { App }, owner.token);
    assert.equal((await save(theirs)).status, 200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Market was saved.').waitFor();
    assert.equal((await owner.list())[0]?.['TokenLifetimeSeconds'], 600);

    await page.getByLabel('Name').fill('Mine');
    assert.equal((await save({ ...theirs, Name: 'Theirs' })).status, 200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another person has changed this meanwhile').waitFor();
    await assertGood(page, 'apps-conflict');
    await page.getByRole('button', { name: 'Go on with mine' }).click();
    const redirects = page.getByRole('combobox', { name: 'Redirect addresses' });
    await redirects.fill('ftp://shop.example.com');
    await redirects.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('App.RedirectURIs[1] must begin with https://').waitFor();
    assert.ok(
      await redirects.evaluate((element) => element === element.ownerDocument.activeElement),
    );
    await redirects.press('Backspace');
    const Settings = { RecentLogin: true };
    const update = { Tenant: { ID: owner.tenant, Settings } };
    assert.equal((await stack.call('Tenants_Update', update, owner.token)).status, 200);
    await rowsOf(
      stack,
      "update identity.session set created_at = now() - interval '16 minutes' where user_id = $1",
      [owner.id],
    );
    await forgetRights({ DATABASE_URL: stack.databaseUrl });
    await page.getByRole('button', { name: 'Save' }).click();
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await proof.getByRole('link', { name: 'Sign in again' }).waitFor();
    await assertGood(page, 'apps-recent');
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      proof.getByRole('link', { name: 'Sign in again' }).click(),
    ]);
    await signIn(tab, owner.email, password);
    await tab.waitForURL(`${owner.view}/${ID}/settings`);
    await tab.close();
    // The change goes on by itself.
    await proof.getByRole('button', { name: 'I have signed in' }).click();
    await page.getByText('Mine was saved.').waitFor();
    assert.equal((await owner.list())[0]?.['Name'], 'Mine');
    await assertGood(page, 'apps-settings');
  });

  test('a secret is replaced, the log of sign-outs says why it is empty, and a deletion asks for the name', async () => {
    const owner = await newOwner();
    const { ID } = await newApp(owner);
    const page = await newPage();
    await openSignedIn(page, `${owner.view}/${ID}`, owner.email, password);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await assertGood(page, 'apps-rotate');
    await dialog.getByRole('button', { name: 'Replace the secret' }).click();
    assert.match(await dialog.getByLabel('Secret', { exact: true }).innerText(), /^bwka_/);
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('The previous secret ends:').waitFor();
    // The calls of the page have those of the dialogs in its header.
    await page.getByRole('button', { name: 'The same by API' }).click();
    await dialog.getByText(/Apps_RotateSecret' \\/).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Sign-outs' }).click();
    await page.getByText('This app is not told of ended sessions').waitFor();
    await assertGood(page, 'apps-sign-outs');
    // A deletion does not ask whether changes of the app may be lost.
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Name').fill('Lost');
    await saveBar(page).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled());
    await dialog.getByLabel('Type Shop to confirm').fill('Shop');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no apps yet').waitFor();
    assert.deepEqual(await owner.list(), []);
  });

  test('a reader changes nothing, and another tenant’s app does not exist', async () => {
    const owner = await newOwner();
    const other = await newOwner();
    const [{ ID }, theirs] = [await newApp(owner), await newApp(other)];
    const reader = await signUp(stack);
    const role = { Tenant: owner.tenant, Slug: 'reader', Permissions: ['iam.apps.read'] };
    assert.equal((await stack.call('Roles_Save', { Role: role }, owner.token)).status, 200);
    const invitation = { Tenant: owner.tenant, Email: reader.email, Roles: ['reader'] };
    const { body } = await stack.call('TenantInvitations_Create', invitation, owner.token);
    const accepted = { Token: body['Token'] };
    assert.equal(
      (await stack.call('TenantInvitations_Accept', accepted, reader.token)).status,
      200,
    );
    const page = await newPage();
    await openSignedIn(page, `${owner.view}/${ID}/settings`, reader.email, password);
    assert.ok(await page.getByLabel('Name').isDisabled());
    for (const name of ['Save', 'Delete', 'Replace the secret'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    await page.goto(`${owner.view}/new`);
    assert.equal(await heading(page, 'You may not see this view'), 'You may not see this view');
    await page.goto(`${owner.view}/${theirs.ID}`);
    await page.getByText('This does not exist').waitFor();
  });

  test('an operator adds an app and a social provider of the platform', async () => {
    const operator = await newOperator();
    const page = await newPage();
    const view = `${stack.url}/console/platform`;
    await openSignedIn(page, `${view}/apps/new?kind=device`, operator.email, password);
    await page.getByLabel('Name').fill('Television');
    await page.getByRole('button', { name: 'Create the app' }).click();
    assert.equal(await heading(page, 'Television'), 'Television');
    const code = await page.getByLabel('openid-client', { exact: true }).innerText();
    assert.match(code, /initiateDeviceAuthorization/);
    await page.getByRole('link', { name: '← Apps' }).click();
    await page.getByRole('row').filter({ hasText: 'Television' }).waitFor();
    await assertGood(page, 'platform-apps');

    await page.getByRole('link', { name: 'Social providers' }).click();
    await page.getByText('There is no identity provider yet').waitFor();
    await page.getByRole('link', { name: 'Set up a provider' }).click();
    await assertGood(page, 'platform-providers-choose');
    await page.getByRole('link', { name: 'GitHub' }).click();
    const address = page.getByText(`${stack.url}/auth/platform/`);
    const redirect = await address.innerText();
    await assertGood(page, 'platform-providers-github');
    await page.reload();
    assert.equal(await address.innerText(), redirect);
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await page.getByText('This is needed.').first().waitFor();
    await page.getByLabel('Client ID').fill('Iv1.0123456789');
    await page.getByLabel('Client secret').fill('a secret of GitHub');
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await page.getByText('Register at the provider').waitFor();
    assert.equal(await page.getByText(redirect).innerText(), redirect);
    await assertGood(page, 'platform-provider');
    // The sign-in page shows a list of up to five seconds ago.
    await eventually('the provider in the list', async () => {
      const { body } = await stack.call('Sso_ListSocialProviders', {}, operator.token);
      return JSON.stringify(body).includes('GitHub');
    });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByLabel('Type GitHub to confirm').fill('GitHub');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no identity provider yet').waitFor();

    const { email } = await newOwner();
    const stranger = await newPage();
    await openSignedIn(stranger, `${view}/apps`, email, password);
    assert.equal(await heading(stranger, 'You may not see this view'), 'You may not see this view');
  });
});
