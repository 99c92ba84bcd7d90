import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createHome, type Home, loginUrl, saveProvider } from '../sso/home.ts';
import {
  findSimpleSamlPhp,
  notInstalled,
  type SimpleSamlPhp,
  startSimpleSamlPhp,
} from '../sso/saml/simplesamlphp.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { type Browser, photograph } from './browser.ts';
import { createSsoPages, type SsoBrowser } from './sso-pages.ts';

// Single sign-on with a browser and SimpleSAMLphp.

/** `suite` is called after the suite has started. */
export function testSimpleSamlPhp(suite: () => SsoBrowser): void {
  const { begin, usersOf, assertSignedIn, save } = createSsoPages(suite);

  describe('with SimpleSAMLphp', {
    skip: findSimpleSamlPhp() === undefined && notInstalled,
  }, () => {
    let stack: Stack;
    let browser: Browser;
    let idp: SimpleSamlPhp;
    let home: Home;
    let provider: Awaited<ReturnType<typeof saveProvider>>;
    let email: string;
    before(async () => {
      ({ stack, browser } = suite());
      home = await createHome(stack);
      email = `ada@${home.domain}`;
      // Each side needs the other's metadata: the provider's record exists first, as an
      // administrator would create it.
      const draft = {
        Kind: 'saml',
        IdpEntityID: 'urn:draft',
        IdpSsoURL: `${stack.inboxUrl}/hooks/draft`,
      };
      const { createSpCertificate } = await import('@bailiwick/sso/saml/certificates.ts');
      provider = await saveProvider(stack, home, {
        ...draft,
        IdpCertificates: [(await createSpCertificate('draft')).certificate],
      });
      const metadata = await (await fetch(provider.SpEntityID)).text();
      idp = await startSimpleSamlPhp({
        sps: [{ metadata }],
        people: [
          {
            user: 'ada',
            password: 'engine',
            attributes: { mail: [email], displayName: ['Ada Lovelace'], groups: ['staff'] },
          },
        ],
      });
      bodyOf(
        await stack.call(
          'Sso_SaveProvider',
          {
            Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'Acme staff' },
            MetadataURL: idp.metadataUrl,
          },
          home.owner.token,
        ),
      );
    });
    after(() => idp?.stop());

    async function enter(page: Page): Promise<void> {
      await page.locator('input[name=username]').fill('ada');
      await page.locator('input[name=password]').fill('engine');
      await page.locator('button[type=submit], input[type=submit]').first().click();
    }

    for (const RequestBinding of ['redirect', 'post'])
      test(`signs in with a request by ${RequestBinding} and a response by POST`, async () => {
        await save(home, {
          ID: provider.ID,
          RequestBinding,
          GroupMappings: [{ Value: 'staff', Group: '', Role: 'auditor' }],
        });
        const page = await begin(email);
        await enter(page);
        await assertSignedIn(page, email);
        await photograph(page, `sso-saml-${RequestBinding}`);
        const users = await usersOf(email);
        assert.equal(users.length, 1);
        const roles = await rowsOf<{ role: string }>(
          stack,
          'select role from access.grant_entry where subject = $1 order by role',
          [users[0]?.id],
        );
        assert.deepEqual(
          roles.map(({ role }) => role),
          ['auditor', 'member'],
        );
      });

    test('a disabled provider rejects the sign-in', async () => {
      await save(home, { ID: provider.ID, Active: false });
      const page = await browser.newPage();
      assert.equal((await page.goto(loginUrl(stack, provider)))?.status(), 403);
    });
  });
}
