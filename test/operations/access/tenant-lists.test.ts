import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, readPage, recordIn } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { startTenants, type Tenant, type Tenants } from './tenant-calls.ts';

describeOne('reading tenants', 'one process', (topology) => {
  let suite: Tenants;
  before(async () => {
    suite = await startTenants(topology);
  });
  after(() => suite?.stop());

  test('Tenants_Get is for members and the platform', async () => {
    const { stack, ada, bob, create } = suite;
    const tenant = recordIn(
      await create({ Name: 'Mine' }, stack.platformKey, { OwnerID: ada.id }),
      'Tenant',
    ) as Tenant;
    for (const token of [ada.token, stack.platformKey])
      assert.deepEqual(
        recordIn(await stack.call('Tenants_Get', { Tenant: tenant.ID }, token), 'Tenant'),
        tenant,
      );
    assertRefused(
      await stack.call('Tenants_Get', { Tenant: tenant.ID }, bob.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await stack.call(
        'Tenants_Get',
        { Tenant: 'tnt_01hzzzzzzzzzzzzzzzzzzzzzzz' },
        stack.platformKey,
      ),
      400,
      'not_found',
    );
    assertRefused(await stack.call('Tenants_Get', {}, ada.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
    assertRefused(
      await stack.call('Tenants_Get', { Tenant: 'acme' }, ada.token),
      400,
      'invalid_argument',
      ['Tenant must be an identifier that begins with tnt_'],
    );
  });

  test('Tenants_ListMine pages through the tenants of the caller, and Account_Get names the same', async () => {
    const { stack, ada, create } = suite;
    const dan = await signUp(stack);
    assert.deepEqual(await readPage(stack, 'Tenants_ListMine', {}, dan.token), {
      Items: [],
      NextCursor: '',
    });
    const tenants: Tenant[] = [];
    for (let index = 0; index < 5; index++)
      tenants.push(
        recordIn(await create({ Name: `Number ${index}` }, dan.token), 'Tenant') as Tenant,
      );
    // In the order of IDs, which increase with the time in milliseconds.
    tenants.sort((a, b) => (a.ID < b.ID ? -1 : 1));
    const { items, sizes } = await readList<
      Tenant & { Membership: { Status: string; UserID: string } }
    >(stack, 'Tenants_ListMine', {}, dan.token, 2);
    assert.deepEqual(sizes, [2, 2, 1]);
    for (const [index, tenant] of tenants.entries())
      assert.partialDeepStrictEqual(items[index], tenant);
    assert.equal(items.length, tenants.length);
    assert.ok(
      items.every(
        ({ Membership }) => Membership.Status === 'active' && Membership.UserID === dan.id,
      ),
    );
    assert.deepEqual(
      (await readPage<Tenant>(stack, 'Tenants_ListMine', { Page: { Limit: 5 } }, dan.token))
        .NextCursor,
      '',
    );
    const account = bodyOf(await stack.call('Account_Get', {}, dan.token));
    assert.deepEqual(
      account['Tenants'],
      tenants.map(({ ID, Slug, Name }) => ({ ID, Slug, Name, RequireFactor: 'off', AppURL: '' })),
    );
    const { NextCursor } = await readPage(
      stack,
      'Tenants_ListMine',
      { Page: { Limit: 1 } },
      dan.token,
    );
    assertRefused(
      await stack.call('Tenants_ListMine', { Page: { Cursor: NextCursor } }, ada.token),
      400,
      'invalid_argument',
      ['Page.Cursor is not a cursor of this list'],
    );
    assertRefused(
      await stack.call('Tenants_ListMine', {}, stack.platformKey),
      403,
      'permission_denied',
    );
  });
});
