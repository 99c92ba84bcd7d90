import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { newIdentity } from '../../support/federation.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { appOrigin, sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

describeOne('Settings.AppURL', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  /** A tenant of the user with this application. */
  async function tenantWith(userId: string, AppURL: string) {
    const answer = await stack.call(
      'Tenants_Create',
      { Tenant: { Name: 'Acme', Settings: { AppURL } }, OwnerID: userId },
      stack.platformKey,
    );
    return recordIn(answer, 'Tenant') as { ID: string; Slug: string };
  }
  const redirectOf = async (token: string, Tenant = '') => {
    const answer = await stack.call('Account_IssueCode', { ReturnTo: '', Tenant }, token);
    const { Redirect } = bodyOf(answer) as { Redirect: string };
    return Redirect.replace(/bwkc_\w+$/, '…');
  };

  test('Account_IssueCode without an address leads to the AppURL of the only tenant, or of the named one', async () => {
    const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
    const acme = await tenantWith(ada.id, `${appOrigin}/acme`);
    assert.equal(await redirectOf(ada.token), `${appOrigin}/acme?code=…`);
    const other = await tenantWith(ada.id, `${appOrigin}/other?a=b`);
    assert.equal(await redirectOf(ada.token), '');
    assert.equal(await redirectOf(ada.token, acme.ID), `${appOrigin}/acme?code=…`);
    assert.equal(await redirectOf(ada.token, other.Slug), `${appOrigin}/other?a=b&code=…`);
    const { Tenants } = bodyOf(await stack.call('Account_Get', {}, ada.token)) as {
      Tenants: Array<{ ID: string; AppURL: string }>;
    };
    assert.deepEqual(
      new Map(Tenants.map(({ ID, AppURL }) => [ID, AppURL])),
      new Map([
        [acme.ID, `${appOrigin}/acme`],
        [other.ID, `${appOrigin}/other?a=b`],
      ]),
    );
    // Tenants of other people, and those that do not exist.
    for (const tenant of [acme.ID, acme.Slug, createId('tnt'), 'no-such-tenant'])
      assert.equal(await redirectOf(bob.token, tenant), '');
  });

  test('a session that is limited to a tenant learns of no other tenant’s application', async () => {
    const { id, token } = await signUp(stack);
    const acme = await tenantWith(id, `${appOrigin}/acme`);
    const other = await tenantWith(id, `${appOrigin}/other`);
    const provider = await newIdentity(stack, id, acme.ID, 'address');
    await rowsOf(
      stack,
      "update identity.session set auth_method = 'oidc', sso_tenant = $2, provider = $3 where user_id = $1",
      [id, acme.ID, provider],
    );
    assert.equal(await redirectOf(token, other.ID), '');
    assert.equal(await redirectOf(token), `${appOrigin}/acme?code=…`);
  });

  test('an AppURL is at an origin that the platform allows, when it is saved and when it is used', async () => {
    const { id, token } = await signUp(stack);
    const { ID } = await tenantWith(id, '');
    const set = (AppURL: string) =>
      stack.call('Tenants_Update', { Tenant: { ID, Settings: { AppURL } } }, token);
    const circular = 'Tenant.Settings.AppURL must not lead to a sign-in of this service';
    const foreign = 'Tenant.Settings.AppURL must be at an origin that the platform allows';
    for (const [url, message] of [
      ['https://evil.example/back', foreign],
      [`${appOrigin}.evil.example`, foreign],
      [`${appOrigin}:8443/`, foreign],
      ['http://localhost:1/', foreign],
      [`${stack.url}/login?signed_in=1`, circular],
      [`${stack.url}/auth/platform/sso_1/login`, circular],
      [`${stack.url}/oauth/authorize?client_id=a`, circular],
      [
        appOrigin.replace('https', 'http'),
        'Tenant.Settings.AppURL must be https, or http on the same machine',
      ],
    ] as const)
      assertRefused(await set(url), 400, 'invalid_argument', [message]);
    for (const url of ['javascript:alert(1)', `https://user@app.example.com`, '/path', 'acme'])
      assertRefused(await set(url), 400, 'invalid_argument');
    bodyOf(await set(`${appOrigin}/start`));
    assert.equal(await redirectOf(token), `${appOrigin}/start?code=…`);
    // The platform has withdrawn the origin since.
    await rowsOf(
      stack,
      `update access.tenant set settings = settings || '{"appUrl": "https://gone.example.com/"}' where id = $1`,
      [ID],
    );
    assert.equal(await redirectOf(token), '');
  });
});
