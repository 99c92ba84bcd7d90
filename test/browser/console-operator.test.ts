import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { environmentOf } from '@bailiwick/deploy/local/environment.ts';
import { createOperatorLink } from '@bailiwick/deploy/operator-link.ts';
import { operatorLinkSettings } from '@bailiwick/deploy/settings.ts';
import { password, signUp } from '../support/people.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, consoleSuite, ownConsoleStack } from './console-page.ts';
import { heading, signIn } from './sign-in.ts';

// The way from the link that the start prints to the operators' views.

describe('the link of the first operator', { skip: withoutChromium }, () => {
  const { stack, newPage } = consoleSuite(ownConsoleStack);

  test('a person opens the link, signs in, confirms and sees the platform; the link is used up', async () => {
    const [person, other] = [await signUp(stack()), await signUp(stack())];
    const link = await createOperatorLink(
      environmentOf('access', operatorLinkSettings, stack().wiring, {}),
    );
    const page = await newPage();
    const addresses: string[] = [];
    page.on('request', (request) => addresses.push(request.url()));
    assert.ok(link);
    await page.goto(link);
    await page.waitForURL('**/login?*');
    await signIn(page, person.email, password);
    await page.waitForURL(`${stack().url}/console/operator`);
    await page.getByText(`${person.email} becomes the first operator`).waitFor();
    assert.equal(await heading(page, 'Become the operator'), 'Become the operator');
    await assertGood(page, 'operator-claim');
    await page.getByRole('button', { name: 'Become the operator' }).click();
    await page.waitForURL(`${stack().url}/console/platform`);
    assert.equal(await heading(page, 'Health'), 'Health');
    assert.ok(addresses.length > 5);
    assert.deepEqual(
      addresses.filter((address) => address.includes('bwkm_')),
      [],
    );
    await page.goto(`${stack().url}/console/operator`);
    await page.getByText('You are an operator', { exact: true }).waitFor();

    const late = await newPage();
    await late.goto(link);
    await signIn(late, other.email, password);
    await late.getByRole('button', { name: 'Become the operator' }).click();
    await late.getByText('the token is no longer valid').waitFor();
    await assertGood(late, 'operator-refused');
    await late.goto('about:blank');
    const fresh = await newPage();
    await fresh.goto(`${stack().url}/console/operator`);
    await signIn(fresh, other.email, password);
    await fresh.getByText('The link is missing').waitFor();
    await assertGood(fresh, 'operator-no-link');
  });
});
