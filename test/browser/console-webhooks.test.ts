import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, password, signUp, tenantFor } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn } from './console-page.ts';

// The webhooks of a tenant in the console, with a receiver that fails at first.

describe('webhooks in the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let problems: string[] = [];
  before(async () => {
    await buildConsole(assert.fail);
    // A delivery fails for good at once.
    stack = await startStack('one process', {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_RETRY_SCHEDULE: '0s',
    });
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
  const choose = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name }).click();
  };

  test('an administrator adds an endpoint, finds its failed delivery, understands it and sends it again', async () => {
    const { email, token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const { Slug } = bodyOf(await stack.call('Tenants_Get', { Tenant }, token))['Tenant'] as {
      Slug: string;
    };
    const views = `${stack.url}/console/t/${Slug}`;
    const page = await newPage();
    await openSignedIn(page, `${views}/webhooks`, email, password);
    await page.getByText('There are no endpoints yet').waitFor();
    await assertGood(page, 'webhooks-empty');

    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Billing <b>');
    await dialog.getByLabel('Address').fill(`${stack.inboxUrl}/hooks/billing?status=503`);
    await dialog.getByRole('combobox', { name: 'Events' }).fill('group.*');
    await page.keyboard.press('Enter');
    await dialog.getByLabel('Name').click();
    await assertGood(page, 'webhooks-add');
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByText('Copy it now').waitFor();
    assert.match(await page.getByLabel('Secret', { exact: true }).innerText(), /^\S{20,}$/);
    await page.getByRole('button', { name: 'I have stored it' }).click();

    const group = { Tenant, Path: 'engineering' };
    bodyOf(await stack.call('Groups_Save', { Group: group }, token));
    await page.goto(views);
    // Three clicks from the overview: its figure, the message, and the button.
    const failed = page.getByRole('row').filter({ hasText: 'group.created' });
    for (let tries = 20; (await failed.count()) === 0 && tries > 0; tries--) {
      await page.goto(views);
      await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).first().click();
      await page.getByRole('heading', { name: 'Failed deliveries' }).waitFor();
      await page.waitForTimeout(300);
    }
    await failed.getByText('HTTP 503').waitFor();
    await assertGood(page, 'webhooks');
    await failed.getByRole('link', { name: 'group.created' }).click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    await page.getByText('"Path": "engineering"').waitFor();
    await assertGood(page, 'webhooks-message');

    await page.getByRole('link', { name: 'Back to the endpoint' }).click();
    await choose(page, 'Edit');
    const edit = page.getByRole('dialog');
    await edit.getByLabel('Address').fill(`${stack.inboxUrl}/hooks/billing`);
    await edit.getByRole('button', { name: 'Save' }).click();
    await edit.waitFor({ state: 'hidden' });
    await page.getByLabel('Result').selectOption('failed');
    await page.waitForURL('**?outcome=failed');
    await page.getByRole('button', { name: 'Send again: group.created' }).click();
    await page.getByText('The message is being sent again.').waitFor();
    await page.getByLabel('Result').selectOption('delivered');
    await page.waitForURL('**?outcome=delivered');
    const delivered = page.getByRole('row').filter({ hasText: 'HTTP 200' });
    for (let tries = 20; (await delivered.count()) === 0 && tries > 0; tries--) {
      await page.waitForTimeout(300);
      await page.reload();
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      await page.waitForLoadState('networkidle');
    }
    await assertGood(page, 'webhooks-endpoint');

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click();
    await page.getByText('The receiver accepted the test').waitFor();
    await assertGood(page, 'webhooks-test');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    // No message is stored of a test.
    await page.getByRole('row').filter({ hasText: 'endpoint.ping' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'endpoint.ping' }).count(), 0);
    await choose(page, 'Replace the secret');
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('The previous secret also signs until').waitFor();
    await choose(page, 'Delete');
    const confirm = page.getByRole('dialog');
    assert.ok(await confirm.getByRole('button', { name: 'Delete' }).isDisabled());
    await confirm.getByRole('textbox').fill('Billing <b>');
    await confirm.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no endpoints yet').waitFor();
  });

  test('a failed delivery is found, understood and sent again within three clicks', async () => {
    const { email, token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const call = async (name: string, body: object) => bodyOf(await stack.call(name, body, token));
    const { Slug } = (await call('Tenants_Get', { Tenant }))['Tenant'] as { Slug: string };
    const hook = `${stack.inboxUrl}/hooks/three-clicks`;
    const Endpoint = { Tenant, Name: 'Orders', URL: `${hook}?status=503`, EventTypes: ['group.*'] };
    const { ID } = (await call('Webhooks_CreateEndpoint', { Endpoint }))['Endpoint'] as {
      ID: string;
    };
    await call('Groups_Save', { Group: { Tenant, Path: 'engineering' } });
    const attempts = async (Outcome: string) => {
      const { Page } = await call('Webhooks_ListAttempts', { Tenant, Outcome });
      return (Page as { Items: unknown[] }).Items.length;
    };
    await eventually('the failure', async () => (await attempts('failed')) === 1);
    const page = await newPage();
    await openSignedIn(page, `${stack.url}/console/t/${Slug}`, email, password);
    await page.evaluate('clicks = 0; addEventListener("click", () => clicks++, true)');
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).first().click();
    const failed = page.getByRole('row').filter({ hasText: 'HTTP 503' });
    await failed.getByRole('link', { name: 'group.created' }).click();
    await page.getByText('"Path": "engineering"').waitFor();
    await page.getByRole('cell', { name: 'HTTP 503' }).waitFor();
    // Its receiver is repaired meanwhile.
    await call('Webhooks_UpdateEndpoint', { Endpoint: { ...Endpoint, ID, URL: hook } });
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('The message is being sent again.').waitFor();
    assert.equal(await page.evaluate('clicks'), 3);
    await eventually('the delivery', async () => (await attempts('delivered')) === 1);
  });

  test('an administrator adds a chat channel, finds a failed message and sends it again, and never sees its address', async () => {
    const [ada, eve] = [await signUp(stack), await signUp(stack)];
    const Tenant = await createTenant(stack, ada.token);
    const other = await tenantFor(stack, eve.id);
    const foreign = bodyOf(
      await stack.call(
        'Chat_CreateEndpoint',
        { Endpoint: { Tenant: other, Name: 'Theirs' }, URL: `${stack.inboxUrl}/hooks/theirs` },
        eve.token,
      ),
    )['Endpoint'] as { ID: string };
    const { Slug } = bodyOf(await stack.call('Tenants_Get', { Tenant }, ada.token))['Tenant'] as {
      Slug: string;
    };
    const views = `${stack.url}/console/t/${Slug}`;
    const page = await newPage();
    await openSignedIn(page, `${views}/chat`, ada.email, password);
    await page.getByText('There are no channels yet').waitFor();
    await assertGood(page, 'chat-empty');
    await page.getByRole('button', { name: 'Add a channel' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add a channel' }).click();
    await dialog.getByText('Enter a name.').waitFor();
    await dialog.getByLabel('Name').fill('Operations');
    const address = dialog.getByLabel('Address of the incoming webhook');
    await address.fill(`${stack.inboxUrl}/hooks/ops?status=500`);
    await assertGood(page, 'chat-add');
    await dialog.getByRole('button', { name: 'Add a channel' }).click();
    await dialog.waitFor({ state: 'hidden' });

    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'a' } }, ada.token));
    const failed = page.getByRole('row').filter({ hasText: 'group.created' });
    for (let tries = 20; (await failed.count()) === 0 && tries > 0; tries--) {
      await page.waitForTimeout(300);
      await page.reload();
      await page.getByRole('heading', { name: 'Failed deliveries' }).waitFor();
      await page.waitForLoadState('networkidle');
    }
    await failed.getByText('HTTP 500').waitFor();
    await assertGood(page, 'chat');
    assert.ok(!(await page.content()).includes('hooks/ops'));
    await failed.getByRole('link', { name: 'group.created' }).click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    await page.getByRole('link', { name: 'Back to the endpoint' }).click();
    await page.getByRole('img', { name: /^Attempts of the last 30 days/ }).waitFor();

    await choose(page, 'Edit');
    assert.equal(await address.inputValue(), '');
    await dialog.getByLabel('Name').fill('Operations room');
    await address.fill(`${stack.inboxUrl}/hooks/ops`);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Operations room' }).waitFor();
    await page.getByRole('button', { name: 'Send again: group.created' }).click();
    await page.getByText('The message is being sent again.').waitFor();
    await assertGood(page, 'chat-endpoint');
    await page.getByRole('button', { name: 'Send a test' }).click();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The receiver accepted the test').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'More' }).click();
    assert.equal(await page.getByRole('menuitem', { name: 'Replace the secret' }).count(), 0);
    await page.keyboard.press('Escape');

    // The endpoint of another tenant does not exist here.
    await page.goto(`${views}/chat/${foreign.ID}`);
    await page.getByText('This does not exist').waitFor();
    await page.goto(`${views}/chat`);
    await page.getByRole('link', { name: 'Operations room' }).click();
    await choose(page, 'Delete');
    await dialog.getByRole('textbox').fill('Operations room');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no channels yet').waitFor();
  });

  test('an administrator sees nothing of another organisation’s endpoint', async () => {
    const [ada, eve] = [await signUp(stack), await signUp(stack)];
    const [hers, other] = [await createTenant(stack, ada.token), await tenantFor(stack, eve.id)];
    const endpoint = { Tenant: other, Name: 'Secret', URL: `${stack.inboxUrl}/hooks/x` };
    const foreign = bodyOf(
      await stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, eve.token),
    )['Endpoint'] as { ID: string };
    const { Slug } = bodyOf(await stack.call('Tenants_Get', { Tenant: hers }, ada.token))[
      'Tenant'
    ] as {
      Slug: string;
    };
    const page = await newPage();
    const address = `${stack.url}/console/t/${Slug}/webhooks/${foreign.ID}`;
    await openSignedIn(page, address, ada.email, password);
    await page.getByText('This does not exist').waitFor();
    assert.equal(await page.getByText('Secret').count(), 0);
  });
});
