import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/values';
import {
  assertRefused,
  bodyOf,
  knownTo,
  readList,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../support/answers.ts';
import { addProvider, claim, type Domain, newName } from '../support/domains.ts';
import { describeBoth, type Stack } from '../support/harness.ts';
import { createTenant, newAddress, signUp, tenantFor } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, eventsOf, eventTypesOf, rowsOf } from '../support/store.ts';

describeBoth('domains', (topology) => {
  let stack: Stack;
  let id: string;
  let token: string;
  before(async () => {
    stack = await sharedStack(topology);
    ({ id, token } = await signUp(stack));
  });
  after(() => stack?.stop());

  const newTenant = async () => tenantFor(stack, id);
  const create = (Tenant: string, Name: string, rest: object = {}) =>
    stack.call('Domain_Create', { Tenant, Name, ...rest }, token);
  const update = (domain: Domain, fields: object) =>
    stack.call('Domain_Update', { Tenant: domain.Tenant, ID: domain.ID, ...fields }, token);
  const read = async ({ Tenant, ID }: Domain) =>
    recordIn(await stack.call('Domain_Get', { Tenant, ID }, token), 'Domain') as Domain;

  test('Domain_Create claims a name and returns the TXT record to publish, as do the store and the event', async () => {
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
    const Tenant = await newTenant();
    const refused: Record<string, readonly string[]> = {
      'must not be a public suffix: anybody can have a name below it':
        'co.uk CO.UK github.io duckdns.org a.kawasaki.jp 公司.cn xn--55qx5d.cn'.split(' '),
      'must not be a mail service for everybody: its addresses belong to no organisation':
        'gmail.com GMail.Com mail.gmail。com ｇmail.com outlook.com yahoo.co.uk hotmail.fr web.de qq.com mail.gmail.com'.split(
          ' ',
        ),
      'must be a domain name, not an address': '127.0.0.1 0x7f.1 1.2.3 １.2.3.4 192.168.257'.split(
        ' ',
      ),
      'must not be a name of the own machine': ['foo.localhost'],
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

  test('Domain_Create stops at 50 domains per tenant, also for concurrent calls', async () => {
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
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const made: Domain[] = [];
    for (let index = 0; index < 5; index++) made.push(await claim(stack, Tenant, token));
    await claim(stack, other, token);
    const { items, sizes } = await readList<Domain>(stack, 'Domain_List', { Tenant }, token, 2);
    assert.deepEqual([items, sizes], [made, [2, 2, 1]]);
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

  test('Domain_* answer not_found for a domain of another tenant, as for a missing one, and do not change it', async () => {
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const foreign = await claim(stack, other, token);
    for (const ID of [foreign.ID, createId('dom')]) {
      for (const operation of ['Domain_Get', 'Domain_Verify', 'Domain_Update']) {
        assertRefused(
          await stack.call(
            operation,
            knownTo(operation, { Tenant, ID, Capture: 'suggest' }),
            token,
          ),
          400,
          'not_found',
          ['domain not found'],
        );
      }
      assert.deepEqual(bodyOf(await stack.call('Domain_Delete', { Tenant, ID }, token)), {});
    }
    assert.deepEqual(await read(foreign), foreign);
    assert.deepEqual(await eventTypesOf(stack, 'sso', Tenant), []);
  });

  test('Domain_* deny strangers, and a missing tenant answers like a foreign one', async () => {
    const stranger = await signUp(stack);
    const foreign = await createTenant(stack, stranger.token);
    const { ID } = await claim(stack, foreign, stranger.token);
    for (const Tenant of [foreign, createId('tnt')]) {
      for (const operation of ['Create', 'Verify', 'Get', 'List', 'Update', 'Delete']) {
        assertRefused(
          await stack.call(
            `Domain_${operation}`,
            knownTo(`Domain_${operation}`, { Tenant, ID, Name: newName() }),
            token,
          ),
          403,
          'permission_denied',
          ['permission denied'],
        );
      }
    }
    assert.equal(await countOf(stack, 'sso.domain where tenant = $1', [foreign]), 1);
  });

  test('every change of a domain is audited with its actor', async () => {
    const Tenant = await newTenant();
    const { ID, Name } = await claim(stack, Tenant, token);
    const rows = await rowsOf<{ audit: string }>(
      stack,
      'select audit from sso.outbox where for_tenant = $1',
      [Tenant],
    );
    const entry = JSON.parse(rows[0]?.audit ?? '{}') as Record<string, unknown>;
    assert.deepEqual(
      [
        entry['Action'],
        entry['Operation'],
        entry['ActorID'],
        entry['Permission'],
        entry['Targets'],
      ],
      ['domain.created', 'Domain_Create', id, 'iam.domains.write', [{ Type: 'domain', ID, Name }]],
    );
  });

  test('TenantMembers_Add needs no consent of a user whose verified address is in a verified domain of the tenant', async () => {
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const domain = await claim(stack, Tenant, token);
    const signUpAt = (name: string) =>
      signUp(stack, newAddress(name).replace('example.com', domain.Name));
    const [early, later] = [await signUpAt('early'), await signUpAt('later')];
    const statusOf = async (tenant: string, UserID: string) => {
      bodyOf(await stack.call('TenantMembers_Add', { Tenant: tenant, UserID }, token));
      const { items } = await readList<{ UserID: string; Status: string }>(
        stack,
        'TenantMembers_List',
        { Tenant: tenant },
        token,
      );
      return items.find((item) => item.UserID === UserID)?.Status;
    };
    assert.equal(await statusOf(Tenant, early.id), 'pending');
    await rowsOf(
      stack,
      `update sso.domain set status = 'verified', verified_at = now() where tenant = $1 and id = $2`,
      [Tenant, domain.ID],
    );
    assert.equal(await statusOf(Tenant, later.id), 'active');
    assert.equal(await statusOf(other, later.id), 'pending');
    // The domain now also covers users with a pending membership from before.
    assert.equal(await statusOf(Tenant, early.id), 'active');
    await rowsOf(stack, `update sso.domain set status = 'lapsed' where tenant = $1 and id = $2`, [
      Tenant,
      domain.ID,
    ]);
    assert.equal(await statusOf(Tenant, (await signUpAt('late')).id), 'pending');
  });
});
