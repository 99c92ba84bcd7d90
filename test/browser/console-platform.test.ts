import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { mailTo, password } from '../support/people.ts';
import { rowsOf, whileLocked } from '../support/store.ts';
import { withoutChromium } from './chromium.ts';
import { actOn, assertGood, consoleSuite, openSignedIn, ownConsoleStack } from './console-page.ts';
import { heading } from './sign-in.ts';

// The operators' views, and support access in a tab.

describe('the console of operators', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite(ownConsoleStack);
  const { newOperator, newOwner } = supportCalls(stack);
  const open = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();

  /** Makes a lane late for a while, with a due task that no process can take. */
  async function whileLate(lane: string, work: () => Promise<void>): Promise<void> {
    const setDue = (by: string) =>
      rowsOf(
        stack(),
        "update notifications.delivery_waiting set due_at = now() + $1::interval where task = 'late'",
        [by],
      );
    await rowsOf(
      stack(),
      `insert into notifications.delivery_waiting (task, state, lane, operation, tenant, endpoint, event, attempt, due_at, enqueued_at, extra, dek_id, request)
       values ('late', 'waiting', $1, '', '', '', '', 1, now() + interval '1 hour', now(), '{}', '', '')`,
      [lane],
    );
    const lock = "select from notifications.delivery_waiting where task = 'late' for key share";
    await whileLocked(stack(), lock, [], async () => {
      await setDue('-5 minutes');
      await work();
      await setDue('1 hour');
    });
    await rowsOf(stack(), "delete from notifications.delivery_waiting where task = 'late'");
  }

  test('an operator without a tenant finds the late lane, the failing endpoint, a tenant and a mail', async () => {
    const [operator, owner] = [await newOperator(), await newOwner()];
    const { body } = await stack().call(
      'Webhooks_CreateEndpoint',
      {
        Endpoint: {
          Tenant: owner.tenant,
          Name: 'Orders',
          URL: `${stack().inboxUrl}/hooks/x`,
          // A delivery would end the failure.
          EventTypes: ['orders.placed'],
        },
      },
      owner.token,
    );
    await rowsOf(
      stack(),
      "insert into notifications.endpoint_health (tenant, endpoint, failing_since) values ($1, $2, now() - interval '2 days')",
      [owner.tenant, (body['Endpoint'] as { ID: string }).ID],
    );
    const page = await newPage();
    await openSignedIn(page, `${stack().url}/console`, operator.email, password);
    await whileLate('webhook', async () => {
      await open(page, 'Platform');
      assert.equal(await heading(page, 'Health'), 'Health');
      await page.getByText('All services are ready').waitFor();
      await page.getByText('late', { exact: true }).waitFor();
      const lane = page.locator('[data-lane=webhook]');
      assert.match(await lane.innerText(), /^Webhooks\s+30\d s\s+Waiting tasks: 1\s+late$/);
      await page.getByRole('row').filter({ hasText: 'Orders' }).getByText('2 days ago').waitFor();
      await page.getByRole('img', { name: /^Sign-ins\. Sign-ins: / }).waitFor();
      await assertGood(page, 'platform-health');
    });

    await open(page, 'Organisations');
    await page.getByRole('searchbox').or(page.getByLabel('Search by name')).fill('acme');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.waitForURL('**/tenants?query=acme');
    await actOn(page, 'Acme', 'Suspend Acme');
    const dialog = page.getByRole('dialog');
    await assertGood(page, 'platform-suspend');
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('row').filter({ hasText: 'Acme' }).getByText('suspended').waitFor();
    await assertGood(page, 'platform-tenants');

    await page.goto(`${stack().url}/console/platform/mails?query=${operator.email}`);
    await page.getByText(`${operator.email} gets mail`).waitFor();
    await open(page, 'Keys');
    await page.getByText('in use').waitFor();
    await assertGood(page, 'platform-keys');
  });

  test('an operator acts as a user with a reason, sees it on every view, and ends it', async () => {
    const [operator, owner] = [await newOperator(), await newOwner()];
    const page = await newPage();
    const query = encodeURIComponent(owner.email);
    const address = `${stack().url}/console/platform/users?query=${query}`;
    await openSignedIn(page, address, operator.email, password);
    await actOn(page, owner.email, `Support access to ${owner.email}`);
    const start = page.getByRole('button', { name: 'Go on as the user' });
    await start.click();
    await page.getByText('Enter a reason.').waitFor();
    await page.getByLabel('Reason').fill('Ticket 4711');
    await assertGood(page, 'support-start');
    await start.click();
    const banner = page.getByRole('region', { name: 'Support access' });
    await banner.getByText(`You are acting as ${owner.email}`).waitFor();
    await banner.getByText(/1[45]:\d\d left/).waitFor();
    assert.equal(await heading(page, 'Acme'), 'Acme');
    await assertGood(page, 'support-banner');
    assert.match((await mailTo(stack(), owner.email, 2)).Text, /Ticket 4711/);
    // Another tab is the operator's own.
    const other = await page.context().newPage();
    await other.goto(`${stack().url}/console/platform/users`);
    assert.equal(await heading(other, 'Users'), 'Users');
    await assertGood(other, 'platform-users');
    await other.close();
    await banner.getByRole('button', { name: 'End' }).click();
    await page.waitForURL('**/console/platform/users');
    assert.equal(await banner.count(), 0);
  });

  test('a user without a role on the platform sees none of its views', async () => {
    const owner = await newOwner();
    const page = await newPage();
    await openSignedIn(page, `${stack().url}/console/platform/users`, owner.email, password);
    assert.equal(await heading(page, 'You may not see this view'), 'You may not see this view');
    await assertGood(page, 'platform-closed');
  });
});
