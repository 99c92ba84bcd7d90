import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { bodyOf } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import { eventually } from '../support/harness.ts';
import { password, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn } from './console-page.ts';
import { fillCounts } from './overview-counts.ts';

// The overview of a tenant, and the health of an endpoint.

describe('the overview in the console', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite();
  const { newOwner } = supportCalls(stack);

  type Owner = Awaited<ReturnType<typeof newOwner>>;
  const slugOf = async ({ tenant, token }: Owner) => {
    const answer = await stack().call('Tenants_Get', { Tenant: tenant }, token);
    return (bodyOf(answer)['Tenant'] as { Slug: string }).Slug;
  };
  const open = async (owner: Owner, view = '', options = {}) => {
    const page = await newPage(options);
    const address = `${stack().url}/console/t/${await slugOf(owner)}${view}`;
    await openSignedIn(page, address, owner.email, password);
    return page;
  };
  const figure = (page: Page, title: string) => page.locator(`[data-figure="${title}"]`);
  const figures = (page: Page) => page.getByRole('region', { name: 'Figures' });
  const activity = (page: Page) => page.getByRole('region', { name: 'Activity' });
  const choose = (page: Page, range: string) =>
    activity(page).getByText(range, { exact: true }).click();
  const chooseMetric = (page: Page, label: string) =>
    activity(page).getByRole('combobox').selectOption({ label });
  /** The numbers of the latest day or hour of a plot, as its table shows them. */
  const numbersOf = async (page: Page, title: string) => {
    await chooseMetric(page, title);
    const plot = page.getByRole('region', { name: title, exact: true });
    await plot.getByText('As a table').click();
    return plot.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
  };
  const attention = (page: Page) =>
    page.getByRole('region', { name: 'Needs attention' }).getByRole('link');

  test('an administrator sees the figures of the tenant and the last 30 days, and nothing of another tenant', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const { body } = await stack().call(
      'Webhooks_CreateEndpoint',
      {
        Endpoint: {
          Tenant: owner.tenant,
          Name: 'Orders',
          URL: `${stack().inboxUrl}/hooks/x`,
          // It gets nothing, so that its figures stay.
          EventTypes: ['nothing.at_all'],
        },
      },
      owner.token,
    );
    const endpoint = (body['Endpoint'] as { ID: string }).ID;
    const page = await open(owner);
    // This sign-in is counted before its day gets another number.
    const signIns = "access.daily_count where tenant = $1 and kind = 'sign_in'";
    await eventually(
      'the sign-in',
      async () => (await countOf(stack(), signIns, [owner.tenant])) > 0,
    );
    await fillCounts(stack(), owner.tenant, endpoint);
    await rowsOf(
      stack(),
      'insert into notifications.endpoint_health (tenant, endpoint, failing_since) values ($1, $2, now())',
      [owner.tenant, endpoint],
    );
    await rowsOf(
      stack(),
      `insert into access.tenant_member select $1, 'usr_' || n, case when n < 10500 then 'active' else 'disabled' end, 'admin', now() from generate_series(1, 10502) n`,
      [owner.tenant],
    );
    await page.reload();
    await figure(page, 'Members').getByText('10,000+').waitFor();
    await page.getByText('Disabled: 3').waitFor();
    await attention(page).first().waitFor();
    assert.deepEqual(await attention(page).allInnerTexts(), ['Deliveries to Orders are failing.']);
    await figures(page).getByText('+30 in 30 days').waitFor();
    // Members that were not counted to the end have no curve.
    assert.equal(await figures(page).locator('[data-sparkline]').count(), 8);
    assert.equal(await figure(page, 'Webhooks').innerText(), '1');
    assert.equal(await figure(page, 'Refused calls today').innerText(), '1');
    await assertGood(page, 'overview-full');
    assert.deepEqual(await numbersOf(page, 'Sign-ins of members'), ['1']);
    await choose(page, '24 h');
    await page
      .getByRole('img', { name: 'Sign-ins of members. Sign-ins of members: 348' })
      .waitFor();
    await readByKeyboardAndMouse(page);
    await readByTouch(await open(owner, '', { hasTouch: true }));
    await choose(page, '7 days');
    const week = page.getByRole('region', { name: 'Sign-ins of members', exact: true });
    await week.getByText('As a table').click();
    assert.equal(await week.getByRole('row').count(), 8);
    await choose(page, '30 days');
    const { delivered, failed } = await sumOf(owner);
    assert.deepEqual(await numbersOf(page, 'Deliveries'), [String(delivered), String(failed)]);
    await assertGood(page, 'overview-table');
    await chooseMetric(page, 'Refused calls');
    await activity(page).getByRole('link', { name: 'To the audit' }).click();
    await page.waitForURL('**/audit?result=denied');
    await page.goBack();
    await attention(page).click();
    await page.waitForURL(`**/webhooks/${endpoint}`);

    const beside = await open(other);
    await figure(beside, 'Members').getByText('1', { exact: true }).waitFor();
    assert.equal(await figure(beside, 'Webhooks').innerText(), '0');
    assert.deepEqual(await numbersOf(beside, 'Deliveries'), ['0', '0']);
    assert.equal(await attention(beside).count(), 0);

    await page.goto(`${stack().url}/console/t/${await slugOf(owner)}/webhooks/${endpoint}`);
    await page.getByRole('img', { name: /^Attempts of the last 30 days/ }).waitFor();
    await page.getByRole('img', { name: /^Slowest answer by hour/ }).waitFor();
    await assertGood(page, 'webhooks-health');
  });

  /** The values of one bar: the arrow keys and a mouse reach each. */
  async function readByKeyboardAndMouse(page: Page): Promise<void> {
    const slider = activity(page).getByRole('slider');
    const value = activity(page).locator('[data-plot-value]');
    await slider.focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /: Sign-ins of members: 4$/);
    assert.match(await value.innerText(), /Sign-ins of members: 4$/);
    const box = (await slider.boundingBox()) ?? assert.fail();
    await page.mouse.move(box.x + 2, box.y + box.height / 2);
    await value.getByText('Sign-ins of members: 26').waitFor();
    await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
    await value.filter({ hasText: /Sign-ins of members: 3$/ }).waitFor();
    // A click chooses the bar that the pointer is over, also where a slider of the browser would not.
    await page.mouse.click(box.x + (box.width * 1.5) / 24, box.y + box.height / 2);
    await value.filter({ hasText: /Sign-ins of members: 25$/ }).waitFor();
    await page.keyboard.press('ArrowRight');
    await value.filter({ hasText: /Sign-ins of members: 24$/ }).waitFor();
  }

  /** A finger in the middle of the second bar reaches the second bar, one in the third the third. */
  async function readByTouch(page: Page): Promise<void> {
    await choose(page, '24 h');
    const slider = activity(page).getByRole('slider');
    const value = activity(page).locator('[data-plot-value]');
    await slider.scrollIntoViewIfNeeded();
    const box = (await slider.boundingBox()) ?? assert.fail();
    await page.touchscreen.tap(box.x + (box.width * 1.5) / 24, box.y + box.height / 2);
    await value.filter({ hasText: /Sign-ins of members: 25$/ }).waitFor();
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /: 25$/);
    await page.touchscreen.tap(box.x + (box.width * 2.9) / 24, box.y + box.height / 2);
    await value.filter({ hasText: /Sign-ins of members: 24$/ }).waitFor();
    await page.close();
  }

  test('what cannot wait stands first, and a part that does not answer is said', async () => {
    const owner = await newOwner();
    const { tenant: Tenant, token } = owner;
    const Name = `${Tenant.slice(4, 12)}.example`;
    bodyOf(await stack().call('Domain_Create', { Tenant, Name }, token));
    const bot = await createBot(stack(), Tenant, token);
    await createKey(stack(), bot, token, {
      ExpiresAt: new Date(Date.now() + 5 * 86_400_000).toISOString(),
    });
    bodyOf(
      await stack().call('TenantInvitations_Create', { Tenant, Email: 'ada@example.com' }, token),
    );
    await rowsOf(
      stack(),
      "update access.invitation set expires_at = now() + interval '1 day' where tenant = $1",
      [Tenant],
    );
    const page = await open(owner);
    await attention(page).nth(2).waitFor();
    assert.deepEqual(await attention(page).allInnerTexts(), [
      `The domain ${Name} is not verified.`,
      'Bot keys that expire within 30 days: 1',
      'Invitations that expire within 2 days: 1',
    ]);
    await assertGood(page, 'overview-attention');
    await page.route('**/Domain_List', (route) =>
      route.fulfill({ status: 403, body: '{"Code":"permission_denied","Messages":[]}' }),
    );
    await page.reload();
    await page.getByText('Not everything could be checked.').waitFor();
    await attention(page).nth(1).waitFor();
    assert.equal(await attention(page).count(), 2);
    await page.unroute('**/Domain_List');
    await page.getByRole('button', { name: 'Try again' }).click();
    await attention(page).nth(2).waitFor();
    await attention(page).filter({ hasText: 'Invitations' }).click();
    await page.waitForURL('**/members/invitations?status=pending');
  });

  test('the steps follow the rights, collapse when they are done, and stay hidden for this person', async () => {
    const owner = await newOwner();
    const page = await open(owner);
    const steps = page.getByRole('region', { name: 'What to do next' });
    const names = async (tab = page) => {
      await tab.locator('[data-step]').first().waitFor();
      return tab
        .locator('[data-step]')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-step')));
    };
    assert.deepEqual(await names(), [
      'invite',
      'domain',
      'signIn',
      'directory',
      'require',
      'app',
      'webhook',
    ]);
    const invite = steps.locator('[data-step=invite]');
    await invite.getByRole('link', { name: 'To the invitations' }).waitFor();
    const invitation = { Tenant: owner.tenant, Email: 'ada@example.com' };
    bodyOf(await stack().call('TenantInvitations_Create', invitation, owner.token));
    await page.reload();
    await invite.getByText('Done').waitFor();
    assert.equal(await invite.getByRole('link').count(), 0);
    await assertGood(page, 'overview-steps');
    await steps.getByRole('button', { name: 'Hide: Invite people' }).click();
    await page.reload();
    assert.deepEqual((await names())[0], 'domain');
    await steps.getByRole('button', { name: 'Show hidden steps: 1' }).click();
    assert.deepEqual((await names())[0], 'invite');
    await page.goto(`${page.url()}?ui_locale=de`);
    await page.getByRole('region', { name: 'Nächste Schritte' }).waitFor();
    await assertGood(page, 'overview-steps-de');

    const role = {
      Tenant: owner.tenant,
      Slug: 'developer',
      Permissions: ['iam.apps.*', 'iam.webhooks.*'],
    };
    bodyOf(await stack().call('Roles_Save', { Role: role }, owner.token));
    const developer = await signUp(stack());
    const { Token } = bodyOf(
      await stack().call(
        'TenantInvitations_Create',
        { Tenant: owner.tenant, Email: developer.email, Roles: ['developer'] },
        owner.token,
      ),
    );
    bodyOf(await stack().call('TenantInvitations_Accept', { Token }, developer.token));
    const theirs = await open({ ...owner, email: developer.email });
    assert.deepEqual(await names(theirs), ['app', 'webhook']);
  });

  /** Today's attempts of a tenant. */
  async function sumOf({ tenant }: Owner) {
    const [row] = await rowsOf<{ delivered: number; failed: number }>(
      stack(),
      `select sum(delivered)::int as delivered, sum(retried + failed)::int as failed from notifications.delivery_hour
       where tenant = $1 and hour >= date_trunc('day', now(), 'UTC')`,
      [tenant],
    );
    return row ?? assert.fail();
  }

  test('the overview knows a webhook that was made a moment ago', async () => {
    const page = await open(await newOwner());
    const webhook = page.locator('[data-step=webhook]');
    await webhook.getByRole('link').click();
    await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Billing');
    await dialog.getByLabel('Address').fill(`${stack().inboxUrl}/hooks/billing`);
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.getByLabel('Secret', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: 'Overview' })
      .click();
    await webhook.getByText('Done').waitFor();
    assert.equal(await figure(page, 'Webhooks').innerText(), '1');
  });

  test('a member sees the figures that their role allows, and no others', async () => {
    const owner = await newOwner();
    const Tenant = owner.tenant;
    const member = await signUp(stack());
    const role = { Tenant, Slug: 'reader', Permissions: ['iam.groups.read'] };
    bodyOf(await stack().call('Roles_Save', { Role: role }, owner.token));
    const invitation = { Tenant, Email: member.email, Roles: ['reader'] };
    const { Token } = bodyOf(
      await stack().call('TenantInvitations_Create', invitation, owner.token),
    );
    bodyOf(await stack().call('TenantInvitations_Accept', { Token }, member.token));
    const page = await open({ ...owner, email: member.email });
    await figure(page, 'Groups').getByText('0').waitFor();
    assert.equal(await page.locator('[data-figure]').count(), 1);
    assert.equal(await activity(page).count(), 0);
    assert.equal(await attention(page).count(), 0);
    await assertGood(page, 'overview-reader');
  });
});
