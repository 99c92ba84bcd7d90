import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Home } from '../sso/home.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import type { Browser } from './browser.ts';
import { continueWith, heading } from './sign-in.ts';

/** The set-up of a suite about single sign-on in a browser. */
export type SsoBrowser = { stack: Stack; browser: Browser };

/** Steps on the pages. `suite` is called after the suite has started. */
export function createSsoPages(suite: () => SsoBrowser) {
  /** A new visitor on the sign-in page who has entered an address and was sent to the provider. */
  async function begin(email: string, page?: Page): Promise<Page> {
    const tab = page ?? (await suite().browser.newPage());
    await tab.goto(`${suite().stack.url}/login`);
    await continueWith(tab, email);
    return tab;
  }
  const usersOf = (email: string) =>
    rowsOf<{ id: string }>(suite().stack, 'select id from identity.user_account where email = $1', [
      email,
    ]);
  async function assertSignedIn(page: Page, email: string): Promise<void> {
    await heading(page, 'You are signed in');
    assert.ok((await page.locator('#known').innerText()).includes(email));
    assert.ok((await page.locator('#tenants').innerText()).includes('Acme'));
  }
  const save = async (home: Home, fields: object) =>
    bodyOf(
      await suite().stack.call(
        'Sso_SaveProvider',
        { Provider: { Tenant: home.tenant, Name: 'Acme staff', ...fields } },
        home.owner.token,
      ),
    );
  return { begin, usersOf, assertSignedIn, save };
}
