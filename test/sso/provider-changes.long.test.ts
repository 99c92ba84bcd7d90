import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../answers.ts';
import { describeBoth, eventually, type Stack } from '../harness.ts';
import { countOf, rowsOf, whileLocked } from '../store.ts';
import { createHome, type Home, loginUrl, ownDomain, refusalIn, samlOf } from './home.ts';
import type { Op } from './oidc/op.ts';
import { startEvilIdp } from './saml/evil-idp.ts';
import { account, clientSecret, type Providers, rolesOf, startProviders } from './stage.ts';

// What becomes of people, and of those who are on their way, when their provider is changed, switched off or deleted.

describeBoth('a provider that changes', (topology) => {
  let stack: Stack;
  let op: Op;
  let say: Providers['say'];
  let go: Providers['go'];
  let provide: Providers['provide'];
  let stop = () => Promise.resolve();
  before(async () => {
    ({ stack, op, say, go, provide, stop } = await startProviders(topology));
  });
  after(() => stop());

  for (const kind of ['oidc', 'saml']) {
    test(`a provider that is switched off or deleted lets nobody in (${kind}), not even those who are on their way`, async () => {
      const home = await createHome(stack);
      const provider = await provide(home, kind);
      const email = `ada@${home.domain}`;
      say({ subject: 'off', email });
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
        'whoever is signed in stays so',
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
        'until the provider is gone',
      );
      assert.equal(
        await countOf(stack, 'identity.identity_link where provider = $1', [provider.ID]),
        0,
      );
    });
  }

  /** A sign-in that has been judged and waits to make its person a member, while something else happens. */
  async function signInMeanwhile(home: Home, start: string, meanwhile: () => Promise<unknown>) {
    const waiting = () =>
      countOf(
        stack,
        "pg_stat_activity where wait_event_type = 'Lock' and query like '%for update%'",
      ).then((count) => count > 0);
    const arriving = await whileLocked(
      stack,
      'select from access.tenant where id = $1 for update',
      [home.tenant],
      async () => {
        const sent = go(start);
        await eventually('a sign-in that waits', waiting);
        await meanwhile();
        return { sent };
      },
    );
    return arriving.sent;
  }

  test('whoever is judged while the provider goes gets no session, no link and nothing that it gives', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml', {
      GroupMappings: [{ Value: 'staff', Role: 'admin' }],
    });
    const email = `ada@${home.domain}`;
    say({ subject: 'overtaken', email, groups: ['staff'] });
    // As somebody deletes it whose process ends before it has taken back anything.
    const remove = () => rowsOf(stack, 'delete from sso.provider where id = $1', [provider.ID]);
    const late = await signInMeanwhile(home, loginUrl(stack, provider), remove);
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
      'what was mapped is taken back',
    );
  });

  test('whoever is judged while the provider gets another name for people is told to sign in again, and can', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    say({ subject: 'renamed', email: `ada@${home.domain}` });
    const rename = () =>
      rowsOf(
        stack,
        `update sso.provider set attribute_map = '{"Subject": "mail"}', updated_at = now() where id = $1`,
        [provider.ID],
      );
    assert.equal(
      refusalIn(await signInMeanwhile(home, loginUrl(stack, provider), rename)).status,
      400,
    );
    assert.equal(
      await countOf(stack, 'identity.identity_link where provider = $1', [provider.ID]),
      0,
    );
    assert.ok((await go(loginUrl(stack, provider))).token);
  });

  test('a change that nobody is judged by keeps nobody out', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    say({ subject: 'untouched', email: `ada@${home.domain}` });
    const touch = () =>
      stack.call(
        'Sso_SaveProvider',
        { Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'Another name' } },
        home.owner.token,
      );
    assert.ok((await signInMeanwhile(home, loginUrl(stack, provider), touch)).token);
  });

  test('a new client at the provider names people anew, and they are known by their addresses', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'oidc');
    const email = `ada@${home.domain}`;
    say({ subject: 'first-name', email });
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
    say({ subject: 'second-name', email });
    const { token = '' } = await go(loginUrl(stack, provider));
    assert.equal((await account(stack, token)).User.ID, ID);
  });

  test('a provider that calls itself something else from now on knows nobody any more, and gets to know them anew', async () => {
    const home = await createHome(stack);
    const provider = await provide(home, 'saml');
    say({ subject: 'moved', email: `ada@${home.domain}` });
    const { token: before = '' } = await go(loginUrl(stack, provider));
    const stale = {
      Provider: { Tenant: home.tenant, ID: provider.ID, Name: 'x', IdpEntityID: 'urn:other' },
      IfUpdatedAt: '2026-01-01T00:00:00.000Z',
    };
    assert.equal((await stack.call('Sso_SaveProvider', stale, home.owner.token)).status, 400);
    assert.equal(
      (await stack.call('Account_Get', {}, before)).status,
      200,
      'what is refused ends nothing',
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

  test('the last provider of people who get in by nothing else is neither switched off nor deleted', async () => {
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
      'of two at once one stays',
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
    // Nor where it is not verified yet, or no more: it may be tomorrow, and nobody is asked then.
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
    // Nor where the tenant itself lets nobody in another way: with the provider every session that it takes would end.
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
    // Without a provider no domain is to require one.
    assertRefused(
      await stack.call('Domain_Update', { Tenant, ID, Capture: 'require_sso' }, owner.token),
      400,
      'failed_precondition',
      ['the tenant has no active provider'],
    );
  });
});
