import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { countOf } from '../support/store.ts';
import {
  createHome,
  goThrough,
  type Home,
  loginUrl,
  oidcOf,
  type ProviderRecord,
  readProvider,
  samlOf,
  saveProvider,
} from './home.ts';
import { type EvilOp, startEvilOp } from './oidc/evil-op.ts';
import {
  type ForgeryName,
  forgeries as oidcForgeries,
  slowForgeries,
} from './oidc/forgeries/forgeries.ts';
import { type EvilIdp, startEvilIdp } from './saml/evil-idp.ts';
import { forgeries as samlForgeries } from './saml/forgeries/forgeries.ts';

// Runs every forgery against the whole product: it must create no session, no link and no user.

describe('SSO rejects a forged response', () => {
  let stack: Stack;
  let home: Home;
  let op: EvilOp;
  let idp: EvilIdp;
  let oidc: ProviderRecord;
  let saml: ProviderRecord;
  before(async () => {
    [stack, idp] = await Promise.all([
      startStack('five processes', { BAILIWICK_LIMITS: 'off' }),
      startEvilIdp(),
    ]);
    home = await createHome(stack);
    op = await startEvilOp({
      account: { sub: 'mallory', email: `mallory@${home.domain}`, email_verified: true },
    });
    idp.setPerson({
      nameId: 'mallory',
      attributes: { mail: [`mallory@${home.domain}`], displayName: ['Mallory'], groups: [] },
    });
    oidc = await saveProvider(stack, home, { ...oidcOf(op.issuer), TokenAuthMethod: 'none' });
    saml = await saveProvider(stack, home, samlOf(idp));
  });
  after(async () => {
    await Promise.all([stack?.stop(), op?.stop(), idp?.stop()]);
  });

  const counts = () =>
    Promise.all(
      ['user_account', 'identity_link', 'session', 'sign_in_code'].map((table) =>
        countOf(stack, `identity.${table}`),
      ),
    );

  async function assertNoSignIn(provider: ProviderRecord): Promise<void> {
    const before = await counts();
    const { page, token } = await goThrough(stack, loginUrl(stack, provider));
    assert.equal(token, undefined);
    assert.ok([400, 403, 500].includes(page.status), `${page.status} ${page.text.slice(0, 200)}`);
    assert.deepEqual(await counts(), before);
    assert.ok(!page.text.includes('<script') && !page.text.includes('mallory'), page.text);
  }

  for (const name of Object.keys(oidcForgeries).filter(
    (one) => !slowForgeries.includes(one as ForgeryName),
  ))
    test(`OpenID Connect: ${name}`, async () => {
      op.arm(name as ForgeryName);
      // The product caches the provider's metadata and keys. Sso_TestProvider fetches them again.
      bodyOf(
        await stack.call(
          'Sso_TestProvider',
          { Tenant: home.tenant, ID: oidc.ID },
          home.owner.token,
        ),
      );
      await assertNoSignIn(oidc);
    });

  for (const name of Object.keys(samlForgeries))
    test(`SAML: ${name}`, async () => {
      idp.arm(name);
      await assertNoSignIn(saml);
    });

  test('and accepts honest responses', async () => {
    op.arm();
    idp.arm();
    bodyOf(
      await stack.call('Sso_TestProvider', { Tenant: home.tenant, ID: oidc.ID }, home.owner.token),
    );
    assert.ok((await goThrough(stack, loginUrl(stack, oidc))).token);
    assert.equal((await readProvider(stack, home, oidc)).LastError, '');
    assert.ok((await goThrough(stack, loginUrl(stack, saml))).token);
  });
});
