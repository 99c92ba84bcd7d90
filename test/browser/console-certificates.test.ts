import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { createKeys, type Rollover, startRollover } from '../sso/saml/rollover-stage.ts';
import { bodyOf } from '../support/answers.ts';
import { startStack } from '../support/harness.ts';
import { choosePorts } from '../support/own-stack.ts';
import { password } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn, saveBar } from './console-page.ts';

// The certificates of a SAML provider in the console.

describe('certificates of a SAML provider in the console', { skip: withoutChromium }, () => {
  let stage: Rollover;
  let browser: Browser;
  let base: string;
  let problems: string[] = [];
  before(async () => {
    const ports = await choosePorts();
    base = `http://127.0.0.1:${ports.gateway.rpc}`;
    await buildConsole(assert.fail);
    const settings = { BAILIWICK_PUBLIC_URL: base, BAILIWICK_LIMITS: 'off' };
    stage = await startRollover(startStack('one process', settings, { ports }));
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stage?.stop();
  });
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });

  test('an owner lets new certificates wait, sees why metadata fail, and confirms one by its fingerprint', async () => {
    const { stack, home, server, serve, provide, readAgain, read } = stage;
    const [old, next] = [await createKeys('old'), await createKeys('next')];
    serve([old]);
    const provider = await provide();
    const tenant = bodyOf(
      await stack.call('Tenants_Get', { Tenant: home.tenant }, home.owner.token),
    )['Tenant'] as { Slug: string };
    const view = `${base}/console/t/${tenant.Slug}/sso/${provider.ID}`;
    const page = await newConsolePage(browser, base, problems);
    await openSignedIn(page, view, home.owner.email, password);
    const connection = page.getByRole('region', { name: 'Connection' });
    assert.equal(await connection.getByLabel('Address of the metadata').inputValue(), server.url);
    await connection.getByLabel('Ask before a new certificate counts').check();
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('was saved.').waitFor();

    server.set({ status: 503 });
    await readAgain(provider);
    serve([next]);
    const certificates = page.getByRole('region', { name: 'Certificates' });
    await page.reload();
    await certificates.getByText('The metadata cannot be read').waitFor();
    await readAgain(provider);
    await page.reload();
    await certificates.getByText('It waits for a confirmation.').waitFor();
    await certificates.getByText('Certificate that the metadata no longer name').waitFor();
    await assertGood(page, 'certificates-waiting');
    const [pending] = (await read(provider)).PendingCertificates;
    await certificates.getByRole('button', { name: 'Let it count now' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(pending?.Fingerprint ?? '').waitFor();
    await dialog.getByRole('button', { name: 'Let it count now' }).click();
    await certificates.getByText('It waits for a confirmation.').waitFor({ state: 'hidden' });
    const { IdpCertificates } = await read(provider);
    assert.deepEqual(IdpCertificates, [old.certificate, next.certificate]);

    // The owner takes the certificates of the metadata at once.
    await certificates.getByRole('button', { name: 'Read the metadata now' }).click();
    await dialog.getByRole('button', { name: 'Read the metadata now' }).click();
    await certificates
      .getByText('Certificate that the metadata no longer name')
      .waitFor({ state: 'hidden' });
    assert.deepEqual((await read(provider)).IdpCertificates, [next.certificate]);
  });
});
