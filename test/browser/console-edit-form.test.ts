import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Locator, Page, Route } from 'playwright-core';
import { createTenant, password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn, saveBar } from './console-page.ts';

// A form of the console that changes a record, while others change it too: the settings of a tenant.

describe('a form that changes a record in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  async function openSettings() {
    const { email, token } = await signUp(stack());
    const tenant = await createTenant(stack(), token, 'Acme');
    const read = async () => {
      const { body } = await stack().call('Tenants_Get', { Tenant: tenant }, token);
      return body['Tenant'] as { Slug: string; Name: string; Settings: Record<string, unknown> };
    };
    const saveOther = async (SessionIdleMinutes: number) => {
      const Tenant = { ID: tenant, Settings: { SessionIdleMinutes } };
      assert.equal((await stack().call('Tenants_Update', { Tenant }, token)).status, 200);
    };
    const page = await newPage();
    const view = `${stack().url}/console/t/${(await read()).Slug}/settings`;
    await openSignedIn(page, view, email, password);
    return { page, token, read, saveOther, ...partsOf(page) };
  }

  test('while a refused save reads the record again, nothing is discarded, typed text stays, and leaving saves nothing', async () => {
    const { page, read, saveOther, bar, save, discard, name, days } = await openSettings();
    // Saves the form, whose call is refused, and returns a function that lets it read the record.
    const saveUntilRead = async () => {
      const held = Promise.withResolvers<Route>();
      await page.route('**/Tenants_Get', (route) => held.resolve(route), { times: 1 });
      await save.click();
      const route = await held.promise;
      return () => route.continue();
    };
    await name.fill('Acme & Sons');
    await saveOther(30);
    const goOn = await saveUntilRead();
    assert.ok(await discard.isDisabled());
    await days.fill('30');
    await goOn();
    await bar.waitFor({ state: 'detached' });
    assert.equal(await days.inputValue(), '30');
    const { Name, Settings } = await read();
    assert.deepEqual([Name, Settings['MaxBotKeyDays']], ['Acme & Sons', 30]);

    await name.fill('Lost');
    await saveOther(45);
    const goOnElsewhere = await saveUntilRead();
    await page.getByRole('link', { name: 'Audit' }).click();
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await page.waitForURL('**/audit');
    // The address changes before the view goes.
    await bar.waitFor({ state: 'detached' });
    await goOnElsewhere();
    await page.waitForLoadState('networkidle');
    assert.ok(!calls.includes('/Tenants_Update'));
    assert.equal((await read()).Name, 'Acme & Sons');
  });

  test('a choice between two changes is about the fields that both have changed', async () => {
    const { read, saveOther, page, bar, save, discard, name, idle, unit } = await openSettings();
    const conflict = bar.getByText('Another person has changed this meanwhile');
    const fill = async () => {
      await name.fill('Acme & Sons');
      await unit.selectOption('Minutes');
      await idle.fill('45');
    };
    const values = async () => [
      await name.inputValue(),
      await idle.inputValue(),
      await unit.inputValue(),
    ];
    await fill();
    await saveOther(60);
    await save.click();
    await conflict.waitFor();
    await discard.click();
    await bar.waitFor({ state: 'detached' });
    assert.deepEqual(await values(), ['Acme', '1', 'hour']);

    await fill();
    await saveOther(120);
    await save.click();
    await conflict.waitFor();
    await bar.getByRole('button', { name: 'Take theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    assert.deepEqual(await values(), ['Acme & Sons', '2', 'hour']);
    assert.ok(await isFocused(idle));
    await unit.selectOption('Minutes');
    await idle.fill('45');
    await saveOther(180);
    await save.click();
    await conflict.waitFor();
    await assertGood(page, 'settings-conflict');
    await bar.getByRole('button', { name: 'Go on with mine' }).click();
    await conflict.waitFor({ state: 'detached' });
    assert.deepEqual(await values(), ['Acme & Sons', '45', 'minute']);
    assert.ok(await isFocused(idle));
    await save.click();
    await bar.waitFor({ state: 'detached' });
    const { Name, Settings } = await read();
    assert.deepEqual([Name, Settings['SessionIdleMinutes']], ['Acme & Sons', 45]);
  });

  test('a refusal for two problems is shown at the buttons unless each has a field', async () => {
    const { page, bar, save, name } = await openSettings();
    const refuse = async (fields: string[]) => {
      const Problems = fields.map((Field) => ({ Field, Rule: 'OTHER', Params: {} }));
      const Messages = fields.map((field) => `${field} is wrong`);
      const json = { Code: 'invalid_argument', Messages, Problems, RequestID: '1' };
      await page.route('**/Tenants_Update', (route) => route.fulfill({ status: 400, json }), {
        times: 1,
      });
      await save.click();
    };
    await name.fill('Acme & Sons');
    await refuse(['Tenant.Name', 'Tenant']);
    await bar.getByText('Tenant is wrong', { exact: true }).waitFor();
    assert.ok(await isFocused(name));
    await refuse(['Tenant.Name', 'Tenant.Slug']);
    await page.getByText('Tenant.Slug is wrong', { exact: true }).waitFor();
    assert.equal(await bar.getByRole('alert').count(), 0);
  });

  test('an ended session keeps what was typed when the view asks for the permissions again', async () => {
    const { page, token, name, bar } = await openSettings();
    await name.fill('Acme & Sons');
    assert.equal((await stack().call('Sessions_RevokeAll', {}, token)).status, 200);
    // The permissions are out of date after a minute, and the window gets the focus.
    await page.clock.setSystemTime(Date.now() + 61_000);
    const [answer] = await Promise.all([
      page.waitForResponse('**/Access_ListPermissions'),
      page.evaluate(`dispatchEvent(new Event('visibilitychange'))`),
    ]);
    assert.equal(answer.status(), 401);
    await page.getByText('Your session has ended').waitFor();
    assert.equal(await name.inputValue(), 'Acme & Sons');
    await bar.waitFor();
  });
});

const partsOf = (page: Page) => {
  const bar = saveBar(page);
  return {
    bar,
    save: bar.getByRole('button', { name: 'Save' }),
    discard: bar.getByRole('button', { name: 'Discard' }),
    name: page.getByLabel('Name', { exact: true }),
    days: page.getByLabel('Longest lifetime of a bot’s key', { exact: true }),
    idle: page.getByLabel('Ends without activity after', { exact: true }),
    unit: page.getByLabel('Unit of: Ends without activity after'),
  };
};

const isFocused = (field: Locator) =>
  field.evaluate((element) => element === element.ownerDocument.activeElement);
