import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { createBot, createKey, grantBotInStore } from '../support/bots.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { mailsTo, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { dumpOf, eventsOf, rowsOf, textBelow } from '../support/store.ts';
import { createProviderCalls, type Person, type Provider } from './provider-calls.ts';
import { testProviderRights } from './provider-rights.ts';
import { assertLeftOut } from './weak-metadata.ts';

describeBoth('identity providers', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  let certificate: string;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
    ({ certificate } = await createSpCertificate('idp'));
  });
  after(() => stack?.stop());

  const suite = () => ({ stack, ada, bob, certificate });
  const calls = createProviderCalls(suite);
  const { tenantOf, oidc, samlOf, save, saved, read } = calls;
  testProviderRights(suite, calls);

  test('Sso_SaveProvider stores an OIDC provider with its defaults, and returns the redirect URI', async () => {
    const Tenant = await tenantOf(ada);
    const provider = await saved({
      ...oidc(Tenant),
      SecretEnc: 'bWluZQ==',
      LastError: 'mine',
      RedirectURI: 'https://mine.example.com',
    });
    assert.match(provider.ID, /^sso_/);
    assert.deepEqual(
      [provider.Active, provider.Jit, provider.Scopes, provider.SecretEnc],
      [true, true, ['email', 'profile'], ''],
    );
    assert.equal(provider.RedirectURI, `${stack.url}/auth/${Tenant}/${provider.ID}/callback`);
    assert.deepEqual(recordIn(await read(Tenant, provider.ID), 'Provider'), provider);
    const [event] = (await eventsOf(stack, 'sso', Tenant)).filter(
      ({ type }) => type === 'sso_provider.created',
    );
    assert.deepEqual(event?.data, provider);
  });

  test('Sso_SaveProvider keeps omitted fields and the secret, and an unchanged record makes no event', async () => {
    const Tenant = await tenantOf(ada);
    const GroupMappings = [{ Value: 'staff', Group: '', Role: 'member' }];
    const provider = await saved({
      ...oidc(Tenant),
      GroupMappings,
      AttributeMap: { Groups: 'roles' },
      Scopes: ['email'],
    });
    assert.deepEqual(await saved(provider, {}), provider);
    const renamed = await saved({ Tenant, ID: provider.ID, Name: 'People' }, {});
    assert.deepEqual({ ...renamed, Name: 'Staff', UpdatedAt: provider.UpdatedAt }, provider);
    const emptied = await saved(
      { Tenant, ID: provider.ID, Name: 'People', GroupMappings: [], Scopes: [] },
      {},
    );
    assert.deepEqual([emptied.GroupMappings, emptied.Scopes], [[], []]);
    const stored = () =>
      rowsOf<{ secret_enc: Buffer }>(stack, 'select secret_enc from sso.provider where id = $1', [
        provider.ID,
      ]);
    const [before] = await stored();
    await saved(emptied, { Secret: 'another secret' });
    const [after] = await stored();
    assert.notDeepEqual(after, before);
    const changes = (await eventsOf(stack, 'sso', Tenant)).map(({ type, previous }) => [
      type,
      Object.keys(previous),
    ]);
    assert.deepEqual(changes, [
      ['sso_provider.created', []],
      ['sso_provider.updated', ['Name']],
      ['sso_provider.updated', ['Scopes', 'GroupMappings']],
      ['sso_provider.updated', ['SecretEnc']],
    ]);
  });

  test('the client secret and the SP private key are in no answer, event, table, log or broker file', async () => {
    const Tenant = await tenantOf(ada);
    const secret = randomBytes(16).toString('hex');
    const provider = await saved(oidc(Tenant), { Secret: secret });
    await saved({ ...provider, Name: 'Renamed' }, { Secret: `${secret}-2` });
    const saml = await saved({ ...samlOf(Tenant) }, {});
    const listed = JSON.stringify(
      await readList(stack, 'Sso_ListProviders', { Tenant }, ada.token),
    );
    const everything = [listed, await dumpOf(stack, 'sso'), textBelow(stack.folder)].join('\n');
    assert.ok(
      everything.includes(provider.ID) && everything.includes(saml.ID),
      'the searched text covers the provider records',
    );
    // The dump shows bytes in hexadecimal.
    const hex = (text: string) => Buffer.from(text).toString('hex');
    for (const needle of [secret, hex(secret), hex('PRIVATE KEY')])
      assert.ok(!everything.includes(needle));
    assert.ok(!listed.includes('PRIVATE KEY'));
  });

  test('Sso_SaveProvider lists all missing fields of the provider’s kind', async () => {
    const Tenant = await tenantOf(ada);
    assertRefused(await save({ Tenant, Name: 'a' }), 400, 'invalid_argument', [
      'Provider.Kind is required',
    ]);
    assertRefused(await save({ Tenant, Name: 'a', Kind: 'oidc' }), 400, 'invalid_argument', [
      'Provider.Issuer is required',
      'Provider.ClientID is required',
      'Secret is required with client_secret_basic',
    ]);
    assertRefused(await save({ Tenant, Name: 'a', Kind: 'saml' }), 400, 'invalid_argument', [
      'Provider.IdpSsoURL is required',
      'Provider.IdpEntityID is required',
      'Provider.IdpCertificates is required',
    ]);
    const mapped = {
      ...samlOf(Tenant),
      GroupMappings: [{ Value: 'staff' }],
      AttributeMap: { Nonsense: 'a' },
    };
    assert.match(String((await save(mapped)).body.Messages), /AttributeMap/);
    assertRefused(await save({ ...mapped, AttributeMap: {} }), 400, 'invalid_argument', [
      'Provider.GroupMappings[0] must name a Group or a Role',
    ]);
    assert.equal((await save({ ...samlOf(Tenant), IdpCertificates: ['junk'] })).status, 400);
  });

  test('Sso_SaveProvider rejects URLs that must not be called', async () => {
    const Tenant = await tenantOf(ada);
    for (const url of [
      'http://id.example.com',
      'https://10.0.0.1',
      'https://169.254.169.254/latest',
      'https://id.internal',
      'https://a:b@id.example.com',
      'ftp://id.example.com',
      'https://id.example.com:22',
    ]) {
      assertRefused(
        await save({ ...oidc(Tenant), Issuer: url }, { Secret: 's' }),
        400,
        'invalid_argument',
      );
      assertRefused(await save({ ...samlOf(Tenant), IdpSsoURL: url }), 400, 'invalid_argument');
      assertRefused(
        await save({ Tenant, Kind: 'saml', Name: 'a' }, { MetadataURL: url }),
        400,
        'invalid_argument',
      );
    }
    for (const path of ['?a=b', '/a/.well-known/openid-configuration'])
      assertRefused(
        await save({ ...oidc(Tenant), Issuer: `https://id.example.com${path}` }, { Secret: 's' }),
        400,
        'invalid_argument',
      );
  });

  test('Sso_SaveProvider reads IdP metadata, and returns the URLs of the SP metadata', async () => {
    const Tenant = await tenantOf(ada);
    const body = certificate.replace(/-----[^-]+-----|\s/g, '');
    const MetadataXML = `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com/metadata"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>${body}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.com/sso"/></md:IDPSSODescriptor></md:EntityDescriptor>`;
    const provider = await saved({ Tenant, Kind: 'saml', Name: 'Staff' }, { MetadataXML });
    assert.deepEqual(
      [
        (provider as unknown as { IdpEntityID: string }).IdpEntityID,
        provider.IdpCertificates.length,
        provider.RedirectURI,
      ],
      ['https://idp.example.com/metadata', 1, ''],
    );
    assert.equal(provider.SpEntityID, `${stack.url}/auth/${Tenant}/${provider.ID}/metadata`);
    const ours = await fetch(provider.SpEntityID);
    const text = await ours.text();
    assert.deepEqual(
      [ours.status, ours.headers.get('content-type')],
      [200, 'application/samlmetadata+xml'],
    );
    assert.ok(
      text.includes(provider.AcsURL) &&
        text.includes(provider.SpEntityID) &&
        !text.includes('PRIVATE'),
    );
    assertRefused(
      await save({ Tenant, Kind: 'saml', Name: 'a' }, { MetadataXML: '<!DOCTYPE a><a/>' }),
      400,
      'invalid_argument',
    );
    await assertLeftOut(stack, ada, { Tenant, MetadataXML });
    const nowhere = await save(
      { Tenant, Kind: 'saml', Name: 'a' },
      { MetadataURL: `${stack.inboxUrl}/nothing-here` },
    );
    assertRefused(nowhere, 400, 'invalid_argument', [
      'MetadataURL cannot be fetched: it answered 404',
    ]);
  });

  test('Sso_SaveProvider with an outdated version fails, and of ten calls at once with one version one wins', async () => {
    const Tenant = await tenantOf(ada);
    const provider = await saved(oidc(Tenant));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        save({ ...provider, Name: `Name ${index}` }, { IfUpdatedAt: provider.UpdatedAt }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['the provider was changed meanwhile']);
  });

  test('a tenant has at most twenty providers, even when created at once, and lists them in pages', async () => {
    const Tenant = await tenantOf(ada);
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => save(oidc(Tenant), { Secret: 's' })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 20);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['a tenant has at most 20 providers']);
    const { items, sizes } = await readList<Provider>(
      stack,
      'Sso_ListProviders',
      { Tenant },
      ada.token,
      8,
    );
    assert.deepEqual([sizes, new Set(items.map(({ ID }) => ID)).size], [[8, 8, 4], 20]);
  });

  test('Sso_DeleteProvider deletes the provider, and a repeated call does nothing', async () => {
    const Tenant = await tenantOf(ada);
    const { ID } = await saved(oidc(Tenant));
    for (let times = 0; times < 2; times++)
      bodyOf(await stack.call('Sso_DeleteProvider', { Tenant, ID }, ada.token));
    assertRefused(await read(Tenant, ID), 400, 'not_found');
    assert.equal(
      (await eventsOf(stack, 'sso', Tenant)).filter(({ type }) => type === 'sso_provider.deleted')
        .length,
      1,
    );
  });

  test('Sso_LiftRequirement needs a bot with the permission, mails all owners, and can be ended', async () => {
    const Tenant = await tenantOf(ada);
    const bot = await createBot(stack, Tenant, ada.token);
    const { Secret } = await createKey(stack, bot, ada.token);
    assertRefused(
      await stack.call('Sso_LiftRequirement', { Tenant }, ada.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await stack.call('Sso_LiftRequirement', { Tenant }, Secret),
      403,
      'permission_denied',
    );
    await grantBotInStore(stack, bot, 'admin');
    const before = (await mailsTo(stack, ada.email)).length;
    const { Until } = await eventually('the right', async () => {
      const answer = await stack.call('Sso_LiftRequirement', { Tenant }, Secret);
      return answer.status === 200 && (answer.body as unknown as { Until: string });
    });
    const minutes = (Date.parse(Until) - Date.now()) / 60_000;
    assert.ok(minutes > 59 && minutes <= 60, Until);
    const notice = await eventually(
      'the notice',
      async () =>
        (await mailsTo(stack, ada.email)).length > before && (await mailsTo(stack, ada.email))[0],
    );
    assert.equal(notice.Subject, 'Single sign-on is lifted for owners');
    bodyOf(await stack.call('Sso_LiftRequirement', { Tenant, Minutes: 0 }, Secret));
    assertRefused(
      await stack.call('Sso_LiftRequirement', { Tenant, Minutes: 61 }, Secret),
      400,
      'invalid_argument',
    );
    const types = (await eventsOf(stack, 'sso', Tenant)).map(({ type }) => type);
    assert.deepEqual(types, ['sso.requirement_lifted', 'sso.requirement_restored']);
  });

  test('Keys_Status counts the data keys of providers, and Keys_Rotate replaces them', async () => {
    const Tenant = await tenantOf(ada);
    const { ID, DekID } = await saved(oidc(Tenant));
    const status = async () =>
      bodyOf(await stack.call('Keys_Status', { Tenant }, stack.platformKey)) as unknown as {
        DataKeys: Array<{ ID: string; Records: number }>;
      };
    assert.deepEqual(
      (await status()).DataKeys.map(({ ID: id, Records }) => [id, Records]),
      [[DekID, 1]],
    );
    bodyOf(await stack.call('Keys_Rotate', { Tenant }, stack.platformKey));
    const replaced = await eventually(
      'the new data key',
      async () => {
        const provider = recordIn(await read(Tenant, ID), 'Provider') as Provider;
        return provider.DekID !== DekID && provider;
      },
      60_000,
    );
    // The secret still opens: an update that keeps it reads it.
    await saved({ ...replaced, Name: 'Renamed' }, {});
  });
});
