import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, afterEach, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { createHome, oidcOf, saveProvider } from '../sso/home.ts';
import { type Op, startOp } from '../sso/oidc/op.ts';
import { requireByDomain, requirementOf } from '../sso/recovery.ts';
import { bodyOf } from '../support/answers.ts';
import { type DnsServer, startDns } from '../support/dns-server.ts';
import { newName } from '../support/domains.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, followLink, newConsolePage, openSignedIn, saveBar } from './console-page.ts';
import { heading } from './sign-in.ts';

// Domains and single sign-on in the console.

const secret = 'a secret that is long enough for HMAC-SHA256';

describe('domains and single sign-on in the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let dns: DnsServer;
  let op: Op;
  let base: string;
  let problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}`;
    [dns, op] = await Promise.all([
      startDns(),
      startOp({ clients: [] }),
      buildConsole(assert.fail),
    ]);
    const settings = {
      BAILIWICK_PUBLIC_URL: base,
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
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });

  async function newOwner() {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token, 'Acme');
    const { body } = await stack.call('Tenants_Get', { Tenant: tenant }, owner.token);
    const { Slug } = body['Tenant'] as { Slug: string };
    return { ...owner, tenant, view: `${base}/console/t/${Slug}` };
  }

  test('an administrator publishes the record of a domain, sets up a provider, and the test is good', async () => {
    const { email, token, tenant, view } = await newOwner();
    const page = await newConsolePage(browser, base, problems);
    const dialog = page.getByRole('dialog');
    const name = newName();
    await openSignedIn(page, `${view}/domains`, email, password);
    await page.getByText('There are no domains yet').waitFor();
    await page.getByRole('button', { name: 'Add a domain' }).click();
    await dialog.getByLabel('Domain').fill('co.uk');
    await dialog.getByRole('button', { name: 'Add a domain' }).click();
    await dialog.getByText('Something has to be corrected').waitFor();
    await dialog.getByLabel('Domain').fill(name);
    await dialog.getByRole('button', { name: 'Add a domain' }).click();
    await dialog.getByText('Publish this record').waitFor();
    await dialog.getByText('Waiting for DNS').waitFor();
    await dialog.getByRole('button', { name: 'Check now' }).click();
    await dialog.getByText(`there is no _bailiwick-challenge.${name} in DNS`).waitFor();
    await dialog.getByRole('button', { name: 'Check now' }).click();
    await dialog.getByText('The record was looked up less than a minute ago.').waitFor();
    await assertGood(page, 'signon-record');
    const list = await stack.call('Domain_List', { Tenant: tenant }, token);
    const [domain] = (list.body['Page'] as { Items: Array<Record<string, string>> }).Items;
    assert.ok(domain);
    await dialog.getByText(domain['TxtValue'] ?? '').waitFor();
    dns.set(domain['TxtName'] ?? '', { txt: [domain['TxtValue'] ?? ''] });
    // The service finds the record by itself.
    await dialog.getByText('The domain is verified').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row').filter({ hasText: name }).getByText('verified').waitFor();
    await assertGood(page, 'signon-domains');

    await followLink(page, 'Single sign-on');
    await page.getByText('There is no identity provider yet').waitFor();
    await page.getByRole('link', { name: 'Set up a provider' }).click();
    await page.getByRole('link', { name: 'Okta' }).click();
    await page.waitForURL('**/sso/new?service=okta*id=sso_*');
    const address = page.getByText(/\/auth\/.*\/callback$/);
    const RedirectURI = await address.innerText();
    await page.reload();
    assert.equal(await address.innerText(), RedirectURI);
    await assertGood(page, 'signon-setup-okta');
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await page.getByText('This is needed.').first().waitFor();
    await page.getByLabel('Issuer').fill(op.issuer);
    await page.getByLabel('Client ID').fill('bailiwick');
    await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Save and go on' }).click();
    assert.equal(await heading(page, 'Okta'), 'Okta');
    // No way leads back to the form: to save in it again would change this provider.
    await page.goBack();
    await page.waitForURL(/\/sso\/new$/);
    await page.goForward();
    assert.equal(await heading(page, 'Okta'), 'Okta');
    const providers = await stack.call('Sso_ListProviders', { Tenant: tenant }, token);
    const [provider] = (providers.body['Page'] as { Items: Array<Record<string, unknown>> }).Items;
    assert.ok(provider);
    assert.deepEqual([provider['RedirectURI'], provider['Active']], [RedirectURI, false]);
    await page.getByText(RedirectURI, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Test now' }).click();
    // The redirect URI is not registered at the provider yet.
    await page.getByText('People cannot sign in yet.').waitFor();
    op.setClient({ id: 'bailiwick', redirectUris: [RedirectURI], secret });
    await page.getByRole('button', { name: 'Test now' }).click();
    await page.getByText('Everything works.').waitFor();
    const tests = page.getByRole('region', { name: 'Test' });
    await tests.getByRole('button', { name: 'Enable' }).click();
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('People can sign in through this provider.').waitFor();
    await tests.getByRole('button', { name: 'Enable' }).waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByLabel('Group there').fill('engineers');
    await page.getByLabel('Role here').fill('auditor');
    await assertGood(page, 'signon-provider');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Okta was saved.').waitFor();
    const saved = await stack.call(
      'Sso_GetProvider',
      { Tenant: tenant, ID: provider['ID'] },
      token,
    );
    const mappings = (saved.body['Provider'] as Record<string, unknown>)['GroupMappings'];
    assert.deepEqual(mappings, [{ Value: 'engineers', Group: '', Role: 'auditor' }]);

    // Another administrator changes the name, and later the same mapping.
    const other = { ID: provider['ID'], Tenant: tenant, Name: 'Staff' };
    const saveOther = async (values: object) => {
      const Provider = { ...other, ...values };
      assert.equal((await stack.call('Sso_SaveProvider', { Provider }, token)).status, 200);
    };
    await saveOther({});
    await page.getByLabel('Role here').fill('admin');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Staff was saved.').waitFor();
    await saveOther({ GroupMappings: [{ Value: 'engineers', Role: 'auditor' }] });
    await page.getByLabel('Role here').fill('member');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another person has changed this meanwhile').waitFor();
    await assertGood(page, 'signon-conflict');
    assert.equal(await page.getByLabel('Role here').inputValue(), 'member');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    assert.equal(await page.getByLabel('Role here').inputValue(), 'auditor');
    // Nothing is left to save.
    await saveBar(page).waitFor({ state: 'detached' });
    const stored = await stack.call(
      'Sso_GetProvider',
      { Tenant: tenant, ID: provider['ID'] },
      token,
    );
    const { Name, GroupMappings } = stored.body['Provider'] as Record<string, unknown>;
    assert.equal(Name, 'Staff');
    assert.deepEqual(GroupMappings, [{ Value: 'engineers', Group: '', Role: 'auditor' }]);
    await page.reload();
    const connection = page.getByRole('region', { name: 'Connection' });
    await connection.getByLabel('Issuer').fill('');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await connection.getByText('This is needed.').waitFor();
    await connection.getByLabel('Issuer').fill(op.issuer);
    await connection.getByLabel('Client ID').fill('bailiwick-2');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Staff was saved.').last().waitFor();
    const changed = await stack.call(
      'Sso_GetProvider',
      { Tenant: tenant, ID: provider['ID'] },
      token,
    );
    assert.equal((changed.body['Provider'] as Record<string, unknown>)['ClientID'], 'bailiwick-2');
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByLabel('Type Staff to confirm').fill('Staff');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no identity provider yet').waitFor();
  });

  test('an administrator is warned that no recovery code is left, and makes eight, which are shown once', async () => {
    const home = await createHome(stack);
    await saveProvider(stack, home, { ...oidcOf(op.issuer), TokenAuthMethod: 'none' });
    await requireByDomain(stack, home);
    const { body } = await stack.call('Tenants_Get', { Tenant: home.tenant }, home.owner.token);
    const view = `${base}/console/t/${(body['Tenant'] as { Slug: string }).Slug}/sso`;
    const page = await newConsolePage(browser, base, problems);
    const dialog = page.getByRole('dialog');
    await openSignedIn(page, view, home.owner.email, password);
    const warning = page.getByText('There is no recovery code');
    await warning.waitFor();
    await assertGood(page, 'signon-recovery-warning');
    await page.getByRole('button', { name: 'Make new codes' }).click();
    await dialog.getByRole('button', { name: 'Make new codes' }).click();
    await dialog.getByText('Each code works once.').waitFor();
    const codes = await dialog.locator('pre').innerText();
    assert.equal(codes.trim().split('\n').length, 8);
    await assertGood(page, 'signon-recovery-codes');
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('Unused recovery codes: 8').waitFor();
    await warning.waitFor({ state: 'hidden' });
    assert.equal((await requirementOf(stack, home)).RecoveryCodesLeft, 8);
  });

  test('SAML metadata comes from a file, wrong metadata is refused, and another tenant sees no provider', async () => {
    const { email, view } = await newOwner();
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${view}/sso/new?service=google&protocol=saml`, email, password);
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await page.getByText('Enter the address of the metadata, or choose a file.').waitFor();
    await assertGood(page, 'signon-setup-saml');
    await page.locator('input[type=file]').setInputFiles({
      name: 'metadata.xml',
      mimeType: 'text/xml',
      buffer: Buffer.from('<not-metadata/>'),
    });
    await page.getByText('metadata.xml').waitFor();
    await page.getByRole('button', { name: 'Save and go on' }).click();
    await page.getByText('Something has to be corrected').waitFor();
    const other = await newOwner();
    const Provider = {
      Tenant: other.tenant,
      Kind: 'oidc',
      Name: 'Theirs',
      Issuer: op.issuer,
      ClientID: 'theirs',
    };
    const saved = await stack.call('Sso_SaveProvider', { Provider, Secret: secret }, other.token);
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    const { ID } = saved.body['Provider'] as { ID: string };
    await page.goto(`${view}/sso/${ID}`);
    await page.getByText('This does not exist').waitFor();
  });

  test('a SAML provider with a right-to-left name asks for encrypted assertions', async () => {
    const { email, token, tenant, view } = await newOwner();
    const name = 'شركة Acme (הבית)';
    const Provider = {
      Tenant: tenant,
      Kind: 'saml',
      Name: name,
      IdpEntityID: 'https://id.example.com',
      IdpSsoURL: 'https://id.example.com/sso',
      IdpCertificates: [(await createSpCertificate('draft')).certificate],
    };
    const { ID } = bodyOf(await stack.call('Sso_SaveProvider', { Provider }, token))[
      'Provider'
    ] as { ID: string };
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, `${view}/sso/${ID}`, email, password);
    const connection = page.getByRole('region', { name: 'Connection' });
    const isWanted = connection.getByLabel('Ask for encrypted assertions');
    assert.equal(await isWanted.isChecked(), false);
    await isWanted.check();
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    // The name is isolated, so that its direction does not reach the sentence around it.
    await page.getByText(`\u2068${name}\u2069 was saved.`).waitFor();
    await assertGood(page, 'signon-saml');
    const saved = await stack.call('Sso_GetProvider', { Tenant: tenant, ID }, token);
    const { WantEncrypted, Name } = bodyOf(saved)['Provider'] as Record<string, unknown>;
    assert.deepEqual([WantEncrypted, Name], [true, name]);
  });
});
