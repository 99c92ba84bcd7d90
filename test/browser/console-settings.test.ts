import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/harness.ts';
import { pngOf } from '../support/images.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn, saveBar } from './console-page.ts';
import { heading } from './sign-in.ts';

// The settings and the branding of a tenant in the console.

describe('the settings in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();

  async function newOwner() {
    const owner = await signUp(stack());
    const tenant = await createTenant(stack(), owner.token, 'Acme');
    const read = async () => {
      const { body } = await stack().call('Tenants_Get', { Tenant: tenant }, owner.token);
      return body['Tenant'] as {
        Slug: string;
        Name: string;
        Settings: Record<string, unknown>;
        Branding: Record<string, unknown>;
      };
    };
    const { Slug } = await read();
    return { ...owner, tenant, read, slug: Slug, view: `${stack().url}/console/t/${Slug}` };
  }

  test('an administrator changes settings while another one does, and a change that would lock them out is refused', async () => {
    const { email, token, tenant, read, view } = await newOwner();
    const page = await newPage();
    await openSignedIn(page, `${view}/settings`, email, password);
    const joining = page.getByRole('region', { name: 'Joining' });
    const sessions = page.getByRole('region', { name: 'Sessions' });
    await joining.getByLabel('Role of new members').selectOption('auditor');
    const Settings = { SessionIdleMinutes: 30 };
    const update = { Tenant: { ID: tenant, Settings } };
    assert.equal((await stack().call('Tenants_Update', update, token)).status, 200);
    // The other change is of other fields: nothing is asked.
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings were saved.').waitFor();
    assert.equal((await read()).Settings['DefaultRole'], 'auditor');
    const idle = sessions.getByLabel('Ends without activity after', { exact: true });
    assert.equal(await idle.getAttribute('placeholder'), 'Default: 7 days');
    await sessions.getByLabel('Unit of: Ends without activity after').selectOption('Minutes');
    await idle.fill('45');
    assert.equal(
      (
        await stack().call(
          'Tenants_Update',
          { Tenant: { ID: tenant, Settings: { SessionIdleMinutes: 60 } } },
          token,
        )
      ).status,
      200,
    );
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await saveBar(page).getByText('Another person has changed this meanwhile').waitFor();
    await saveBar(page).getByRole('button', { name: 'Go on with mine' }).click();
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    // The first save's message may still be on the screen.
    await eventually('45', async () => (await read()).Settings['SessionIdleMinutes'] === 45);

    // A length of time is in the largest unit in which it is whole.
    const longest = sessions.getByLabel('Ends at the latest after', { exact: true });
    await longest.fill('2');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await eventually('2 days', async () => (await read()).Settings['SessionMaxMinutes'] === 2880);
    const limits = page.getByRole('region', { name: 'Keys and audit' });
    await limits.getByLabel('Audit entries are kept for', { exact: true }).fill('90');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await eventually('90 days', async () => (await read()).Settings['AuditRetentionDays'] === 90);
    await limits.getByLabel('Audit entries are kept for', { exact: true }).fill('');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await eventually(
      'the default',
      async () => (await read()).Settings['AuditRetentionDays'] === 0,
    );

    const signIn = page.getByRole('region', { name: 'Signing in' });
    await signIn.getByRole('switch', { name: 'Require single sign-on' }).check({ force: true });
    await signIn.getByText('This can lock members out').waitFor();
    await assertGood(page, 'settings');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await saveBar(page).getByText('This is not possible now').waitFor();
    assert.equal((await read()).Settings['RequireSso'], false);
    assert.ok(await signIn.getByRole('switch', { name: 'Require single sign-on' }).isChecked());
  });

  test('changes of several sections are saved together or discarded, and leaving asks first', async () => {
    const { email, token, tenant, read, view } = await newOwner();
    const page = await newPage();
    await openSignedIn(page, `${view}/settings`, email, password);
    const bar = saveBar(page);
    const name = page.getByLabel('Name', { exact: true });
    const days = page.getByLabel('Longest lifetime of a bot’s key', { exact: true });
    const isFocused = (field: Locator) =>
      field.evaluate((element) => element === element.ownerDocument.activeElement);
    await name.waitFor();
    assert.equal(await bar.count(), 0);
    await days.fill('30');
    await bar.waitFor();
    await bar.getByRole('button', { name: 'Discard' }).click();
    await bar.waitFor({ state: 'detached' });
    assert.equal(await days.inputValue(), '');
    assert.ok(await isFocused(days));

    await days.fill('30');
    await name.fill('');
    await assertGood(page, 'settings-unsaved');
    await bar.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Enter a name.').waitFor();
    assert.ok(await isFocused(name));
    await name.fill('Acme & Sons');

    const question = page.getByRole('dialog', { name: 'Unsaved changes' });
    // The skip link stays in the view.
    await page.getByRole('link', { name: 'Skip to the content' }).press('Enter');
    await page.waitForURL('**/settings#view');
    assert.equal(await question.count(), 0);
    assert.equal(await name.inputValue(), 'Acme & Sons');

    // Both ways out of the view ask, and the changes stay.
    await page.getByRole('link', { name: 'Audit' }).click();
    await question.getByText('your changes in this view are lost').waitFor();
    await assertGood(page, 'settings-leave');
    await question.getByRole('button', { name: 'Stay here' }).click();
    await question.waitFor({ state: 'detached' });
    assert.equal(page.url(), `${view}/settings#view`);
    const closing = page.waitForEvent('dialog');
    await page.evaluate('setTimeout(() => location.reload())');
    const prompt = await closing;
    assert.equal(prompt.type(), 'beforeunload');
    await prompt.dismiss();
    assert.equal(await name.inputValue(), 'Acme & Sons');

    // Another administrator changes another field meanwhile.
    const Settings = { SessionIdleMinutes: 30 };
    const theirs = await stack().call(
      'Tenants_Update',
      { Tenant: { ID: tenant, Settings } },
      token,
    );
    assert.equal(theirs.status, 200);
    const changes: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/Tenants_Update')) changes.push(request.postDataJSON()['Tenant']);
    });
    await bar.getByRole('button', { name: 'Save' }).click();
    await bar.waitFor({ state: 'detached' });
    const stored = await read();
    assert.equal(stored.Name, 'Acme & Sons');
    assert.equal(stored.Settings['MaxBotKeyDays'], 30);
    assert.equal(stored.Settings['SessionIdleMinutes'], 30);
    // The first one met the other change. Both have only what the administrator changed.
    const change = { ID: tenant, Name: 'Acme & Sons', Settings: { MaxBotKeyDays: 30 } };
    assert.deepEqual(changes, [change, change]);

    await name.fill('Lost');
    await page.getByRole('link', { name: 'Audit' }).click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await page.waitForURL('**/audit');
    assert.equal((await read()).Name, 'Acme & Sons');
  });

  test('a short name that is taken is refused at its field', async () => {
    const [one, other] = [await newOwner(), await newOwner()];
    const page = await newPage();
    await openSignedIn(page, `${one.view}/settings`, one.email, password);
    const slug = page.getByLabel('Short name');
    await slug.fill(other.slug);
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Another organisation has this short name.').waitFor();
    assert.ok(await slug.evaluate((element) => element === element.ownerDocument.activeElement));
    assert.equal(await saveBar(page).getByRole('alert').count(), 0);
  });

  test('another short name moves the views, and a deletion asks for it', async () => {
    const { email, read, view, slug } = await newOwner();
    const page = await newPage();
    await openSignedIn(page, `${view}/settings`, email, password);
    const identity = page.getByRole('region', { name: 'Name and addresses' });
    await identity.getByLabel('Name', { exact: true }).fill('<img src=x onerror=alert(1)>');
    await identity.getByLabel('Short name').fill('No Spaces');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await identity.getByText(/^Use 2 to 63/).waitFor();
    await identity.getByLabel('Short name').fill(`${slug}-2`);
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(`${stack().url}/console/t/${slug}-2/settings`);
    assert.equal((await read()).Name, '<img src=x onerror=alert(1)>');
    assert.equal(await page.locator('img').count(), 0);

    const end = page.getByRole('region', { name: 'Leave or delete' });
    const dialog = page.getByRole('dialog');
    await end.getByRole('button', { name: 'Leave' }).click();
    await dialog.getByLabel(/^Type /).fill(`${slug}-2`);
    await dialog.getByRole('button', { name: 'Leave' }).click();
    await dialog.getByText('This is not possible now').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await end.getByRole('button', { name: 'Delete the organisation' }).click();
    assert.ok(await dialog.getByRole('button', { name: 'Delete the organisation' }).isDisabled());
    await dialog.getByLabel(/^Type /).fill(`${slug}-2`);
    await assertGood(page, 'settings-delete');
    await dialog.getByRole('button', { name: 'Delete the organisation' }).click();
    assert.equal(await heading(page, 'Welcome to Bailiwick'), 'Welcome to Bailiwick');
  });

  test('a logo and a colour are shown on the sign-in page, and a light colour is refused', async () => {
    const { email, read, view } = await newOwner();
    const page = await newPage();
    await openSignedIn(page, `${view}/branding`, email, password);
    await page.getByLabel('Name that people know').fill('Acme Works');
    await page.getByLabel('Accent colour').fill('#ffcc00');
    await page.getByText('1.5 : 1').waitFor();
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a darker colour, as #rrggbb.').waitFor();
    await page.getByLabel('Accent colour').fill('#8a1538');
    const file = { name: 'logo.png', mimeType: 'image/png' };
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ ...file, buffer: Buffer.alloc(70_000) });
    await page.getByText('The file is larger than 64 KiB.').waitFor();
    await input.setInputFiles({ ...file, buffer: Buffer.from(pngOf([138, 21, 56])) });
    await page.getByRole('img', { name: /light/ }).locator('img').waitFor();
    await assertGood(page, 'branding');
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('The settings were saved.').waitFor();
    await page.getByRole('banner').locator('.console-logo').waitFor();
    const { Branding } = await read();
    assert.equal(Branding['AccentColor'], '#8a1538');
    assert.notEqual(Branding['LogoPath'], '');
    await page.reload();
    await page.getByRole('img', { name: /light/ }).locator('img').waitFor();

    // The button that saves goes, and the focus is back at the field.
    const logo = page.getByRole('button', { name: 'Logo', exact: true });
    await logo.focus();
    await input.setInputFiles({ ...file, buffer: Buffer.from(pngOf([28, 79, 194])) });
    await saveBar(page).getByRole('button', { name: 'Save' }).click();
    await saveBar(page).waitFor({ state: 'detached' });
    assert.ok(await logo.evaluate((element) => element === element.ownerDocument.activeElement));

    // The header of a phone has room for the logo and its buttons.
    await page.setViewportSize({ width: 360, height: 720 });
    const header = page.getByRole('banner');
    await header.locator('.console-logo').waitFor();
    const box = await header.getByRole('button').last().boundingBox();
    assert.ok(box && box.x + box.width <= 360, JSON.stringify(box));
  });
});
