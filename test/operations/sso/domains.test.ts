import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  assertRefused,
  bodyOf,
  readList,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../../support/answers.ts';
import { addProvider, claim, type Domain, newName } from '../../support/domains.ts';
import { describeOne } from '../../support/harness.ts';
import { countOf, eventsOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Domains, startDomains } from './domain-calls.ts';

describeOne('domains', 'one process', (topology) => {
  let suite: Domains;
  before(async () => {
    suite = await startDomains(topology);
  });
  after(() => suite?.stop());

  test('Domain_Create claims a name and returns the TXT record to publish, as do the store and the event', async () => {
    const { stack, id, token, newTenant, read } = suite;
    const Tenant = await newTenant();
    const Name = newName();
    const domain = await claim(stack, Tenant, token, {
      Name,
      Status: 'verified',
      TxtValue: 'mine',
      VerifiedAt: 7,
    });
    const { ID, TxtValue, ChallengeExpiresAt, CreatedAt, ...rest } = domain;
    assert.deepEqual(rest, {
      Tenant,
      Name,
      Status: 'pending',
      TxtName: `_bailiwick-challenge.${Name}`,
      Capture: 'off',
      DefaultRole: '',
      FailureReason: '',
    });
    assert.match(ID, /^dom_[0-7][0-9a-z]{25}$/);
    assert.match(TxtValue, /^bailiwick-verify=[A-Za-z0-9_-]{43}$/);
    assert.equal(Date.parse(ChallengeExpiresAt) - Date.parse(CreatedAt), 7 * 86_400_000);
    assert.deepEqual(await read(domain), domain);
    const events = await eventsOf(stack, 'sso', Tenant);
    assert.deepEqual(
      events.map(({ type, actor, data, previous }) => ({ type, actor, data, previous })),
      [{ type: 'domain.created', actor: { type: 'user', id }, data: domain, previous: {} }],
    );
    assert.notEqual((await claim(stack, Tenant, token)).TxtValue, TxtValue);
  });

  test('Domain_Create takes international names in either form, and treats all spellings as one name', async () => {
    const { stack, token, newTenant, create } = suite;
    const Tenant = await newTenant();
    const label = newName('').slice(0, -1);
    const domain = await claim(stack, Tenant, token, { Name: `${label}.BÜCHER.Example` });
    assert.deepEqual(
      [domain.Name, domain.TxtName],
      [`${label}.xn--bcher-kva.example`, `_bailiwick-challenge.${label}.xn--bcher-kva.example`],
    );
    const spellings = [
      `${label}.bücher.example`,
      `${label.toUpperCase()}.xn--BCHER-KVA.example`,
      `${label}.bücher。example`,
      `${label}.bu\u0308cher.example`,
      `${label}.ｂücher.example`,
    ];
    for (const Name of spellings)
      assertRefused(await create(Tenant, Name), 400, 'already_exists', [
        `the tenant has the domain ${domain.Name} already`,
      ]);
    assert.equal(await countOf(stack, 'sso.domain where tenant = $1', [Tenant]), 1);
  });

  test('Domain_Create refuses names that no tenant can own, in any disguise', async () => {
    const { stack, token, newTenant, create } = suite;
    const Tenant = await newTenant();
    const refused: Record<string, readonly string[]> = {
      'must not be a public suffix: anyone can register a name below it':
        'co.uk CO.UK github.io duckdns.org a.kawasaki.jp 公司.cn xn--55qx5d.cn'.split(' '),
      'must not be a public mail service: its addresses do not belong to an organisation':
        'gmail.com GMail.Com mail.gmail。com ｇmail.com outlook.com yahoo.co.uk hotmail.fr web.de qq.com mail.gmail.com'.split(
          ' ',
        ),
      'must be a domain name, not an address': '127.0.0.1 0x7f.1 1.2.3 １.2.3.4 192.168.257'.split(
        ' ',
      ),
      'must not be a local name': ['foo.localhost'],
      'must be a domain name such as example.com': [
        ...'localhost example example.com. .example.com a..b -a.example a_b.example ＿a.example [::1] *.example.com'.split(
          ' ',
        ),
        ...'a.example/b a.example:53 user@a.example https://a.example'.split(' '),
        'a b.example',
        `${'a'.repeat(64)}.example`,
        `${'ü'.repeat(60)}.example`,
      ],
      'must be at most 232 characters, international names in their xn-- form': [
        `${Array.from({ length: 4 }, () => 'a'.repeat(56)).join('.')}.example`,
      ],
    };
    for (const [problem, names] of Object.entries(refused))
      for (const Name of names)
        assertRefused(await create(Tenant, Name), 400, 'invalid_argument', [`Name ${problem}`]);
    assertRefused(
      await create(Tenant, '', { Capture: 'all', DefaultRole: 'No!' }),
      400,
      'invalid_argument',
      [
        'Name is required',
        'Capture must be one of off, suggest, join, require_sso',
        'DefaultRole must be 2 to 63 lower-case letters, digits and "-", beginning with a letter',
      ],
    );
    assert.equal(await countOf(stack, 'sso.domain where tenant = $1', [Tenant]), 0);
    for (const Name of ['acme.github.io', 'acme.co.uk', 'gmail.acme.test', 'acme.internal'])
      await claim(stack, Tenant, token, { Name });
  });

  test('Domain_Create, called ten times at once, makes one claim; several tenants may claim one name', async () => {
    const { stack, token, newTenant, create } = suite;
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const Name = newName();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => retryWhileBusy(() => create(Tenant, Name))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'already_exists');
    assert.notEqual(
      (await claim(stack, other, token, { Name })).TxtValue,
      recordIn(answers.find(({ status }) => status === 200)!, 'Domain'),
    );
    assert.equal((await eventTypesOf(stack, 'sso', Tenant)).length, 1);
  });

  test('Domain_Create stops at 50 domains per tenant, even for concurrent calls', async () => {
    const { stack, newTenant, create } = suite;
    const Tenant = await newTenant();
    await rowsOf(
      stack,
      `insert into sso.domain (tenant, id, name, status, capture, created_at, updated_at)
       select $1, 'dom_' || n, n || '.filled.test', 'pending', 'off', now(), now() from generate_series(1, 48) n`,
      [Tenant],
    );
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => retryWhileBusy(() => create(Tenant, newName()))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 2);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assertRefused(answer, 400, 'failed_precondition', ['a tenant has at most 50 domains']);
    }
    assert.equal(await countOf(stack, 'sso.domain where tenant = $1', [Tenant]), 50);
  });

  test('Domain_Update changes the sent fields only, and its event has the previous values', async () => {
    const { stack, token, newTenant, create, update, read } = suite;
    const Tenant = await newTenant();
    const domain = await claim(stack, Tenant, token);
    for (const fields of [{}, { Capture: 'off' }, { DefaultRole: '' }])
      assert.deepEqual(recordIn(await update(domain, fields), 'Domain'), domain);
    await addProvider(stack, Tenant);
    const changed = recordIn(
      await update(domain, { Capture: 'require_sso', Status: 'verified', TxtValue: 'x' }),
      'Domain',
    );
    assert.deepEqual(changed, { ...domain, Capture: 'require_sso' });
    assert.deepEqual(await read(domain), changed);
    const [, ...events] = await eventsOf(stack, 'sso', Tenant);
    assert.deepEqual(
      events.map(({ type, previous, data }) => ({ type, previous, data })),
      [{ type: 'domain.updated', previous: { Capture: 'off' }, data: changed }],
    );
    for (const fields of [{ Capture: '' }, { Capture: 'JOIN' }, { DefaultRole: '*' }])
      assertRefused(await update(domain, fields), 400, 'invalid_argument');
    assertRefused(await update(domain, { DefaultRole: 'owner' }), 400, 'invalid_argument', [
      'DefaultRole must not be owner',
    ]);
    assertRefused(
      await create(Tenant, newName(), { DefaultRole: 'owner' }),
      400,
      'invalid_argument',
      ['DefaultRole must not be owner'],
    );
  });

  test('Capture require_sso needs an active provider of the tenant, or all users would be locked out', async () => {
    const { stack, token, newTenant, create, update } = suite;
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const domain = await claim(stack, Tenant, token);
    await addProvider(stack, other);
    await addProvider(stack, Tenant, false);
    const messages = ['the tenant has no active provider'];
    assertRefused(
      await create(Tenant, newName(), { Capture: 'require_sso' }),
      400,
      'failed_precondition',
      messages,
    );
    assertRefused(
      await update(domain, { Capture: 'require_sso' }),
      400,
      'failed_precondition',
      messages,
    );
    await addProvider(stack, Tenant);
    assert.equal(
      (await claim(stack, Tenant, token, { Capture: 'require_sso' })).Capture,
      'require_sso',
    );
  });

  test('Domain_List pages through the tenant’s domains only, and takes only its own cursor', async () => {
    const { stack, token, newTenant } = suite;
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const domains: Domain[] = [];
    for (let index = 0; index < 5; index++) domains.push(await claim(stack, Tenant, token));
    await claim(stack, other, token);
    const { items, sizes } = await readList<Domain>(stack, 'Domain_List', { Tenant }, token, 2);
    assert.deepEqual([items, sizes], [domains, [2, 2, 1]]);
    const { NextCursor: Cursor } = await readPage<Domain>(
      stack,
      'Domain_List',
      { Tenant, Page: { Limit: 2 } },
      token,
    );
    for (const request of [
      { Tenant: other, Page: { Cursor } },
      { Tenant, Page: { Cursor: `${Cursor}A` } },
    ]) {
      assertRefused(await stack.call('Domain_List', request, token), 400, 'invalid_argument');
    }
  });

  test('Domain_Delete gives up a domain, repeats without an event, and the name can be claimed again with another challenge', async () => {
    const { stack, token, newTenant } = suite;
    const Tenant = await newTenant();
    const domain = await claim(stack, Tenant, token);
    for (let time = 0; time < 2; time++)
      assert.deepEqual(
        bodyOf(await stack.call('Domain_Delete', { Tenant, ID: domain.ID }, token)),
        {},
      );
    assertRefused(
      await stack.call('Domain_Get', { Tenant, ID: domain.ID }, token),
      400,
      'not_found',
      ['domain not found'],
    );
    const events = await eventsOf(stack, 'sso', Tenant);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['domain.created', 'domain.deleted'],
    );
    assert.deepEqual(events[1]?.data, domain);
    const again = await claim(stack, Tenant, token, { Name: domain.Name });
    assert.notEqual(again.TxtValue, domain.TxtValue);
  });
});
