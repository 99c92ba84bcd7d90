import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/values';
import { assertRefused, bodyOf, readList, recordIn, retryWhileBusy } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { describeOne, type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { countOf, eventsOf } from '../support/store.ts';

type Grant = {
  ID: string;
  Tenant: string;
  Platform?: boolean;
  UserID?: string;
  Group?: string;
  Bot?: string;
  Role: string;
  Resource: string;
  ExpiresAt?: string;
  CreatedBy: string;
};
type Person = Awaited<ReturnType<typeof signUp>>;

describeOne('grants', 'five processes', (topology) => {
  let stack: Stack;
  let [owner, admin, person, stranger, disabled]: Person[] = [];
  let Tenant: string;
  before(async () => {
    stack = await startStack(topology);
    [owner, admin, person, stranger, disabled] = await Promise.all([
      signUp(stack),
      signUp(stack),
      signUp(stack),
      signUp(stack),
      signUp(stack),
    ]);
    Tenant = await createTenant(stack, owner.token);
    for (const { id: UserID } of [admin, person])
      bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID }, stack.platformKey));
    bodyOf(await grant({ UserID: admin.id, Role: 'admin' }));
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: 'editor', Permissions: ['app.notes.write', 'iam.webhooks.read'] } },
        owner.token,
      ),
    );
    for (const Path of ['eng', 'eng/backend'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, owner.token));
  });
  after(() => stack?.stop());

  const grant = (sent: object, token = owner?.token) =>
    stack.call('Grants_Add', { Grant: { Tenant, ...sent } }, token);
  const withdraw = (sent: object, token = owner?.token) =>
    stack.call('Grants_Remove', { Grant: { Tenant, ...sent } }, token);
  const grantGroup = (sent: object, token = owner?.token) =>
    stack.call('GroupGrants_Add', { Grant: { Tenant, ...sent } }, token);
  /** A grant as stored, without the tenant of these tests. */
  const onPlatform = (
    operation: string,
    sent: object,
    token: string | undefined = stack.platformKey,
  ) => stack.call(operation, { Grant: sent }, token);
  const listed = async (operation = 'Grants_ListByTenant') =>
    (await readList<Grant>(stack, operation, { Tenant }, owner?.token ?? '')).items;
  const seesEndpoints = async (who: Person | undefined) =>
    (await stack.call('Webhooks_ListEndpoints', { Tenant }, who?.token)).status === 200;

  test('Grants_Add and Grants_Remove take effect with the reply, once each, and publish events', async () => {
    const mine = { UserID: person?.id, Role: 'editor' };
    assert.equal(await seesEndpoints(person), false);
    bodyOf(await grant({ ...mine, ID: 'x', CreatedBy: 'me', Resource: '' }));
    assert.equal(await seesEndpoints(person), true);
    bodyOf(await grant(mine));
    const found = (await listed()).filter(
      ({ UserID, Role }) => UserID === person?.id && Role === 'editor',
    );
    assert.equal(found.length, 1);
    assert.match(found[0]?.ID ?? '', /^grt_/);
    assert.deepEqual(
      [found[0]?.CreatedBy, found[0]?.Resource, found[0]?.ExpiresAt],
      [owner?.id, '', undefined],
    );
    bodyOf(await withdraw(mine));
    assert.equal(await seesEndpoints(person), false);
    bodyOf(await withdraw(mine));
    const events = (await eventsOf(stack, 'access', Tenant)).filter(
      ({ data }) => data['UserID'] === person?.id && data['Role'] === 'editor',
    );
    assert.deepEqual(
      events.map(({ type }) => type),
      ['grant.added', 'grant.removed'],
    );
  });

  test('an expiring grant counts until its expiry, and a repetition without an expiry makes it permanent', async () => {
    const mine = { UserID: person?.id, Role: 'editor' };
    assertRefused(
      await grant({ ...mine, ExpiresAt: new Date(Date.now() - 1000).toISOString() }),
      400,
      'invalid_argument',
      ['Grant.ExpiresAt must be in the future'],
    );
    bodyOf(await grant({ ...mine, ExpiresAt: new Date(Date.now() + 1500).toISOString() }));
    const can = async () =>
      bodyOf(
        await stack.call('Access_Check', { Tenant, Permission: 'app.notes.write' }, person?.token),
      )['Allowed'];
    assert.equal(await can(), true);
    await new Promise((resolve) => setTimeout(resolve, 1600));
    assert.equal(await can(), false);
    bodyOf(await grant(mine));
    assert.equal(await can(), true);
    bodyOf(await withdraw(mine));
  });

  test('Grants_Add requires a member and an existing role', async () => {
    assertRefused(await grant({ UserID: stranger?.id, Role: 'member' }), 400, 'not_found', [
      'tenant member not found',
    ]);
    assertRefused(await grant({ UserID: createId('usr'), Role: 'member' }), 400, 'not_found', [
      'tenant member not found',
    ]);
    assertRefused(await grant({ UserID: person?.id, Role: 'nothing' }), 400, 'not_found', [
      'role not found',
    ]);
    assertRefused(await grant({ UserID: person?.id, Role: 'platform-owner' }), 400, 'not_found', [
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
        owner?.token,
      ),
      400,
      'not_found',
      ['bot not found'],
    );
  });

  test('BotGrants_Add by the platform works for a bot of any tenant', async () => {
    const { ID: Bot } = await createBot(stack, Tenant, owner?.token ?? '');
    const add = (sent: object) =>
      stack.call(
        'BotGrants_Add',
        { Grant: { Platform: true, Role: 'platform-support', ...sent } },
        stack.platformKey,
      );
    assertRefused(await add({ Bot: createId('bot') }), 400, 'not_found', ['bot not found']);
    bodyOf(await add({ Bot }));
    const { items } = await readList<{ Bot: string }>(
      stack,
      'BotGrants_ListByTenant',
      { Platform: true },
      stack.platformKey,
    );
    assert.deepEqual(
      items.map((grant) => grant.Bot),
      [Bot],
    );
    bodyOf(
      await stack.call(
        'BotGrants_Remove',
        { Grant: { Platform: true, Bot, Role: 'platform-support' } },
        stack.platformKey,
      ),
    );
  });

  test('Grants_Add and GroupGrants_Add grant no more than the caller holds, to any subject', async () => {
    const lacking = (permission: string) => [
      `this would grant ${permission}, which the caller does not hold`,
    ];
    for (const give of [
      () => grant({ UserID: admin?.id, Role: 'owner' }, admin?.token),
      () => grant({ UserID: person?.id, Role: 'owner', Resource: 'thing' }, admin?.token),
      () => grantGroup({ Group: 'eng', Role: 'owner' }, admin?.token),
    ])
      assertRefused(await give(), 403, 'permission_denied', lacking('iam.*'));
    assertRefused(
      await grant({ UserID: admin?.id, Role: 'editor' }, admin?.token),
      403,
      'permission_denied',
      lacking('app.notes.write'),
    );
    assertRefused(
      await grant({ UserID: person?.id, Role: 'member' }, person?.token),
      403,
      'permission_denied',
    );
    // A tenant that does not exist, and the platform.
    for (const elsewhere of [{ Tenant: createId('tnt') }, { Tenant: '', Platform: true }])
      assertRefused(
        await grant({ ...elsewhere, UserID: person?.id, Role: 'member' }, owner?.token),
        403,
        'permission_denied',
      );
    const foreign = await createTenant(stack, stranger?.token ?? '');
    assertRefused(
      await grant({ Tenant: foreign, UserID: owner?.id, Role: 'owner' }, owner?.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await withdraw({ Tenant: foreign, UserID: stranger?.id, Role: 'owner' }, owner?.token),
      403,
      'permission_denied',
    );
  });

  test('only an owner removes ownership, and the last owner stays owner', async () => {
    assertRefused(
      await withdraw({ UserID: owner?.id, Role: 'owner' }, admin?.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await withdraw({ UserID: owner?.id, Role: 'owner' }),
      400,
      'failed_precondition',
      ['the last owner of a tenant cannot be removed'],
    );
    const soon = new Date(Date.now() + 60_000).toISOString();
    assertRefused(
      await grant({ UserID: owner?.id, Role: 'owner', ExpiresAt: soon }),
      400,
      'failed_precondition',
      ['the last owner of a tenant cannot be removed'],
    );
    bodyOf(await grant({ UserID: person?.id, Role: 'owner' }));
    // Each of the two owners removes the other at the same time: one of them stays.
    const both = await Promise.all([
      withdraw({ UserID: person?.id, Role: 'owner' }, owner?.token),
      withdraw({ UserID: owner?.id, Role: 'owner' }, person?.token),
    ]);
    assert.equal(
      both.filter(({ status }) => status === 200).length,
      1,
      JSON.stringify(both.map(({ body }) => body)),
    );
    const [kept] = (
      await readList<Grant>(stack, 'Grants_ListByTenant', { Tenant }, stack.platformKey)
    ).items.filter(({ Role }) => Role === 'owner');
    const winner = kept?.UserID === owner?.id ? owner : person;
    bodyOf(await grant({ UserID: owner?.id, Role: 'owner' }, winner?.token));
    bodyOf(await withdraw({ UserID: person?.id, Role: 'owner' }, owner?.token));
  });

  test('Grants_Add called 200 times at once makes one grant and one event', async () => {
    const mine = { UserID: person?.id, Role: 'editor', Resource: 'report-1' };
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => retryWhileBusy(() => grant(mine))),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(
      await countOf(stack, `access.grant_entry where resource = 'report-1' and tenant = $1`, [
        Tenant,
      ]),
      1,
    );
    assert.equal(
      (await eventsOf(stack, 'access', Tenant)).filter(
        ({ data }) => data['Resource'] === 'report-1',
      ).length,
      1,
    );
    bodyOf(await withdraw(mine));
  });

  test('GroupGrants_Add grants to the members of a group and of its descendants, until the group is deleted', async () => {
    bodyOf(
      await stack.call(
        'Groups_AddMember',
        { Tenant, Group: 'eng/backend', UserID: person?.id },
        owner?.token,
      ),
    );
    assert.equal(await seesEndpoints(person), false);
    bodyOf(await grantGroup({ Group: '/ENG', Role: 'editor' }));
    assert.equal(await seesEndpoints(person), true);
    const [found] = await listed('GroupGrants_ListByTenant');
    assert.match(found?.ID ?? '', /^ggr_/);
    assert.equal(found?.Group, 'eng');
    bodyOf(
      await stack.call(
        'GroupGrants_Remove',
        { Grant: { Tenant, Group: 'Eng', Role: 'editor' } },
        owner?.token,
      ),
    );
    assert.equal(await seesEndpoints(person), false);
    // The events carry the record as listed, for every spelling of the path.
    const published = (await eventsOf(stack, 'access', Tenant)).filter(({ type }) =>
      type.startsWith('group_grant.'),
    );
    assert.deepEqual(
      published.map(({ type, data }) => [type, data['ID'], data['Group']]),
      ['added', 'removed'].map((verb) => [`group_grant.${verb}`, found?.ID, 'eng']),
    );
    bodyOf(await grantGroup({ Group: 'eng', Role: 'editor' }));
    // An admin cannot add a member to a group whose grants the admin could not give.
    assertRefused(
      await stack.call(
        'Groups_AddMember',
        { Tenant, Group: 'eng/backend', UserID: admin?.id },
        admin?.token,
      ),
      403,
      'permission_denied',
    );
    bodyOf(await stack.call('Groups_Delete', { Tenant, Path: 'eng' }, owner?.token));
    assert.equal(await seesEndpoints(person), false);
    assert.deepEqual(await listed('GroupGrants_ListByTenant'), []);
  });

  test('Grants_List shows a user’s own grants, to others those of tenants whose grants they may read, and nothing else', async () => {
    const own = (
      await readList<Grant>(stack, 'Grants_List', { UserID: person?.id }, person?.token ?? '')
    ).items;
    assert.deepEqual([...new Set(own.map(({ UserID }) => UserID))], [person?.id]);
    const elsewhere = await createTenant(stack, person?.token ?? '');
    const tenantsSeen = async (token = '') => [
      ...new Set(
        (await readList<Grant>(stack, 'Grants_List', { UserID: person?.id }, token)).items.map(
          ({ Tenant: tenant }) => tenant,
        ),
      ),
    ];
    assert.deepEqual(await tenantsSeen(admin?.token), [Tenant]);
    assert.deepEqual((await tenantsSeen(person?.token)).sort(), [Tenant, elsewhere].sort());
    assert.deepEqual((await tenantsSeen(stack.platformKey)).sort(), [Tenant, elsewhere].sort());
    assert.deepEqual(await tenantsSeen(stranger?.token), []);
    assertRefused(
      await stack.call('Grants_List', { UserID: admin?.id }, (await signUp(stack)).token),
      403,
      'permission_denied',
    );
    // An auditor of all tenants sees the grants in them, and not those on the platform.
    const auditor = { Tenant: '', Platform: true, UserID: stranger?.id, Role: 'auditor' };
    bodyOf(await grant(auditor, stack.platformKey));
    bodyOf(await grant({ ...auditor, UserID: person?.id }, stack.platformKey));
    assert.deepEqual((await tenantsSeen(stranger?.token)).sort(), [Tenant, elsewhere].sort());
    assert.deepEqual((await tenantsSeen(person?.token)).sort(), ['', Tenant, elsewhere].sort());
    for (const UserID of [stranger?.id, person?.id])
      bodyOf(await withdraw({ ...auditor, UserID }, stack.platformKey));
  });

  test('Grants_Add with Platform counts in every tenant, for the built-in roles only', async () => {
    const support = { Platform: true, UserID: stranger?.id, Role: 'platform-support' };
    assert.equal(await seesEndpoints(stranger), false);
    bodyOf(await onPlatform('Grants_Add', support));
    assert.equal(await seesEndpoints(stranger), true);
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: owner?.email }, stranger?.token)).status,
      200,
    );
    const found = (
      await readList<Grant>(stack, 'Grants_ListByTenant', { Platform: true }, stack.platformKey)
    ).items;
    assert.deepEqual(
      found.map(({ UserID, Role, Tenant: tenant, Platform }) => [UserID, Role, tenant, Platform]),
      [[stranger?.id, 'platform-support', '', true]],
    );
    assertRefused(
      await onPlatform('Grants_Add', { ...support, Role: 'editor' }),
      400,
      'not_found',
      ['role not found'],
    );
    assertRefused(
      await onPlatform('Grants_Add', { ...support, UserID: createId('usr') }),
      400,
      'not_found',
      ['user not found'],
    );
    // The support role reads and cannot grant.
    assertRefused(
      await onPlatform('Grants_Add', { ...support, UserID: person?.id }, stranger?.token),
      403,
      'permission_denied',
    );
    // A record can be sent back as it was read.
    bodyOf(await onPlatform('Grants_Remove', found[0] ?? {}));
    assert.equal(await seesEndpoints(stranger), false);
    assert.equal(
      recordIn(
        await stack.call(
          'Access_Check',
          { Tenant, Permission: 'iam.webhooks.read' },
          stranger?.token,
        ),
        'Allowed',
      ),
      false,
    );
  });

  test('a grant without a tenant and without Platform is refused, also for the platform key', async () => {
    const subjects = {
      Grants: { UserID: person?.id },
      GroupGrants: { Group: 'eng' },
      BotGrants: { Bot: createId('bot') },
    };
    const stored = () => countOf(stack, `access.grant_entry where tenant = ''`);
    const before = await stored();
    for (const [family, subject] of Object.entries(subjects)) {
      for (const token of [stack.platformKey, owner?.token]) {
        for (const verb of ['Add', 'Remove'])
          assertRefused(
            await onPlatform(`${family}_${verb}`, { ...subject, Role: 'auditor' }, token),
            400,
            'invalid_argument',
            ['Grant.Tenant is required'],
          );
        assertRefused(
          await stack.call(`${family}_ListByTenant`, {}, token),
          400,
          'invalid_argument',
          ['Tenant is required'],
        );
      }
    }
    for (const family of ['Grants', 'BotGrants'] as const) {
      const both = { ...subjects[family], Tenant, Platform: true, Role: 'auditor' };
      for (const verb of ['Add', 'Remove'])
        assertRefused(await onPlatform(`${family}_${verb}`, both), 400, 'invalid_argument', [
          'Grant.Tenant must be empty if Grant.Platform is true',
        ]);
      assertRefused(
        await stack.call(`${family}_ListByTenant`, { Tenant, Platform: true }, stack.platformKey),
        400,
        'invalid_argument',
        ['Tenant must be empty if Platform is true'],
      );
      assertRefused(
        await stack.call(`${family}_ListByTenant`, { Platform: true }, owner?.token),
        403,
        'permission_denied',
      );
      assertRefused(
        await onPlatform(
          `${family}_Add`,
          { ...subjects[family], Platform: true, Role: 'auditor' },
          owner?.token,
        ),
        403,
        'permission_denied',
      );
    }
    assert.equal(await stored(), before);
  });

  test('Grants_ListByTenant and BotGrants_ListByTenant with IncludePlatform show the platform grants that count in the tenant, page by page', async () => {
    const { ID: Bot } = await createBot(
      stack,
      await createTenant(stack, stranger?.token ?? ''),
      stranger?.token ?? '',
    );
    const sent = [
      { Platform: true, UserID: stranger?.id, Role: 'auditor' },
      {
        Platform: true,
        UserID: stranger?.id,
        Role: 'member',
        ExpiresAt: new Date(Date.now() + 1200).toISOString(),
      },
      // A disabled account holds nothing.
      { Platform: true, UserID: disabled?.id, Role: 'auditor' },
    ];
    for (const platformGrant of sent) bodyOf(await onPlatform('Grants_Add', platformGrant));
    bodyOf(await onPlatform('BotGrants_Add', { Platform: true, Bot, Role: 'platform-support' }));
    bodyOf(await stack.call('Users_Disable', { UserID: disabled?.id }, stack.platformKey));
    await new Promise((resolve) => setTimeout(resolve, 1300));

    const read = async (operation: string, more: object, limit = 200) =>
      (await readList<Grant>(stack, operation, { Tenant, ...more }, admin?.token ?? '', limit))
        .items;
    const own = await read('Grants_ListByTenant', {});
    assert.ok(own.length > 1 && own.every(({ Platform }) => !Platform));
    for (const limit of [200, 1]) {
      const all = await read('Grants_ListByTenant', { IncludePlatform: true }, limit);
      assert.deepEqual(
        all.filter(({ Platform }) => !Platform),
        own,
      );
      const [reaching, ...others] = all.filter(({ Platform }) => Platform);
      assert.deepEqual(others, []);
      assert.deepEqual(
        [reaching?.UserID, reaching?.Role, reaching?.Tenant, reaching?.CreatedBy],
        [stranger?.id, 'auditor', '', ''],
      );
    }
    const [bot] = (await read('BotGrants_ListByTenant', { IncludePlatform: true })).filter(
      ({ Platform }) => Platform,
    );
    assert.deepEqual(
      [bot?.Bot, bot?.Role, bot?.Tenant, bot?.CreatedBy],
      [Bot, 'platform-support', '', ''],
    );
    assertRefused(
      await stack.call('Grants_ListByTenant', { Tenant, IncludePlatform: true }, person?.token),
      403,
      'permission_denied',
    );
    // A cursor belongs to the list it was made for.
    const first = await stack.call(
      'Grants_ListByTenant',
      { Tenant, IncludePlatform: true, Page: { Limit: 1 } },
      admin?.token,
    );
    const { NextCursor } = bodyOf(first)['Page'] as { NextCursor: string };
    assertRefused(
      await stack.call(
        'Grants_ListByTenant',
        { Tenant, Page: { Cursor: NextCursor } },
        admin?.token,
      ),
      400,
      'invalid_argument',
    );

    const explained = bodyOf(
      await stack.call(
        'Access_Explain',
        { Tenant, Subject: stranger?.id, Permission: 'iam.audit.read' },
        admin?.token,
      ),
    );
    assert.deepEqual(
      (explained['Paths'] as Array<{ Role: string; Platform: boolean }>).map(
        ({ Role, Platform }) => [Role, Platform],
      ),
      [['auditor', true]],
    );
    for (const platformGrant of sent) bodyOf(await onPlatform('Grants_Remove', platformGrant));
    bodyOf(await onPlatform('BotGrants_Remove', { Platform: true, Bot, Role: 'platform-support' }));
    bodyOf(await stack.call('Users_Enable', { UserID: disabled?.id }, stack.platformKey));
  });
});
