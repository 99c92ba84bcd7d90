import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, startStack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf } from '../../support/store.ts';
import { type Grant, type Grants, startGrants } from './grant-calls.ts';

describeOne('grants on the platform', 'one process', (topology) => {
  let suite: Grants;
  before(async () => {
    suite = await startGrants(await startStack(topology));
  });
  after(() => suite?.stop());

  test('BotGrants_Add by the platform works for a bot of any tenant', async () => {
    const { stack, owner, Tenant } = suite;
    const { ID: Bot } = await createBot(stack, Tenant, owner.token);
    const add = (fields: object) =>
      stack.call(
        'BotGrants_Add',
        { Grant: { Platform: true, Role: 'platform-support', ...fields } },
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

  test('a platform grant of a bot has no effect anywhere while the own tenant of the bot is suspended', async () => {
    const { stack, owner, admin, stranger, Tenant } = suite;
    const home = await createTenant(stack, stranger.token ?? '');
    const { ID: Bot } = await createBot(stack, home, stranger.token ?? '');
    const grant = { Platform: true, Bot, Role: 'platform-support' };
    bodyOf(await stack.call('BotGrants_Add', { Grant: grant }, stack.platformKey));
    const question = { Tenant, Subject: Bot, Permission: 'iam.webhooks.read' };
    const answers = async () => {
      const { Allowed } = bodyOf(await stack.call('Access_Check', question, owner.token));
      const { Missing } = bodyOf(await stack.call('Access_Explain', question, admin.token));
      return [Allowed, Missing];
    };
    assert.deepEqual(await answers(), [true, []]);
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: home }, stack.platformKey));
    assert.deepEqual(await answers(), [false, ['the tenant of the bot is not active']]);
    bodyOf(await stack.call('Tenants_Resume', { Tenant: home }, stack.platformKey));
    assert.deepEqual(await answers(), [true, []]);
    bodyOf(await stack.call('BotGrants_Remove', { Grant: grant }, stack.platformKey));
  });

  test('an invitation and an offer of a bot with a platform grant cannot be accepted while the own tenant of the bot is suspended', async () => {
    const { stack, stranger, Tenant } = suite;
    const home = await createTenant(stack, stranger.token ?? '');
    const bot = await createBot(stack, home, stranger.token ?? '');
    const { Secret } = await createKey(stack, bot, stranger.token ?? '');
    const grant = { Platform: true, Bot: bot.ID, Role: 'admin' };
    bodyOf(await stack.call('BotGrants_Add', { Grant: grant }, stack.platformKey));
    const [guest, added] = [await signUp(stack), await signUp(stack)];
    const invite = { Tenant, Email: guest.email };
    const { Token } = bodyOf(await stack.call('TenantInvitations_Create', invite, Secret));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: added.id }, Secret));
    const accept = () => [
      stack.call('TenantInvitations_Accept', { Token }, guest.token),
      stack.call('TenantMembers_Accept', { Tenant }, added.token),
    ];
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: home }, stack.platformKey));
    for (const answer of await Promise.all(accept()))
      assertRefused(answer, 400, 'failed_precondition');
    assert.equal(
      await countOf(stack, 'access.tenant_member where tenant = $1 and user_id = any ($2)', [
        Tenant,
        [guest.id, added.id],
      ]),
      0,
    );
    bodyOf(await stack.call('Tenants_Resume', { Tenant: home }, stack.platformKey));
    for (const answer of await Promise.all(accept())) bodyOf(answer);
    // A repetition changes nothing, and needs no rights of the bot.
    bodyOf(await stack.call('BotGrants_Remove', { Grant: grant }, stack.platformKey));
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: home }, stack.platformKey));
    for (const answer of await Promise.all(accept())) bodyOf(answer);
  });

  test('Grants_Add with Platform counts in every tenant, for the built-in roles only', async () => {
    const { stack, owner, person, stranger, Tenant, onPlatform, seesEndpoints } = suite;
    const support = { Platform: true, UserID: stranger.id, Role: 'platform-support' };
    assert.equal(await seesEndpoints(stranger), false);
    bodyOf(await onPlatform('Grants_Add', support));
    assert.equal(await seesEndpoints(stranger), true);
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: owner.email }, stranger.token)).status,
      200,
    );
    const grants = (
      await readList<Grant>(stack, 'Grants_ListByTenant', { Platform: true }, stack.platformKey)
    ).items;
    assert.deepEqual(
      grants.map(({ UserID, Role, Tenant: tenant, Platform }) => [UserID, Role, tenant, Platform]),
      [[stranger.id, 'platform-support', '', true]],
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
      await onPlatform('Grants_Add', { ...support, UserID: person.id }, stranger.token),
      403,
      'permission_denied',
    );
    // A record can be sent back as it was read.
    bodyOf(await onPlatform('Grants_Remove', grants[0] ?? {}));
    assert.equal(await seesEndpoints(stranger), false);
    assert.equal(
      recordIn(
        await stack.call(
          'Access_Check',
          { Tenant, Permission: 'iam.webhooks.read' },
          stranger.token,
        ),
        'Allowed',
      ),
      false,
    );
  });

  test('a grant without a tenant and without Platform is refused, even for the platform key', async () => {
    const { stack, owner, person, Tenant, onPlatform } = suite;
    const subjects = {
      Grants: { UserID: person.id },
      GroupGrants: { Group: 'eng' },
      BotGrants: { Bot: createId('bot') },
    };
    const stored = () => countOf(stack, `access.grant_entry where tenant = ''`);
    const before = await stored();
    for (const [family, subject] of Object.entries(subjects)) {
      for (const token of [stack.platformKey, owner.token]) {
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
        await stack.call(`${family}_ListByTenant`, { Platform: true }, owner.token),
        403,
        'permission_denied',
      );
      assertRefused(
        await onPlatform(
          `${family}_Add`,
          { ...subjects[family], Platform: true, Role: 'auditor' },
          owner.token,
        ),
        403,
        'permission_denied',
      );
    }
    assert.equal(await stored(), before);
  });

  test('Grants_ListByTenant and BotGrants_ListByTenant with IncludePlatform show the platform grants that count in the tenant, page by page', async () => {
    const { stack, admin, person, stranger, disabled, Tenant, onPlatform } = suite;
    const { ID: Bot } = await createBot(
      stack,
      await createTenant(stack, stranger.token ?? ''),
      stranger.token ?? '',
    );
    const platformGrants = [
      { Platform: true, UserID: stranger.id, Role: 'auditor' },
      {
        Platform: true,
        UserID: stranger.id,
        Role: 'member',
        ExpiresAt: new Date(Date.now() + 1200).toISOString(),
      },
      // A disabled account holds nothing.
      { Platform: true, UserID: disabled.id, Role: 'auditor' },
    ];
    for (const platformGrant of platformGrants)
      bodyOf(await onPlatform('Grants_Add', platformGrant));
    bodyOf(await onPlatform('BotGrants_Add', { Platform: true, Bot, Role: 'platform-support' }));
    bodyOf(await stack.call('Users_Disable', { UserID: disabled.id }, stack.platformKey));
    await new Promise((resolve) => setTimeout(resolve, 1300));

    const read = async (operation: string, more: object, limit = 200) =>
      (await readList<Grant>(stack, operation, { Tenant, ...more }, admin.token ?? '', limit))
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
        [stranger.id, 'auditor', '', ''],
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
      await stack.call('Grants_ListByTenant', { Tenant, IncludePlatform: true }, person.token),
      403,
      'permission_denied',
    );
    // A cursor belongs to the list it was made for.
    const first = await stack.call(
      'Grants_ListByTenant',
      { Tenant, IncludePlatform: true, Page: { Limit: 1 } },
      admin.token,
    );
    const { NextCursor } = bodyOf(first)['Page'] as { NextCursor: string };
    assertRefused(
      await stack.call(
        'Grants_ListByTenant',
        { Tenant, Page: { Cursor: NextCursor } },
        admin.token,
      ),
      400,
      'invalid_argument',
    );

    const explained = bodyOf(
      await stack.call(
        'Access_Explain',
        { Tenant, Subject: stranger.id, Permission: 'iam.audit.read' },
        admin.token,
      ),
    );
    assert.deepEqual(
      (explained['Paths'] as Array<{ Role: string; Platform: boolean }>).map(
        ({ Role, Platform }) => [Role, Platform],
      ),
      [['auditor', true]],
    );
    for (const platformGrant of platformGrants)
      bodyOf(await onPlatform('Grants_Remove', platformGrant));
    bodyOf(await onPlatform('BotGrants_Remove', { Platform: true, Bot, Role: 'platform-support' }));
    bodyOf(await stack.call('Users_Enable', { UserID: disabled.id }, stack.platformKey));
  });
});
