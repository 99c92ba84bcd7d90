import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { startLogoutReceiver } from '../sso/issuer/logout-receiver.ts';
import { createApp, relyOn, signInWith } from '../sso/issuer/stage.ts';
import { eventually } from '../support/harness.ts';
import { password } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, openSignedIn, ownConsoleStack } from './console-page.ts';

describe('the lock of a user in the console of operators', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite(ownConsoleStack);
  const { newOperator, newOwner } = supportCalls(stack);

  test('an operator locks a user, follows the receipt, downloads it and unlocks the user', async (t) => {
    const receiver = await startLogoutReceiver();
    t.after(() => receiver.stop());
    receiver.answer('/first', [500]);
    const [operator, owner] = [await newOperator(), await newOwner()];
    for (const fields of [
      { Name: 'Reports', BackchannelLogoutURI: receiver.url('/first') },
      { Name: 'Wiki' },
    ]) {
      const app = await createApp(stack(), fields);
      await signInWith(stack(), await relyOn(stack(), app), owner.token);
    }
    const page = await newPage();
    const address = `${stack().url}/console/platform/users/${owner.id}`;
    await openSignedIn(page, address, operator.email, password);
    await page.getByRole('button', { name: 'Lock', exact: true }).click();
    const dialog = page.getByRole('dialog');
    const lock = dialog.getByRole('button', { name: 'Lock', exact: true });
    await lock.click();
    await dialog.getByText('Enter a reason.').waitFor();
    await dialog.getByLabel('Reason').fill('Ticket 4711');
    await assertGood(page, 'platform-lock');
    await lock.click();
    await page.getByText(`${owner.email} is locked.`).waitFor();
    await page.locator('button:focus').filter({ hasText: 'Unlock' }).waitFor();
    const receipt = page.getByRole('region', { name: 'Receipt of the lock' });
    const rowOf = (name: string, state: string) =>
      receipt.getByRole('row').filter({ hasText: name }).filter({ hasText: state });
    await rowOf('gateway', 'dropped').first().waitFor();
    await rowOf('Wiki', 'unknown').waitFor();
    await rowOf('Reports', 'ends by itself').waitFor();
    await rowOf('Reports', 'logout accepted').waitFor();
    const save = receipt.getByRole('button', { name: 'Download signed receipt' });
    await save.waitFor();
    await assertGood(page, 'platform-locked');
    const [download] = await Promise.all([page.waitForEvent('download'), save.click()]);
    assert.match(download.suggestedFilename(), /^lock-receipt-lck_\w+\.jws$/);
    assert.match(readFileSync(await download.path(), 'utf8'), /^[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.equal((await stack().call('Account_Get', {}, owner.token)).status, 401);

    await page.getByRole('button', { name: 'Unlock', exact: true }).click();
    await dialog.getByLabel('Reason').fill('Found again');
    await dialog.getByRole('button', { name: 'Unlock', exact: true }).click();
    await page.getByText(`${owner.email} is unlocked.`).waitFor();
    await receipt.waitFor({ state: 'hidden' });
    await eventually('the lifted lock', async () => {
      const [row] = await rowsOf<{ lifted: boolean }>(
        stack(),
        'select lifted_at is not null as lifted from identity.lock_receipt where subject = $1',
        [owner.id],
      );
      return row?.lifted;
    });
  });
});
