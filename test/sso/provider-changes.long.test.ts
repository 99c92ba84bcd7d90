import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { describeBoth, type Stack } from '../support/harness.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { createHome, loginUrl, ownDomain, refusalIn, samlOf } from './home.ts';
import type { Op } from './oidc/op.ts';
import { startEvilIdp } from './saml/evil-idp.ts';
import {
  account,
  clientSecret,
  type Providers,
  rolesOf,
  signInMeanwhile,
  startProviders,
} from './stage.ts';

// Sessions and sign-ins in progress when their provider is changed, disabled or deleted.

describeBoth('a changed SSO provider', (topology) => {
  let stack: Stack;
  let op: Op;
  let setIdentity: Providers['setIdentity'];
  let go: Providers['go'];
  let provide: Providers['provide'];
  let stop = () => Promise.resolve();
  before(async () => {
    ({ stack, op, setIdentity, go, provide, stop } = await startProviders(topology));
  });
  after(() => stop());

  for (const kind of ['oidc', 'saml']) {
    test(`a disabled or deleted provider rejects every sign-in (${kind}), also one in progress`, async () => {
      const home = await createHome(stack);
      const provider = await provide(home, kind);
      const email = `ada@${home.domain}`;
      setIdentity({ subject: 'off', email });
      const { token: earlier = '' } = await go(loginUrl(stack, provider));
      const start = await fetch(loginUrl(stack, provider), { redirect: 'manual' });
      assert.equal(start.status, 303);
      const change = (Active: boolean) =>
        stack.call(
          'Sso_SaveProvider',
          { Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', Active } },
          home.owner.token,
        );
      bodyOf(await change(false));
      const cookie = start.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ');
      const state =
        new URL(start.headers.get('location') ?? '').searchParams.get(
          kind === 'saml' ? 'RelayState' : 'state',
        ) ?? '';
      const callback = `${stack.url}/auth/${home.tenant}/${provider.ID}/callback`;
      const late =
        kind === 'saml'
          ? await fetch(callback, {
              method: 'POST',
              headers: { cookie },
              body: new URLSearchParams({ RelayState: state, SAMLResponse: 'eA==' }),
              redirect: 'manual',
            })
          : await fetch(
              `${callback}?${new URLSearchParams({ state, code: 'x', iss: op.issuer }).toString()}`,
              { headers: { cookie }, redirect: 'manual' },
            );
      assert.equal(late.status, 403);
      assert.match(((await late.json()) as { Message: string }).Message, /switched off/);
      assert.equal(refusalIn(await go(loginUrl(stack, provider))).status, 403);
      assert.equal(
        (await stack.call('Account_Get', {}, earlier)).status,
        200,
        'disabling the provider keeps its sessions',
      );
      bodyOf(
        await stack.call(
          'Sso_DeleteProvider',
          { Tenant: home.tenant, ID: provider.ID },
          home.owner.token,
        ),
      );
      assert.equal(refusalIn(await go(loginUrl(stack, provider))).status, 400);
      assert.equal(
        (await stack.call('Account_Get', {}, earlier)).status,
        401,
        'deleting the provider ends its sessions',
      );
      assert.equal(
        await countOf(stack, 'identity.identity_link where provider = $1', [provider.ID]),
        0,
      );
    });
  }

  test('a sign-in whose provider is deleted in between creates no session and no link and grants nothing', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml', {
      GroupMappings: [{ Value: 'staff', Role: 'admin' }],
    });
    const email = `ada@${home.domain}`;
    setIdentity({ subject: 'overtaken', email, groups: ['staff'] });
    // Deletes the row only, as a process that dies before it revokes links, sessions and grants.
    const remove = () => rowsOf(stack, 'delete from sso.provider where id = $1', [provider.ID]);
    const late = await signInMeanwhile({ stack, go }, home, loginUrl(stack, provider), remove);
    assert.deepEqual([refusalIn(late).status, late.token], [400, undefined]);
    assert.equal(
      await countOf(stack, 'identity.identity_link where provider = $1', [provider.ID]),
      0,
    );
    assert.equal(await countOf(stack, 'identity.session where provider = $1', [provider.ID]), 0);
    const [{ id } = { id: '' }] = await rowsOf<{ id: string }>(
      stack,
      'select id from identity.user_account where email = $1',
      [email],
    );
    assert.ok(
      id !== '' && !(await rolesOf(stack, home, id)).some(({ role }) => role === 'admin'),
      'the mapped role is revoked',
    );
  });

  test('a sign-in whose provider changes its subject attribute in between fails, and the next one works', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    setIdentity({ subject: 'renamed', email: `ada@${home.domain}` });
    const rename = () =>
      rowsOf(
        stack,
        `update sso.provider set attribute_map = '{"Subject": "mail"}', updated_at = now() where id = $1`,
        [provider.ID],
      );
    assert.equal(
      refusalIn(await signInMeanwhile({ stack, go }, home, loginUrl(stack, provider), rename))
        .status,
      400,
    );
    assert.equal(
      await countOf(stack, 'identity.identity_link where provider = $1', [provider.ID]),
      0,
    );
    assert.ok((await go(loginUrl(stack, provider))).token);
  });

  test('a change of the provider’s name in between does not fail a sign-in', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    setIdentity({ subject: 'untouched', email: `ada@${home.domain}` });
    const touch = () =>
      stack.call(
        'Sso_SaveProvider',
        { Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'Another name' } },
        home.owner.token,
      );
    assert.ok((await signInMeanwhile({ stack, go }, home, loginUrl(stack, provider), touch)).token);
  });

  test('users are linked again by their address after the client id changes, as subjects may change too', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'oidc');
    const email = `ada@${home.domain}`;
    setIdentity({ subject: 'first-name', email });
    const { token: before = '' } = await go(loginUrl(stack, provider));
    const { ID } = (await account(stack, before)).User;
    bodyOf(
      await stack.call(
        'Sso_SaveProvider',
        {
          Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', ClientID: 'another' },
          Secret: clientSecret,
        },
        home.owner.token,
      ),
    );
    op.setClient({ id: 'another', redirectUris: [provider.RedirectURI], secret: clientSecret });
    assert.equal((await stack.call('Account_Get', {}, before)).status, 401);
    setIdentity({ subject: 'second-name', email });
    const { token = '' } = await go(loginUrl(stack, provider));
    assert.equal((await account(stack, token)).User.ID, ID);
  });

  test('a new entity id ends all sessions and links of the provider, and users are linked again', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    setIdentity({ subject: 'moved', email: `ada@${home.domain}` });
    const { token: before = '' } = await go(loginUrl(stack, provider));
    const stale = {
      Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', IdpEntityID: 'urn:other' },
      IfUpdatedAt: '2026-01-01T00:00:00.000Z',
    };
    assert.equal((await stack.call('Sso_SaveProvider', stale, home.owner.token)).status, 400);
    assert.equal(
      (await stack.call('Account_Get', {}, before)).status,
      200,
      'a rejected change ends no session',
    );
    const other = await startEvilIdp();
    try {
      bodyOf(
        await stack.call(
          'Sso_SaveProvider',
          { Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', ...samlOf(other) } },
          home.owner.token,
        ),
      );
      other.setPerson({
        nameId: 'moved',
        attributes: { mail: [`ada@${home.domain}`], displayName: ['Ada'], groups: [] },
      });
      assert.equal((await stack.call('Account_Get', {}, before)).status, 401);
      const { token: after = '' } = await go(loginUrl(stack, provider));
      assert.equal((await account(stack, after)).User.Email, `ada@${home.domain}`);
    } finally {
      await other.stop();
    }
  });

  test('the last active provider cannot be disabled or deleted while the tenant or a domain requires SSO', async () => {
    const home = await createHome(stack);
    const { tenant: Tenant, owner } = home;
    const [one, other] = [await provide(home, 'oidc'), await provide(home, 'saml')];
    const name = await ownDomain(stack, home, { Capture: 'require_sso' });
    const save = (ID: string, fields: object) =>
      stack.call(
        'Sso_SaveProvider',
        { Provider: { Tenant, ID, Name: 'Staff', ...fields } },
        owner.token,
      );
    const off = (ID: string) => save(ID, { Active: false });
    const remove = (ID: string) => stack.call('Sso_DeleteProvider', { Tenant, ID }, owner.token);
    const both = await Promise.all([remove(one.ID), off(other.ID)]);
    assert.deepEqual(
      both.map(({ status }) => status).sort((a, b) => a - b),
      [200, 400],
      'one of two changes at once fails',
    );
    const { items } = await readList<{ ID: string; Active: boolean }>(
      stack,
      'Sso_ListProviders',
      { Tenant },
      owner.token,
    );
    const last = items.find(({ Active }) => Active)?.ID ?? '';
    const words = [
      `${name} requires single sign-on, and this is the last active provider: change the domain first`,
    ];
    for (const change of [off, remove])
      assertRefused(await change(last), 400, 'failed_precondition', words);
    bodyOf(await save(last, { Name: 'Renamed' }));
    const domains = await readList<{ ID: string; Name: string }>(
      stack,
      'Domain_List',
      { Tenant },
      owner.token,
    );
    const { ID = '' } = domains.items.find(({ Name }) => Name === name) ?? {};
    bodyOf(await stack.call('Domain_Update', { Tenant, ID, Capture: 'off' }, owner.token));
    // The same holds for a pending or failed domain: it may become verified later, without a check.
    const waiting = `waiting-${name}`;
    const claimed = recordIn(
      await stack.call(
        'Domain_Create',
        { Tenant, Name: waiting, Capture: 'require_sso' },
        owner.token,
      ),
      'Domain',
    ) as { ID: string };
    for (const change of [off, remove])
      assertRefused(await change(last), 400, 'failed_precondition', [
        words[0]?.replace(name, waiting) ?? '',
      ]);
    await rowsOf(stack, "update sso.domain set status = 'failed' where id = $1", [claimed.ID]);
    assertRefused(await remove(last), 400, 'failed_precondition', [
      words[0]?.replace(name, waiting) ?? '',
    ]);
    bodyOf(await stack.call('Domain_Delete', { Tenant, ID: claimed.ID }, owner.token));
    // The same holds if the tenant requires SSO: its users could not sign in any more.
    const require = async (RequireSso: boolean) =>
      bodyOf(
        await stack.call(
          'Tenants_Update',
          { Tenant: { ID: Tenant, Settings: { RequireSso } } },
          stack.platformKey,
        ),
      );
    await require(true);
    const byThePlatform = [
      await stack.call(
        'Sso_SaveProvider',
        { Provider: { Tenant, ID: last, Name: 'Staff', Active: false } },
        stack.platformKey,
      ),
      await stack.call('Sso_DeleteProvider', { Tenant, ID: last }, stack.platformKey),
    ];
    for (const answer of byThePlatform)
      assertRefused(answer, 400, 'failed_precondition', [
        'the tenant requires single sign-on, and this is the last active provider: change its settings first',
      ]);
    await require(false);
    bodyOf(await off(last));
    bodyOf(await remove(last));
    // A domain cannot require SSO without an active provider.
    assertRefused(
      await stack.call('Domain_Update', { Tenant, ID, Capture: 'require_sso' }, owner.token),
      400,
      'failed_precondition',
      ['the tenant has no active provider'],
    );
  });
});
