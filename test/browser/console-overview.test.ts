import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { password, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleStack, newConsolePage, openSignedIn } from './console-page.ts';

// The overview of a tenant, and the health of an endpoint.

describe('the overview in the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let problems: string[] = [];
  const { newOwner } = supportCalls(() => stack);
  before(async () => {
    stack = await consoleStack();
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

  type Owner = Awaited<ReturnType<typeof newOwner>>;
  const slugOf = async ({ tenant, token }: Owner) => {
    const answer = await stack.call('Tenants_Get', { Tenant: tenant }, token);
    return (bodyOf(answer)['Tenant'] as { Slug: string }).Slug;
  };
  const open = async (owner: Owner, view = '') => {
    const page = await newConsolePage(browser, stack.url, problems);
    const address = `${stack.url}/console/t/${await slugOf(owner)}${view}`;
    await openSignedIn(page, address, owner.email, password);
    return page;
  };
  const figure = (page: Page, title: string) => page.locator(`[data-figure="${title}"]`);
  /** The numbers of a plot, as its table shows them. */
  const numbersOf = async (page: Page, title: string) => {
    const plot = page.getByRole('region', { name: title, exact: true }).first();
    await plot.getByText('As a table').click();
    return plot.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
  };

  /** Days and hours as the service counts them. */
  async function fill({ tenant }: Owner, endpoint: string): Promise<void> {
    await rowsOf(
      stack,
      `insert into access.daily_count select $1, kind, (now() at time zone 'UTC')::date - n, (n * 7) % 23 + 1
       from generate_series(0, 29) n, unnest(array['sign_in', 'denied']) kind
       on conflict (tenant, kind, day) do update set count = excluded.count`,
      [tenant],
    );
    await rowsOf(
      stack,
      `insert into notifications.delivery_hour
       select $1, $2, date_trunc('hour', now()) - n * interval '1 hour', (n * 13) % 60, (n * 7) % 11, n % 5, 90 * ((n * 13) % 60), (n * 31) % 900
       from generate_series(0, 700) n`,
      [tenant, endpoint],
    );
  }

  test('an administrator sees the figures of the tenant and the last 30 days, and nothing of another tenant', async () => {
    const [owner, other] = [await newOwner(), await newOwner()];
    const { body } = await stack.call(
      'Webhooks_CreateEndpoint',
      {
        Endpoint: {
          Tenant: owner.tenant,
          Name: 'Orders',
          URL: `${stack.inboxUrl}/hooks/x`,
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
      async () => (await countOf(stack, signIns, [owner.tenant])) > 0,
    );
    await fill(owner, endpoint);
    await rowsOf(
      stack,
      'insert into notifications.endpoint_health (tenant, endpoint, failing_since) values ($1, $2, now())',
      [owner.tenant, endpoint],
    );
    await rowsOf(
      stack,
      `insert into access.tenant_member select $1, 'usr_' || n, case when n < 10500 then 'active' else 'disabled' end, 'admin', now() from generate_series(1, 10502) n`,
      [owner.tenant],
    );
    await page.reload();
    await figure(page, 'Members').getByText('10,000+').waitFor();
    await page.getByText('Disabled: 3').waitFor();
    await page.getByText('Failing now: 1').waitFor();
    assert.equal(await figure(page, 'Webhooks').innerText(), '1');
    assert.equal(await figure(page, 'Refused calls today').innerText(), '1');
    await assertGood(page, 'overview-full');
    assert.deepEqual(await numbersOf(page, 'Sign-ins of members'), ['1']);
    const { delivered, failed } = await sumOf(owner);
    assert.deepEqual(await numbersOf(page, 'Deliveries'), [String(delivered), String(failed)]);
    await assertGood(page, 'overview-table');
    await page.getByRole('link', { name: 'To the audit' }).click();
    await page.waitForURL('**/audit?result=denied');

    const beside = await open(other);
    await figure(beside, 'Members').getByText('1', { exact: true }).waitFor();
    assert.equal(await figure(beside, 'Webhooks').innerText(), '0');
    assert.deepEqual(await numbersOf(beside, 'Deliveries'), ['0', '0']);

    await page.goto(`${stack.url}/console/t/${await slugOf(owner)}/webhooks/${endpoint}`);
    await page.getByRole('img', { name: /^Attempts of the last 30 days/ }).waitFor();
    await page.getByRole('img', { name: /^Slowest answer by hour/ }).waitFor();
    await assertGood(page, 'webhooks-health');
  });

  /** Today's attempts of a tenant. */
  async function sumOf({ tenant }: Owner) {
    const [row] = await rowsOf<{ delivered: number; failed: number }>(
      stack,
      `select sum(delivered)::int as delivered, sum(retried + failed)::int as failed from notifications.delivery_hour
       where tenant = $1 and hour >= date_trunc('day', now(), 'UTC')`,
      [tenant],
    );
    return row ?? assert.fail();
  }

  test('a member sees the figures that their role allows, and no others', async () => {
    const owner = await newOwner();
    const Tenant = owner.tenant;
    const member = await signUp(stack);
    const role = { Tenant, Slug: 'reader', Permissions: ['iam.groups.read'] };
    bodyOf(await stack.call('Roles_Save', { Role: role }, owner.token));
    const invitation = { Tenant, Email: member.email, Roles: ['reader'] };
    const { Token } = bodyOf(await stack.call('TenantInvitations_Create', invitation, owner.token));
    bodyOf(await stack.call('TenantInvitations_Accept', { Token }, member.token));
    const page = await open({ ...owner, email: member.email });
    await figure(page, 'Groups').getByText('0').waitFor();
    assert.equal(await page.locator('[data-figure]').count(), 1);
    assert.equal(await page.getByRole('img', { name: /^Sign-ins/ }).count(), 0);
    await assertGood(page, 'overview-reader');
  });
});
