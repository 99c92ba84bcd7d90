import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import type { Person, ProviderCalls, ProviderSuite } from './provider-calls.ts';

// Which providers a caller may see and save.

const providerNotFound = 'provider not found: Sso_ListProviders returns the providers of a tenant';
const missing = 'sso_01hzzzzzzzzzzzzzzzzzzzzzzz';

/** `suite` is called after the suite has started. */
export function testProviderRights(suite: () => ProviderSuite, calls: ProviderCalls): void {
  const { tenantOf, oidc, samlOf, save, saved, read, adminOf } = calls;
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(() => {
    ({ stack, ada, bob } = suite());
  });

  test('a provider is not found from another tenant', async () => {
    const [Tenant, foreign] = await Promise.all([tenantOf(ada), tenantOf(bob)]);
    const { ID } = await saved(oidc(Tenant));
    for (const id of [ID, missing]) {
      assertRefused(await read(foreign, id, bob.token), 400, 'not_found', [providerNotFound]);
      assertRefused(
        await save({ ...oidc(foreign), ID: id }, { Secret: 's' }, bob.token),
        400,
        'not_found',
        [providerNotFound],
      );
      assertRefused(
        await stack.call('Sso_TestProvider', { Tenant: foreign, ID: id }, bob.token),
        400,
        'not_found',
        [providerNotFound],
      );
      bodyOf(await stack.call('Sso_DeleteProvider', { Tenant: foreign, ID: id }, bob.token));
      for (const step of ['login', 'callback', 'metadata'])
        assert.equal((await fetch(`${stack.url}/auth/${foreign}/${id}/${step}`)).status, 400);
    }
    assertRefused(await read(Tenant, ID, bob.token), 403, 'permission_denied');
    bodyOf(await read(Tenant, ID));
    assertRefused(await save({ ...samlOf(Tenant), ID }), 400, 'invalid_argument', [
      'Provider.Kind cannot be changed',
    ]);
  });

  test('Sso_SaveProvider rejects roles that the caller cannot grant', async () => {
    const Tenant = await tenantOf(ada);
    const admin = await adminOf(Tenant);
    await saved({ ...oidc(Tenant), DefaultRoles: ['member'] }, { Secret: 's' }, admin.token);
    for (const settings of [
      { DefaultRoles: ['owner'] },
      { GroupMappings: [{ Value: 'a', Role: 'owner' }] },
    ]) {
      assertRefused(
        await save({ ...oidc(Tenant), ...settings }, { Secret: 's' }, admin.token),
        403,
        'permission_denied',
      );
      const owners = await saved({ ...oidc(Tenant), ...settings });
      // The issuer decides who gets the role, so changing it needs the same right.
      assertRefused(
        await save({ ...owners, Issuer: 'https://mine.example.com' }, { Secret: 's' }, admin.token),
        403,
        'permission_denied',
      );
    }
    assertRefused(
      await save({ ...oidc(Tenant), DefaultRoles: ['no-such-role'] }, { Secret: 's' }),
      400,
      'not_found',
    );
    assertRefused(
      await save(
        { ...oidc(Tenant), GroupMappings: [{ Value: 'a', Group: 'no/such' }] },
        { Secret: 's' },
      ),
      400,
      'not_found',
    );
  });

  test('Sso_SaveProvider does not keep a client secret for a new issuer or token auth method', async () => {
    const Tenant = await tenantOf(ada);
    const provider = await saved(oidc(Tenant));
    const elsewhere = { Tenant, ID: provider.ID, Name: 'x', Issuer: 'https://mine.example.com' };
    assertRefused(await save(elsewhere), 400, 'invalid_argument', [
      'Secret is required with client_secret_basic',
    ]);
    await saved({ ...elsewhere, TokenAuthMethod: 'none' }, {});
    assertRefused(
      await save({ Tenant, ID: provider.ID, Name: 'x', TokenAuthMethod: 'client_secret_post' }),
      400,
      'invalid_argument',
    );
  });

  test('Sso_SaveProvider rejects a tenant’s default role that the caller cannot grant', async () => {
    const Tenant = await tenantOf(ada);
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: 'sso-only', Permissions: ['iam.sso.write', 'iam.sso.read'] } },
        ada.token,
      ),
    );
    const clerk = await signUp(stack);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: clerk.id }, stack.platformKey));
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant, UserID: clerk.id, Role: 'sso-only' } },
        ada.token,
      ),
    );
    await saved(oidc(Tenant), { Secret: 's' }, clerk.token);
    bodyOf(
      await stack.call(
        'Tenants_Update',
        { Tenant: { ID: Tenant, Settings: { DefaultRole: 'admin' } } },
        ada.token,
      ),
    );
    assertRefused(await save(oidc(Tenant), { Secret: 's' }, clerk.token), 403, 'permission_denied');
    await saved({ ...oidc(Tenant), Jit: false }, { Secret: 's' }, clerk.token);
  });
}
