import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { type Receiver, startReceiver, status } from '../delivery/receiver.ts';
import { bodyOf } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn } from './console-page.ts';

// An administrator shares an endpoint with the person who runs its receiver.

describe('the receivers’ portal in a browser', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let receiver: Receiver;
  let problems: string[] = [];
  before(async () => {
    await buildConsole(assert.fail);
    // A delivery fails for good at once.
    stack = await startStack('one process', {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_RETRY_SCHEDULE: '0s',
    });
    receiver = await startReceiver();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
    await receiver?.stop();
  });
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });

  /** A tenant with an endpoint whose only delivery has failed, and the address of its view. */
  async function failedEndpoint(path: string) {
    receiver.answer(path, status(503));
    const { email, token } = await signUp(stack);
    const Tenant = await createTenant(stack, token, 'Acme <Ltd>');
    const answer = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant, Name: 'Orders', URL: receiver.url(path), EventTypes: ['group.*'] } },
      token,
    );
    const { ID } = bodyOf(answer)['Endpoint'] as { ID: string };
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'engineering' } }, token));
    const { Slug } = bodyOf(await stack.call('Tenants_Get', { Tenant }, token))['Tenant'] as {
      Slug: string;
    };
    return { email, token, Tenant, ID, view: `${stack.url}/console/t/${Slug}/webhooks/${ID}` };
  }

  /** Loads the log again until the row with this text is there. */
  async function rowWith(page: Page, text: string, heading = 'Deliveries') {
    const row = page.getByRole('row').filter({ hasText: text });
    for (let tries = 30; (await row.count()) === 0 && tries > 0; tries--) {
      await page.waitForTimeout(300);
      await page.reload();
      await page.getByRole('heading', { name: heading }).waitFor();
      await page.waitForLoadState('networkidle');
    }
    return row.first();
  }

  test('an administrator creates a link, and its receiver finds the failed delivery, sends it again and replaces the secret, until the link is withdrawn', async () => {
    const { email, view } = await failedEndpoint('/orders?key=n0t4you');
    const admin = await newConsolePage(browser, stack.url, problems);
    await openSignedIn(admin, view, email, password);
    await admin.getByRole('button', { name: 'More' }).click();
    await admin.getByRole('menuitem', { name: 'Share with the receiver' }).click();
    const dialog = admin.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    await dialog.getByText('Enter who gets the link.').waitFor();
    await dialog.getByLabel('Who gets the link').fill('Grace');
    await dialog.getByLabel('replace the signing secret').check();
    await assertGood(admin, 'share');
    await dialog.getByRole('button', { name: 'Create a link' }).click();
    const link = await admin.getByLabel('Secret', { exact: true }).innerText();
    assert.match(link, /\/portal#bwko_\w{49}$/);
    await admin.getByRole('button', { name: 'I have stored it' }).click();
    await admin.getByText('last opened never').waitFor();

    const page = await newConsolePage(browser, stack.url, problems);
    const requests: string[] = [];
    page.on(
      'request',
      (request) => void requests.push(request.url(), JSON.stringify(request.headers())),
    );
    await page.goto(link.trim());
    await page.getByRole('button', { name: 'Open the portal' }).waitFor();
    await assertGood(page, 'portal-link');
    assert.ok(
      !requests.some((text) => text.includes('bwko_')),
      'the token is in no address or header',
    );
    await page.getByRole('button', { name: 'Open the portal' }).click();
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    assert.equal(page.url(), `${stack.url}/portal`);
    await page.getByText('/orders?…').waitFor();
    await (await rowWith(page, 'group.created')).getByText('HTTP 503').waitFor();
    await page.getByText('Deliveries fail').waitFor();
    assert.doesNotMatch(await page.content(), /n0t4you/);
    await assertGood(page, 'portal');

    await page.getByRole('button', { name: 'group.created', exact: true }).click();
    await page.getByText('"Path": "engineering"').waitFor();
    await assertGood(page, 'portal-message');
    await page.getByRole('button', { name: 'Back to the endpoint' }).click();

    receiver.answer('/orders?key=n0t4you', status(200));
    await page.getByRole('button', { name: 'Send again: group.created' }).click();
    await page.getByText('The message is being sent again.').waitFor();
    await (await rowWith(page, 'HTTP 200')).waitFor();
    await page.getByLabel('Result').selectOption('failed');
    await page.getByText('HTTP 200').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByText('The receiver accepted the test').waitFor();
    await assertGood(page, 'portal-test');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('each delivery has both signatures').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('Copy it now').waitFor();
    await assertGood(page, 'portal-secret');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('The previous secret also signs until').waitFor();

    await admin.getByRole('button', { name: 'Withdraw the link of Grace' }).click();
    await admin.getByText('There are no links to this endpoint.').waitFor();
    await page.getByLabel('Result').selectOption('delivered');
    await page.getByRole('heading', { name: 'Your visit has ended' }).waitFor();
    await assertGood(page, 'portal-ended');
    await page.reload();
    await page.getByRole('heading', { name: 'Open your link' }).waitFor();
    await page.getByText(`It sends the link by mail or chat, and it begins with`).waitFor();
    await assertGood(page, 'portal-without-link');
    await page.goto('about:blank');
    await page.goto(link.trim());
    await page.getByRole('button', { name: 'Open the portal' }).click();
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
    await assertGood(page, 'portal-dead');
  });

  test('a link without abilities shows the log only, in the language of the browser, on a narrow screen, also to a user who is signed in', async () => {
    const { email, token, view, Tenant, ID } = await failedEndpoint('/quiet');
    const created = await stack.call(
      'WebhookPortals_Create',
      { Tenant, Endpoint: ID, Name: 'Grace' },
      token,
    );
    const link = String(bodyOf(created)['Link']);
    const page = await newConsolePage(browser, stack.url, problems, {
      locale: 'de',
      viewport: { width: 360, height: 740 },
    });
    await page.goto(link);
    await page.getByRole('button', { name: 'Portal öffnen' }).click();
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    for (const name of ['Test senden', 'Geheimnis ersetzen', 'Fehlgeschlagene erneut senden'])
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    await assertGood(page, 'portal-narrow');
    await (await rowWith(page, 'group.created', 'Zustellungen'))
      .getByRole('button', { name: 'group.created' })
      .click();
    await page.getByText('es folgt keiner mehr').waitFor();
    await page.getByRole('cell', { name: 'HTTP 503' }).waitFor();
    assert.equal(await page.getByText('"Path"').count(), 0);
    await assertGood(page, 'portal-explained');
    await page.getByRole('button', { name: 'Zurück zum Endpunkt' }).click();

    const signedIn = await newConsolePage(browser, stack.url, problems);
    await openSignedIn(signedIn, view, email, password);
    const again = await signedIn.context().newPage();
    await again.goto(link);
    await again.getByRole('button', { name: 'Open the portal' }).click();
    await again.getByRole('heading', { name: 'Orders' }).waitFor();
    await again.goto(view);
    await again.getByRole('button', { name: 'More' }).waitFor();
    await page.getByLabel('Ergebnis').selectOption('failed');
    await page.getByRole('heading', { name: 'Ihr Besuch ist beendet' }).waitFor();
  });
});
