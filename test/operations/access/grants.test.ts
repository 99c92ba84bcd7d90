import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { eventsOf } from '../../support/store.ts';
import { type Grant, type Grants, startGrants } from './grant-calls.ts';

describeOne('grants', 'one process', (topology) => {
  let suite: Grants;
  before(async () => {
    suite = await startGrants(await sharedStack(topology));
  });
  after(() => suite?.stop());

  test('Grants_Add and Grants_Remove take effect with the reply, once each, and publish events', async () => {
    const { stack, owner, person, Tenant, grant, withdraw, listed, seesEndpoints } = suite;
    const mine = { UserID: person.id, Role: 'editor' };
    assert.equal(await seesEndpoints(person), false);
    bodyOf(await grant({ ...mine, ID: 'x', CreatedBy: 'me', Resource: '' }));
    assert.equal(await seesEndpoints(person), true);
    bodyOf(await grant(mine));
    const matches = (await listed()).filter(
      ({ UserID, Role }) => UserID === person.id && Role === 'editor',
    );
    assert.equal(matches.length, 1);
    assert.match(matches[0]?.ID ?? '', /^grt_/);
    assert.deepEqual(
      [matches[0]?.CreatedBy, matches[0]?.Resource, matches[0]?.ExpiresAt],
      [owner.id, '', undefined],
    );
    bodyOf(await withdraw(mine));
    assert.equal(await seesEndpoints(person), false);
    bodyOf(await withdraw(mine));
    const events = (await eventsOf(stack, 'access', Tenant)).filter(
      ({ data }) => data['UserID'] === person.id && data['Role'] === 'editor',
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['grant.added', 'grant.removed'],
    );
  });

  test('an expiring grant counts until its expiry, and a repetition without an expiry makes it permanent', async () => {
    const { stack, person, Tenant, grant, withdraw } = suite;
    const mine = { UserID: person.id, Role: 'editor' };
    assertRefused(
      await grant({ ...mine, ExpiresAt: new Date(Date.now() - 1000).toISOString() }),
      400,
      'invalid_argument',
      ['Grant.ExpiresAt must be in the future'],
    );
    bodyOf(await grant({ ...mine, ExpiresAt: new Date(Date.now() + 1500).toISOString() }));
    const can = async () =>
      bodyOf(
        await stack.call('Access_Check', { Tenant, Permission: 'app.notes.write' }, person.token),
      )['Allowed'];
    assert.equal(await can(), true);
    await new Promise((resolve) => setTimeout(resolve, 1600));
    assert.equal(await can(), false);
    bodyOf(await grant(mine));
    assert.equal(await can(), true);
    bodyOf(await withdraw(mine));
  });

  test('Grants_Add requires a member and an existing role', async () => {
    const { stack, owner, person, stranger, Tenant, grant, grantGroup } = suite;
    assertRefused(await grant({ UserID: stranger.id, Role: 'member' }), 400, 'not_found', [
      'tenant member not found',
    ]);
    assertRefused(await grant({ UserID: createId('usr'), Role: 'member' }), 400, 'not_found', [
      'tenant member not found',
    ]);
    assertRefused(await grant({ UserID: person.id, Role: 'nothing' }), 400, 'not_found', [
      'role not found',
    ]);
    assertRefused(await grant({ UserID: person.id, Role: 'platform-owner' }), 400, 'not_found', [
      'role not found',
    ]);
    assertRefused(await grant({ UserID: 'usr_1', Role: 'Member' }), 400, 'invalid_argument', [
      'Grant.UserID must be an identifier that begins with usr_',
      'Grant.Role must be 2 to 63 lower-case letters, digits and "-", beginning with a letter',
    ]);
    assertRefused(await grantGroup({ Group: 'missing', Role: 'member' }), 400, 'not_found', [
      'group not found',
    ]);
    assertRefused(
      await stack.call(
        'BotGrants_Add',
        { Grant: { Tenant, Bot: createId('bot'), Role: 'member' } },
        owner.token,
      ),
      400,
      'not_found',
      ['bot not found'],
    );
  });

  test('Grants_Add and GroupGrants_Add grant no more than the caller holds, to any subject', async () => {
    const { stack, owner, admin, person, stranger, grant, withdraw, grantGroup } = suite;
    const lacking = (permission: string) => [
      `this would grant ${permission}, which the caller does not hold`,
    ];
    for (const give of [
      () => grant({ UserID: admin.id, Role: 'owner' }, admin.token),
      () => grant({ UserID: person.id, Role: 'owner', Resource: 'thing' }, admin.token),
      () => grantGroup({ Group: 'eng', Role: 'owner' }, admin.token),
    ])
      assertRefused(await give(), 403, 'permission_denied', lacking('iam.*'));
    assertRefused(
      await grant({ UserID: admin.id, Role: 'editor' }, admin.token),
      403,
      'permission_denied',
      lacking('app.notes.write'),
    );
    assertRefused(
      await grant({ UserID: person.id, Role: 'member' }, person.token),
      403,
      'permission_denied',
    );
    // A tenant that does not exist, and the platform.
    for (const elsewhere of [{ Tenant: createId('tnt') }, { Tenant: '', Platform: true }])
      assertRefused(
        await grant({ ...elsewhere, UserID: person.id, Role: 'member' }, owner.token),
        403,
        'permission_denied',
      );
    const foreign = await createTenant(stack, stranger.token ?? '');
    assertRefused(
      await grant({ Tenant: foreign, UserID: owner.id, Role: 'owner' }, owner.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await withdraw({ Tenant: foreign, UserID: stranger.id, Role: 'owner' }, owner.token),
      403,
      'permission_denied',
    );
  });

  test('only an owner removes ownership, and the last owner stays owner', async () => {
    const { stack, owner, admin, person, Tenant, grant, withdraw } = suite;
    assertRefused(
      await withdraw({ UserID: owner.id, Role: 'owner' }, admin.token),
      403,
      'permission_denied',
    );
    assertRefused(await withdraw({ UserID: owner.id, Role: 'owner' }), 400, 'failed_precondition', [
      'the last owner of a tenant cannot be removed',
    ]);
    const soon = new Date(Date.now() + 60_000).toISOString();
    assertRefused(
      await grant({ UserID: owner.id, Role: 'owner', ExpiresAt: soon }),
      400,
      'failed_precondition',
      ['the last owner of a tenant cannot be removed'],
    );
    bodyOf(await grant({ UserID: person.id, Role: 'owner' }));
    // Each of the two owners removes the other at the same time: one of them stays.
    const both = await Promise.all([
      withdraw({ UserID: person.id, Role: 'owner' }, owner.token),
      withdraw({ UserID: owner.id, Role: 'owner' }, person.token),
    ]);
    assert.equal(
      both.filter(({ status }) => status === 200).length,
      1,
      JSON.stringify(both.map(({ body }) => body)),
    );
    const [ownership] = (
      await readList<Grant>(stack, 'Grants_ListByTenant', { Tenant }, stack.platformKey)
    ).items.filter(({ Role }) => Role === 'owner');
    const winner = ownership?.UserID === owner.id ? owner : person;
    bodyOf(await grant({ UserID: owner.id, Role: 'owner' }, winner?.token));
    bodyOf(await withdraw({ UserID: person.id, Role: 'owner' }, owner.token));
  });

  test('GroupGrants_Add grants to the members of a group and of its descendants, until the group is deleted', async () => {
    const { stack, owner, admin, person, Tenant, grantGroup, listed, seesEndpoints } = suite;
    bodyOf(
      await stack.call(
        'Groups_AddMember',
        { Tenant, Group: 'eng/backend', UserID: person.id },
        owner.token,
      ),
    );
    assert.equal(await seesEndpoints(person), false);
    bodyOf(await grantGroup({ Group: '/ENG', Role: 'editor' }));
    assert.equal(await seesEndpoints(person), true);
    const [groupGrant] = await listed('GroupGrants_ListByTenant');
    assert.match(groupGrant?.ID ?? '', /^ggr_/);
    assert.equal(groupGrant?.Group, 'eng');
    bodyOf(
      await stack.call(
        'GroupGrants_Remove',
        { Grant: { Tenant, Group: 'Eng', Role: 'editor' } },
        owner.token,
      ),
    );
    assert.equal(await seesEndpoints(person), false);
    // The events carry the record as listed, for every spelling of the path.
    const published = (await eventsOf(stack, 'access', Tenant)).filter(({ type }) =>
      type.startsWith('group_grant.'),
    );
    assert.deepEqual(
      published.map(({ type, data }) => [type, data['ID'], data['Group']]),
      ['added', 'removed'].map((verb) => [`group_grant.${verb}`, groupGrant?.ID, 'eng']),
    );
    bodyOf(await grantGroup({ Group: 'eng', Role: 'editor' }));
    // An admin cannot add a member to a group whose grants the admin could not give.
    assertRefused(
      await stack.call(
        'Groups_AddMember',
        { Tenant, Group: 'eng/backend', UserID: admin.id },
        admin.token,
      ),
      403,
      'permission_denied',
    );
    bodyOf(await stack.call('Groups_Delete', { Tenant, Path: 'eng' }, owner.token));
    assert.equal(await seesEndpoints(person), false);
    assert.deepEqual(await listed('GroupGrants_ListByTenant'), []);
  });

  test('Grants_List shows a user’s own grants, to others those of tenants whose grants they may read, and nothing else', async () => {
    const { stack, admin, person, stranger, Tenant, grant, withdraw } = suite;
    const own = (await readList<Grant>(stack, 'Grants_List', { UserID: person.id }, person.token))
      .items;
    assert.deepEqual([...new Set(own.map(({ UserID }) => UserID))], [person.id]);
    const elsewhere = await createTenant(stack, person.token);
    const tenantsSeen = async (token = '') => [
      ...new Set(
        (await readList<Grant>(stack, 'Grants_List', { UserID: person.id }, token)).items.map(
          ({ Tenant: tenant }) => tenant,
        ),
      ),
    ];
    assert.deepEqual(await tenantsSeen(admin.token), [Tenant]);
    assert.deepEqual((await tenantsSeen(person.token)).sort(), [Tenant, elsewhere].sort());
    assert.deepEqual((await tenantsSeen(stack.platformKey)).sort(), [Tenant, elsewhere].sort());
    assert.deepEqual(await tenantsSeen(stranger.token), []);
    assertRefused(
      await stack.call('Grants_List', { UserID: admin.id }, (await signUp(stack)).token),
      403,
      'permission_denied',
    );
    // An auditor of all tenants sees the grants in them, and not those on the platform.
    const auditor = { Tenant: '', Platform: true, UserID: stranger.id, Role: 'auditor' };
    bodyOf(await grant(auditor, stack.platformKey));
    bodyOf(await grant({ ...auditor, UserID: person.id }, stack.platformKey));
    assert.deepEqual((await tenantsSeen(stranger.token)).sort(), [Tenant, elsewhere].sort());
    assert.deepEqual((await tenantsSeen(person.token)).sort(), ['', Tenant, elsewhere].sort());
    for (const UserID of [stranger.id, person.id])
      bodyOf(await withdraw({ ...auditor, UserID }, stack.platformKey));
  });
});
