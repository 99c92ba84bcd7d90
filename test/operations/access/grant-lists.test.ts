import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, readPage } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { type Grant, type Grants, startGrants } from './grant-calls.ts';

describeOne('lists of grants', 'one process', (topology) => {
  let suite: Grants;
  let bot: string;
  before(async () => {
    suite = await startGrants(await sharedStack(topology));
    const { stack, owner, person, Tenant, grant, grantGroup } = suite;
    const saved = await stack.call('Bots_Save', { Bot: { Tenant, Name: 'ci' } }, owner.token);
    ({ ID: bot } = bodyOf(saved)['Bot'] as { ID: string });
    for (const answer of [
      await grant({ UserID: person.id, Role: 'editor' }),
      await grant({ UserID: person.id, Role: 'editor', Resource: 'note-1' }),
      await grantGroup({ Group: 'eng', Role: 'editor' }),
      await grantGroup({ Group: 'eng/backend', Role: 'member' }),
      await stack.call(
        'BotGrants_Add',
        { Grant: { Tenant, Bot: bot, Role: 'editor' } },
        owner.token,
      ),
    ])
      bodyOf(answer);
  });
  after(() => suite?.stop());

  const rowsOf = async (operation: string, fields: object) => {
    const { stack, owner, Tenant } = suite;
    const { items } = await readList<Grant>(stack, operation, { Tenant, ...fields }, owner.token);
    return items
      .map(({ UserID, Group, Bot, Role, Resource }) =>
        [UserID ?? Group ?? Bot, Role, Resource].filter(Boolean).join(' '),
      )
      .sort();
  };

  test('Grants_ListByTenant, GroupGrants_ListByTenant and BotGrants_ListByTenant select the grants of a holder, of a role, or of both', async () => {
    const { owner, admin, person } = suite;
    const users = (fields: object) => rowsOf('Grants_ListByTenant', fields);
    const ofPerson = [`${person.id} editor`, `${person.id} editor note-1`];
    assert.deepEqual(await users({ UserID: person.id }), [...ofPerson, `${person.id} member`]);
    assert.deepEqual(await users({ UserID: person.id, Role: 'editor' }), ofPerson);
    assert.deepEqual(await users({ Role: 'editor' }), ofPerson);
    assert.deepEqual(await users({ Role: 'owner' }), [`${owner.id} owner`]);
    assert.deepEqual(await users({ UserID: admin.id, Role: 'editor' }), []);
    assert.deepEqual(await users({ UserID: createId('usr') }), []);
    assert.deepEqual(await rowsOf('GroupGrants_ListByTenant', { Group: 'ENG' }), ['eng editor']);
    assert.deepEqual(await rowsOf('GroupGrants_ListByTenant', { Role: 'member' }), [
      'eng/backend member',
    ]);
    assert.deepEqual(await rowsOf('BotGrants_ListByTenant', { Bot: bot }), [`${bot} editor`]);
    assert.deepEqual(await rowsOf('BotGrants_ListByTenant', { Role: 'member' }), []);
  });

  test('Grants_ListByTenant pages through a selection, and refuses the cursor of another one', async () => {
    const { stack, owner, person, Tenant } = suite;
    const request = { Tenant, UserID: person.id };
    const first = await readPage<Grant>(
      stack,
      'Grants_ListByTenant',
      { ...request, Page: { Limit: 1 } },
      owner.token,
    );
    assert.equal(first.Items.length, 1);
    const Page = { Limit: 1, Cursor: first.NextCursor };
    const list = (fields: object) =>
      stack.call('Grants_ListByTenant', { Tenant, ...fields, Page }, owner.token);
    bodyOf(await list({ UserID: person.id }));
    for (const other of [{}, { UserID: owner.id }, { UserID: person.id, Role: 'editor' }])
      assertRefused(await list(other), 400, 'invalid_argument', [
        'Page.Cursor is not a cursor of this list',
      ]);
  });

  test('Grants_ListByTenant with IncludePlatform selects the platform grants of the same holder and role', async () => {
    const { admin, person, onPlatform } = suite;
    const support = { Platform: true, UserID: person.id, Role: 'platform-support' };
    const roles = async (fields: object) =>
      (await rowsOf('Grants_ListByTenant', { IncludePlatform: true, ...fields })).filter((row) =>
        row.includes('platform-'),
      );
    bodyOf(await onPlatform('Grants_Add', support));
    try {
      assert.deepEqual(await roles({ UserID: person.id }), [`${person.id} platform-support`]);
      assert.deepEqual(await roles({ UserID: person.id, Role: 'editor' }), []);
      assert.deepEqual(await roles({ UserID: admin.id }), []);
    } finally {
      bodyOf(await onPlatform('Grants_Remove', support));
    }
  });

  test('lists of grants and members know a holder by the tenant of the call only', async () => {
    const { stack, stranger, person, Tenant } = suite;
    for (const [operation, fields] of [
      ['Grants_ListByTenant', { UserID: person.id }],
      ['GroupGrants_ListByTenant', { Group: 'eng' }],
      ['BotGrants_ListByTenant', { Bot: bot }],
      ['TenantMembers_List', { UserID: person.id }],
    ] as const)
      assertRefused(
        await stack.call(operation, { Tenant, ...fields }, stranger.token),
        403,
        'permission_denied',
      );
    assertRefused(
      await stack.call('Grants_ListByTenant', { Tenant, UserID: bot }, suite.owner.token),
      400,
      'invalid_argument',
      ['UserID must be an identifier that begins with usr_'],
    );
  });

  test('TenantMembers_List with a UserID answers with this member only, and with none for a stranger', async () => {
    const { stack, owner, person, stranger, Tenant } = suite;
    const list = (fields: object) =>
      stack.call('TenantMembers_List', { Tenant, WithNames: true, ...fields }, owner.token);
    const membersIn = async (UserID: string) =>
      (
        bodyOf(await list({ UserID }))['Page'] as {
          Items: Array<{ UserID: string; User?: { Email: string } }>;
        }
      ).Items;
    const [member, ...others] = await membersIn(person.id);
    assert.deepEqual([member?.UserID, others], [person.id, []]);
    assert.equal(member?.User?.Email, person.email);
    assert.deepEqual(await membersIn(stranger.id), []);
  });
});
