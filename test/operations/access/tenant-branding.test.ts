import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { pngOf } from '../../support/images.ts';
import { mailsTo, newAddress } from '../../support/people.ts';
import { countOf, eventsOf, rowsOf } from '../../support/store.ts';
import { startTenants, type Tenant, type Tenants } from './tenant-calls.ts';

type Branding = Record<string, string | number>;

const none = {
  Name: '',
  AccentColor: '',
  TermsURL: '',
  PrivacyURL: '',
  LogoPath: '',
  LogoWidth: 0,
  LogoHeight: 0,
};

describeOne('Tenant.Branding', 'one process', (topology) => {
  let suite: Tenants;
  before(async () => {
    suite = await startTenants(topology);
  });
  after(() => suite?.stop());

  const newTenant = async () =>
    recordIn(
      await suite.create({ Name: 'Acme' }, suite.stack.platformKey, { OwnerID: suite.ada.id }),
      'Tenant',
    ) as Tenant;
  const save = (ID: string, Branding: object, token = suite.ada.token) =>
    suite.stack.call('Tenants_Update', { Tenant: { ID, Branding } }, token);
  const saved = async (ID: string, branding: object) =>
    (recordIn(await save(ID, branding), 'Tenant') as { Branding: Branding }).Branding;
  const brandingOf = async (tenant: string) =>
    recordIn(await suite.stack.call('Tenants_GetBranding', { Tenant: tenant }), 'Branding');
  const logoOf = (path: unknown, headers = {}) =>
    fetch(`${suite.stack.url}${String(path)}`, { headers });
  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

  test('Tenants_Update keeps the fields that are not sent, and everyone reads the result', async () => {
    const { stack } = suite;
    const { ID, Slug } = await newTenant();
    assert.deepEqual(await brandingOf(ID), none);
    const [TermsURL, PrivacyURL] = ['https://acme.example/terms', 'https://acme.example/p?v=1#top'];
    await saved(ID, { Name: 'Acme Inc', AccentColor: '#8A1538', TermsURL });
    const both = { ...none, Name: 'Acme Inc', AccentColor: '#8a1538', TermsURL, PrivacyURL };
    assert.deepEqual(await saved(ID, { PrivacyURL }), both);
    for (const name of [ID, Slug]) assert.deepEqual(await brandingOf(name), both);
    const event = (await eventsOf(stack, 'access', ID)).at(-1);
    assert.deepEqual(
      [event?.type, event?.data?.['Branding'], Object.keys(event?.previous ?? {})],
      ['tenant.updated', both, ['Branding']],
    );
    // The record as it was read changes nothing.
    const events = (await eventsOf(stack, 'access', ID)).length;
    assert.deepEqual(await saved(ID, both), both);
    assert.equal((await eventsOf(stack, 'access', ID)).length, events);
    assert.deepEqual(
      await saved(ID, { Name: '', AccentColor: '', TermsURL: '', PrivacyURL: '' }),
      none,
    );
  });

  test('a new tenant can have branding', async () => {
    const Branding = { Name: 'New', AccentColor: '#1c4fc2' };
    const tenant = recordIn(
      await suite.create({ Name: 'New', Branding }, suite.stack.platformKey, {
        OwnerID: suite.ada.id,
      }),
      'Tenant',
    ) as Tenant;
    assert.deepEqual(await brandingOf(tenant.Slug), { ...none, ...Branding });
  });

  test('Tenants_Update names the broken rule of each field, and stores nothing', async () => {
    const { ID } = await newTenant();
    const field = 'Tenant.Branding';
    const url = 'must be an https URL of at most 2048 ASCII characters, without a user';
    const image = `${field}.Logo must be a PNG, JPEG or WebP image`;
    const cases: Array<[object, string[]]> = [
      [{ AccentColor: 'red' }, [`${field}.AccentColor must be a colour such as #1c4fc2`]],
      [
        { AccentColor: '#ffcc00' },
        [
          `${field}.AccentColor must be darker: its contrast with white text on it is 1.5:1, at least 4.5:1 is needed`,
        ],
      ],
      [{ TermsURL: 'http://acme.example' }, [`${field}.TermsURL ${url}`]],
      [{ TermsURL: 'javascript:alert(1)' }, [`${field}.TermsURL ${url}`]],
      [{ PrivacyURL: 'https://user@acme.example' }, [`${field}.PrivacyURL ${url}`]],
      [{ Logo: 'not base64' }, [`${field}.Logo must be base64`]],
      [{ Logo: encode(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')) }, [image]],
      [{ Logo: encode(Buffer.from('GIF89a')) }, [image]],
      [
        { Logo: encode(pngOf([1, 2, 3], { width: 2049 })) },
        [`${field}.Logo must be 1 to 2048 pixels wide and high`],
      ],
      [{ LogoURL: 'https://acme.example/logo.png' }, [`${field}.LogoURL is not a known field`]],
    ];
    for (const [branding, messages] of cases) {
      const answer = await save(ID, branding);
      assertRefused(answer, 400, 'invalid_argument');
      for (const message of messages)
        assert.ok(
          JSON.stringify(answer.body).includes(JSON.stringify(message).slice(1, -1)),
          `${message} in ${JSON.stringify(answer.body)}`,
        );
    }
    const large = pngOf([1, 2, 3], { size: 65 * 1024 });
    assert.equal(large.length, 65 * 1024);
    assertRefused(await save(ID, { Logo: encode(large) }), 400, 'invalid_argument');
    assert.deepEqual(await brandingOf(ID), none);
    assert.equal(await countOf(suite.stack, 'access.tenant_logo where tenant = $1', [ID]), 0);
  });

  test('only callers with iam.tenant.write in the tenant change its branding', async () => {
    const { stack, ada, bob } = suite;
    const { ID } = await newTenant();
    const other = await newTenant();
    bodyOf(
      await stack.call('TenantMembers_Add', { Tenant: ID, UserID: bob.id }, stack.platformKey),
    );
    for (const [id, token] of [
      // A member, a stranger, and a tenant that does not exist.
      [ID, bob.token],
      [other.ID, bob.token],
      [createId('tnt'), ada.token],
    ] as const) {
      assertRefused(await save(id, { Name: 'Mine' }, token), 403, 'permission_denied');
      assertRefused(
        await save(id, { Logo: encode(pngOf([9, 9, 9])) }, token),
        403,
        'permission_denied',
      );
    }
    assert.deepEqual(await brandingOf(ID), none);
    assert.deepEqual(await brandingOf(other.ID), none);
  });

  test('a logo is served as the image it is, changes its address, and goes with the tenant', async () => {
    const { stack } = suite;
    const [{ ID }, other] = await Promise.all([newTenant(), newTenant()]);
    const [red, blue] = [pngOf([200, 0, 0]), pngOf([0, 0, 200], { width: 48, size: 64 * 1024 })];
    const first = await saved(ID, { Logo: encode(red) });
    assert.partialDeepStrictEqual(first, { LogoWidth: 160, LogoHeight: 48 });
    const answer = await logoOf(first['LogoPath']);
    assert.equal(answer.status, 200);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), red);
    const header = (name: string) => answer.headers.get(name);
    assert.deepEqual(
      ['content-type', 'x-content-type-options', 'content-security-policy'].map(header),
      ['image/png', 'nosniff', "default-src 'none'; sandbox"],
    );
    const again = await logoOf(first['LogoPath'], { 'if-none-match': header('etag') ?? '' });
    assert.equal(again.status, 304);
    // No record and no event of the tenant carries the image.
    const event = JSON.stringify((await eventsOf(stack, 'access', ID)).at(-1));
    assert.ok(!event.includes(encode(red).slice(0, 40)));
    const second = await saved(ID, { Logo: encode(blue) });
    assert.notEqual(second['LogoPath'], first['LogoPath']);
    assert.deepEqual(Buffer.from(await (await logoOf(second['LogoPath'])).arrayBuffer()), blue);
    // A tenant without a logo, and one that does not exist.
    for (const tenant of [other.ID, createId('tnt')])
      assert.equal((await logoOf(`/brand/${tenant}/logo`)).status, 404);

    bodyOf(await stack.call('Tenants_Suspend', { Tenant: ID }, stack.platformKey));
    assert.deepEqual(await brandingOf(ID), none);
    assert.equal((await logoOf(second['LogoPath'])).status, 404);
    bodyOf(await stack.call('Tenants_Resume', { Tenant: ID }, stack.platformKey));
    assert.deepEqual(await brandingOf(ID), second);
    assert.deepEqual(await saved(ID, { Logo: '' }), none);
    assert.equal((await logoOf(second['LogoPath'])).status, 404);
    assert.deepEqual(
      await rowsOf(stack, 'select from access.tenant_logo where tenant = $1', [ID]),
      [],
    );
  });

  test('the mails about a tenant have its name, logo and colour, and other mails have not', async () => {
    const { stack, ada, bob } = suite;
    const { ID } = await newTenant();
    const { LogoPath } = await saved(ID, {
      Name: 'Acme www.acme.example',
      AccentColor: '#8a1538',
      Logo: encode(pngOf([1, 2, 3])),
    });
    const guest = newAddress('guest');
    bodyOf(await stack.call('TenantInvitations_Create', { Tenant: ID, Email: guest }, ada.token));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant: ID, UserID: bob.id }, ada.token));
    const Endpoint = {
      Tenant: ID,
      Name: 'ERP',
      URL: `${stack.inboxUrl}/hooks/gone?status=410`,
      EventTypes: ['group.created'],
    };
    bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint }, ada.token));
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: ID, Path: 'one' } }, ada.token));
    const mailWith = (address: string, subject: string) =>
      eventually(`“${subject}” to ${address}`, async () =>
        (await mailsTo(stack, address)).find(({ Subject }) => Subject === subject),
      );
    const logo = `src="${stack.url}${String(LogoPath)}" alt="" width="160" height="48"`;
    for (const { Html, Subject } of [
      await mailWith(guest, 'You are invited'),
      await mailWith(bob.email, 'You were added to an organisation'),
      await mailWith(ada.email, 'An endpoint was switched off'),
    ]) {
      assert.match(Html, /<bdi>Acme www acme example<\/bdi> · Bailiwick/, Subject);
      assert.ok(Html.includes(logo) && Html.includes('background: #8a1538'), Html);
    }
    const { Html } = await mailWith(ada.email, 'Confirm your e-mail address');
    assert.ok(!Html.includes('<img') && Html.includes('<p class="service">Bailiwick</p>'), Html);
  });

  test('the pages of a tenant have its branding, and the pages of other tenants do not', async () => {
    const { ID, Slug } = await newTenant();
    const { LogoPath } = await saved(ID, {
      Name: 'Acme <b>',
      AccentColor: '#8a1538',
      TermsURL: 'https://acme.example/terms',
      Logo: encode(pngOf([1, 2, 3])),
    });
    const page = async (path: string) => {
      const answer = await fetch(`${suite.stack.url}${path}`, { headers: { accept: 'text/html' } });
      const policy = answer.headers.get('content-security-policy') ?? '';
      return { html: await answer.text(), policy };
    };
    for (const path of [
      `/login?tenant=${Slug}`,
      `/invitation?tenant=${ID}`,
      // The error page of a provider that does not exist.
      `/auth/${ID}/${createId('sso')}/login`,
    ]) {
      const { html, policy } = await page(path);
      assert.ok(html.includes('<p><bdi>Acme &lt;b&gt;</bdi></p>'), path);
      assert.ok(
        html.includes(`${String(LogoPath).slice(1)}" alt="" width="160" height="48"`),
        path,
      );
      assert.ok(html.includes('pages/brand.css?color=8a1538'), path);
      assert.ok(html.includes('href="https://acme.example/terms"'), path);
      assert.match(policy, /^default-src 'none'; .*; img-src 'self'$/, path);
    }
    const plain = await page('/login');
    assert.ok(plain.html.includes('<bdi>Bailiwick</bdi>') && !plain.html.includes('<img'));
    for (const tenant of ['no-such-tenant', createId('tnt'), '%00', "'", 'x'.repeat(5000)])
      assert.deepEqual(await page(`/login?tenant=${tenant}`), plain, tenant);
  });

  test('Tenants_GetBranding answers alike for tenants without branding and unknown ones', async () => {
    const { Slug } = await newTenant();
    for (const name of [Slug, 'no-such-tenant', createId('tnt'), "'; drop table tenant"])
      assert.deepEqual(await brandingOf(name), none);
    assertRefused(await suite.stack.call('Tenants_GetBranding', {}), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
  });

  test('only the platform gives a tenant a name that reads like the service’s', async () => {
    const { stack, ada, create } = suite;
    const assertReserved = ({ body }: { body: Record<string, unknown> }) =>
      assert.equal(body['Reason'], 'NAME_RESERVED', JSON.stringify(body));
    assertReserved(await create({ Name: 'Bailiwick' }));
    assertReserved(await create({ Name: 'Acme', Branding: { Name: 'ＢＡＩＬＩ\u200bwick' } }));
    const { ID } = await newTenant();
    assertReserved(await save(ID, { Name: ' bai li wick ' }));
    const rename = (Name: string, token: string) =>
      stack.call('Tenants_Update', { Tenant: { ID, Name } }, token);
    assertReserved(await rename('bailiwick', ada.token));
    recordIn(await rename('Bailiwick of Jersey', ada.token), 'Tenant');

    recordIn(await rename('Bailiwick', stack.platformKey), 'Tenant');
    // The owner sends it back unchanged, beside another change.
    const tenant = { ID, Name: 'Bailiwick', Branding: { AccentColor: '#8a1538' } };
    recordIn(await stack.call('Tenants_Update', { Tenant: tenant }, ada.token), 'Tenant');
  });
});
