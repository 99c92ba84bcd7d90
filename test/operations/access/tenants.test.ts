import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn, retryWhileBusy } from '../../support/answers.ts';
import { describeBoth } from '../../support/harness.ts';
import { newAddress, password, register, signUp } from '../../support/people.ts';
import { countOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { startTenants, type Tenant, type Tenants } from './tenant-calls.ts';

const suffix = () => randomBytes(4).toString('hex');

const missingUser = 'usr_01hzzzzzzzzzzzzzzzzzzzzzzz';

describeBoth('tenants', (topology) => {
  let suite: Tenants;
  before(async () => {
    suite = await startTenants(topology);
  });
  after(() => suite?.stop());

  test('Tenants_Create stores the tenant with its creator as member and owner', async () => {
    const { stack, ada, create } = suite;
    const slug = `shop-${suffix()}`;
    const input = {
      Name: 'Shop',
      Slug: slug,
      Settings: { MaxBotKeyDays: 30 },
      Metadata: { plan: 'small' },
      ID: 7,
      Status: 'suspended',
      CreatedAt: 'never',
    };
    const tenant = recordIn(await create(input), 'Tenant') as Tenant;
    assert.match(tenant.ID, /^tnt_[0-7][0-9a-z]{25}$/);
    assert.deepEqual(
      [tenant.Slug, tenant.Name, tenant.Status, tenant.Metadata],
      [slug, 'Shop', 'active', { plan: 'small' }],
    );
    assert.equal(tenant.Settings['MaxBotKeyDays'], 30);
    assert.deepEqual(
      await rowsOf(
        stack,
        'select slug, name, status, created_by from access.tenant where id = $1',
        [tenant.ID],
      ),
      [{ slug, name: 'Shop', status: 'active', created_by: ada.id }],
    );
    assert.deepEqual(
      await rowsOf(
        stack,
        'select user_id, status, source from access.tenant_member where tenant = $1',
        [tenant.ID],
      ),
      [{ user_id: ada.id, status: 'active', source: 'creator' }],
    );
    assert.deepEqual(
      await rowsOf(
        stack,
        'select subject_type, subject, role, resource, expires_at from access.grant_entry where tenant = $1',
        [tenant.ID],
      ),
      [{ subject_type: 'user', subject: ada.id, role: 'owner', resource: '', expires_at: null }],
    );
    assert.deepEqual((await eventTypesOf(stack, 'access', tenant.ID)).sort(), [
      'grant.added',
      'tenant.created',
      'tenant.member_added',
    ]);
    assert.deepEqual(
      recordIn(await stack.call('Tenants_Get', { Tenant: tenant.ID }, ada.token), 'Tenant'),
      tenant,
    );
  });

  test('Tenants_Create makes a slug from the name, and another one if it is taken', async () => {
    const { stack, create } = suite;
    const end = suffix();
    const first = recordIn(
      await create({ Name: `Bäckerei Müller & Co ${end}` }),
      'Tenant',
    ) as Tenant;
    assert.equal(first.Slug, `backerei-muller-co-${end}`);
    const second = recordIn(
      await create({ Name: `Bäckerei Müller & Co ${end}` }),
      'Tenant',
    ) as Tenant;
    assert.match(second.Slug, new RegExp(`^backerei-muller-co-${end}-[0-9a-z]{4}$`));
    assert.equal(
      await countOf(stack, 'access.tenant where id = any ($1) and slug = any ($2)', [
        [first.ID, second.ID],
        [first.Slug, second.Slug],
      ]),
      2,
    );
  });

  test('Tenants_Create answers already_exists for a taken slug, even for concurrent calls', async () => {
    const { stack, ada, bob, create } = suite;
    const slug = `taken-${suffix()}`;
    const answers = await Promise.all(
      [ada, bob, ada, bob].map(({ token }) => create({ Name: 'Race', Slug: slug }, token)),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'already_exists', ['Tenant.Slug is taken']);
    assert.equal(await countOf(stack, 'access.tenant where slug = $1', [slug]), 1);
    // The members and grants of the failed calls are gone.
    assert.equal(
      await countOf(
        stack,
        'access.tenant_member m where not exists (select 1 from access.tenant t where t.id = m.tenant)',
      ),
      0,
    );
    assert.equal(
      await countOf(
        stack,
        // Other suites of the shared stack add platform grants.
        "access.grant_entry g where g.tenant <> '' and not exists (select 1 from access.tenant t where t.id = g.tenant)",
      ),
      0,
    );
  });

  test('Tenants_Create reports all broken rules in one list', async () => {
    const { create } = suite;
    const slugRule =
      'Tenant.Slug must be 2 to 63 lower-case letters, digits and "-", beginning with a letter';
    assertRefused(await create({ Slug: 'Not A Slug' }), 400, 'invalid_argument', [
      slugRule,
      'Tenant.Name is required',
    ]);
    for (const slug of ['a', '1a', 'a_b', `a${'b'.repeat(63)}`, 'ä-b'])
      assertRefused(await create({ Name: 'a', Slug: slug }), 400, 'invalid_argument', [slugRule]);
    assertRefused(await create({ Name: 'x'.repeat(129) }), 400, 'invalid_argument', [
      'Tenant.Name must be at most 128 characters',
    ]);
    const owner = { Name: 'a', Settings: { DefaultRole: 'owner' } };
    assertRefused(await create(owner), 400, 'invalid_argument', [
      'Tenant.Settings.DefaultRole must not be owner',
    ]);
    assertRefused(
      await create({ Name: 'a', Settings: { DefaultRole: 'no-such-role' } }),
      400,
      'not_found',
    );
  });

  test('Tenants_Create allows ten per user, even for concurrent calls', async () => {
    const { stack, create } = suite;
    const eve = await signUp(stack);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        retryWhileBusy(() => create({ Name: `Number ${index}` }, eve.token)),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) assertRefused(answer, 400, 'failed_precondition');
    assert.equal(refused.length, 6);
    assert.equal(await countOf(stack, 'access.tenant where created_by = $1', [eve.id]), 10);
    // Tenants that the platform gives a user do not count.
    bodyOf(await create({ Name: 'From the platform' }, stack.platformKey, { OwnerID: eve.id }));
    assertRefused(await create({ Name: 'Too many' }, eve.token), 400, 'failed_precondition');
    assert.equal(await countOf(stack, 'access.tenant_member where user_id = $1', [eve.id]), 11);
  });

  test('Tenants_Create with another user as the owner is for the platform only', async () => {
    const { stack, ada, bob, create } = suite;
    const tenant = recordIn(
      await create({ Name: 'For Bob' }, stack.platformKey, { OwnerID: bob.id }),
      'Tenant',
    ) as Tenant;
    assert.deepEqual(
      await rowsOf(stack, 'select subject, role from access.grant_entry where tenant = $1', [
        tenant.ID,
      ]),
      [{ subject: bob.id, role: 'owner' }],
    );
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant.ID, Path: 'a' } }, bob.token));
    const stored = () =>
      countOf(stack, `access.tenant where name in ('For Bob', 'Without an owner')`);
    const before = await stored();
    assertRefused(
      await create({ Name: 'For Bob' }, ada.token, { OwnerID: bob.id }),
      403,
      'permission_denied',
    );
    assertRefused(
      await create({ Name: 'Without an owner' }, stack.platformKey),
      400,
      'invalid_argument',
      ['OwnerID is required'],
    );
    assertRefused(
      await create({ Name: 'Without an owner' }, stack.platformKey, { OwnerID: missingUser }),
      400,
      'not_found',
    );
    assert.equal(await stored(), before);
  });

  test('a user without a verified address cannot own a tenant, in any way', async () => {
    const { stack, create } = suite;
    const email = newAddress('unverified');
    const id = await register(stack, email);
    assertRefused(
      await stack.call('Account_Login', { Email: email, Password: password }),
      403,
      'permission_denied',
      ['email is not verified'],
    );
    assertRefused(
      await create({ Name: 'a' }, stack.platformKey, { OwnerID: id }),
      400,
      'not_found',
    );
    assertRefused(
      await stack.call('Tenants_Create', { Tenant: { Name: 'a' } }),
      401,
      'unauthenticated',
    );
    assert.equal(await countOf(stack, 'access.tenant_member where user_id = $1', [id]), 0);
  });
});
