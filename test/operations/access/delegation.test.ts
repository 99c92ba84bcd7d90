import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  fresh,
  groupWith,
  holderOf,
  newMember,
  openStage,
  type Stage,
  scimGroupWith,
} from '../../model/delegation-stage.ts';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { mailsTo, signUp, tokenIn } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { eventTypesOf } from '../../support/store.ts';
import { accountOf, assertScimError, patchOf, personOf, type Resource } from './scim-calls.ts';

// Who may give and take rights. test/model/delegation.long.test.ts tries every path.

describeOne('delegation', 'one process', (topology) => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(await sharedStack(topology));
  });
  after(() => stage?.stack.stop());

  const isAllowed = async (Subject: string, Permission: string) => {
    const { Tenant, call } = stage;
    const answer = await call('owner', 'Access_Check', { Tenant, Subject, Permission });
    return recordIn(answer, 'Allowed');
  };
  const active = (isActive: boolean) => patchOf({ op: 'replace', path: 'active', value: isActive });

  test('an administrator does not become an owner through a directory of the own making', async () => {
    const { Tenant, stack, people, directory, asOwner, scim } = stage;
    const { id: group } = await scimGroupWith(stage, 'chief');
    const { email, token, id } = people.admin;
    // The administrator cannot make a key that could fill the group now.
    const bot = await createBot(stack, Tenant, token, { Name: 'own directory' });
    const Grant = { Tenant, Bot: bot.ID, Role: 'scim-directory' };
    bodyOf(await stack.call('BotGrants_Add', { Grant }, token));
    const refused = await stack.call('BotKeys_Create', { Tenant, Bot: bot.ID, Name: 'k' }, token);
    assertRefused(refused, 403, 'permission_denied', [
      'this would grant iam.*, which the caller does not hold',
    ]);
    // A key from before the group had its role fills it neither with the administrator nor others.
    const own = await scim('admin', 'POST', 'Users', personOf(email));
    assert.equal(own.status, 201, JSON.stringify(own.body));
    const other = await directory.create(fresh('accomplice'));
    for (const { id: member } of [own.body as Resource, other]) {
      const join = patchOf({ op: 'add', path: 'members', value: [{ value: member }] });
      const answer = await scim('admin', 'PATCH', `Groups/${group}`, join);
      assertScimError(answer, 403, undefined, /rotate the key/);
    }
    const climb = { Grant: { Tenant, UserID: id, Role: 'owner' } };
    assertRefused(await stack.call('Grants_Add', climb, token), 403, 'permission_denied');
    assertRefused(
      await stack.call('TenantMembers_Remove', { Tenant, UserID: people.owner.id }, token),
      403,
      'permission_denied',
    );
    await asOwner('Bots_Delete', { Tenant, ID: bot.ID });
    await asOwner('Groups_Delete', { Tenant, Path: await pathOf(group) });
  });

  const pathOf = async (id: string) =>
    (await stage.directory.get<Resource>('GET', `Groups/${id}`)).displayName;

  test('a key fills a group again once a caller who may grant its role rotates it', async () => {
    const { Tenant, stack, people, directory, asOwner } = stage;
    const bot = await createBot(stack, Tenant, people.owner.token, { Name: 'rotated' });
    await asOwner('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'scim-directory' } });
    const original = await createKey(stack, bot, people.admin.token);
    const { id } = await scimGroupWith(stage, 'payer');
    const { scim: member } = await newMember(stage);
    const join = patchOf({ op: 'add', path: 'members', value: [{ value: member }] });
    const by = (key: string) =>
      directory.call('PATCH', `Groups/${id}`, join, { authorization: `Bearer ${key}` });
    assertScimError(await by(original.Secret), 403, undefined, /app\.money\.move/);
    const again = { Tenant, ID: original.Key.ID };
    assertRefused(
      await stack.call('BotKeys_Rotate', again, people.admin.token),
      403,
      'permission_denied',
    );
    const rotated = bodyOf(await stack.call('BotKeys_Rotate', again, people.owner.token));
    assert.equal((await by(String(rotated['Secret']))).status, 204);
  });

  test('a maker who has lost a right hands it out no more', async () => {
    const { Tenant, people, asOwner, scim } = stage;
    const { id: UserID } = people.chief;
    const { id } = await scimGroupWith(stage, 'helper');
    const join = async () => {
      const { scim: member } = await newMember(stage);
      const add = patchOf({ op: 'add', path: 'members', value: [{ value: member }] });
      return (await scim('chief', 'PATCH', `Groups/${id}`, add)).status;
    };
    assert.equal(await join(), 204);
    const Grant = { Tenant, UserID, Role: 'chief' };
    await asOwner('Grants_Remove', { Grant });
    assert.equal(await join(), 403);
    await asOwner('Grants_Add', { Grant });
    assert.equal(await join(), 204);
  });

  test('an administrator does not become an owner in two steps or in three', async () => {
    const { Tenant, call, asOwner, people, stack } = stage;
    const UserID = people.admin.id;
    const become = async (step: string) => {
      assertRefused(
        await call('admin', 'Grants_Add', { Grant: { Tenant, UserID, Role: 'owner' } }),
        403,
        'permission_denied',
      );
      assert.equal(await isAllowed(UserID, 'iam.tenant.delete'), false, step);
    };
    const refused = async (operation: string, body: object) => {
      assertRefused(await call('admin', operation, body), 403, 'permission_denied');
      await become(operation);
    };
    const chiefs = await groupWith(stage, 'chief');
    const Path = `${chiefs}/quiet`;
    bodyOf(await call('admin', 'Groups_Save', { Group: { Tenant, Path } }));
    await refused('Groups_AddMember', { Tenant, Group: Path, UserID });
    await refused('Roles_Save', { Role: { Tenant, Slug: 'sly', Permissions: ['iam.*'] } });
    await refused('Roles_Save', { Role: { Tenant, Slug: 'sly', Permissions: ['iam.tenant.*'] } });
    await refused('Tenants_Update', { Tenant: { ID: Tenant, Settings: { DefaultRole: 'chief' } } });
    await refused('Tenants_Update', {
      Tenant: { ID: Tenant, Settings: { ScimGroupParent: Path } },
    });
    await refused('TenantInvitations_Create', {
      Tenant,
      Email: people.admin.email,
      Groups: [Path],
    });
    // A bot of an owner, and the bot of such a bot.
    const bot = await createBot(stack, Tenant, people.owner.token, { Name: 'of the owner' });
    await asOwner('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'owner' } });
    await refused('BotKeys_Create', { Tenant, Bot: bot.ID, Name: 'k' });
    await refused('BotKeys_Create', { Tenant, Bot: bot.ID, Name: 'k', Permissions: ['iam.*'] });
    // A narrowed key of the owner's bot makes neither a wider key nor an owner.
    const { Secret } = await createKey(stack, bot, people.owner.token, {
      Permissions: ['iam.botkeys.*', 'iam.grants.*', 'iam.bots.*'],
    });
    const asBot = (operation: string, body: object) => stack.call(operation, body, Secret);
    for (const [operation, body] of [
      ['BotKeys_Create', { Tenant, Bot: bot.ID, Name: 'wider' }],
      ['Grants_Add', { Grant: { Tenant, UserID, Role: 'owner' } }],
      ['Grants_Remove', { Grant: { Tenant, UserID: people.owner.id, Role: 'owner' } }],
    ] as const)
      assertRefused(await asBot(operation, body), 403, 'permission_denied');
    // The weakening of a role that someone holds, and then of its holder.
    const { id: chief } = await holderOf(stage, 'chief');
    await refused('Roles_Save', { Role: { Tenant, Slug: 'chief', Permissions: [] } });
    await refused('TenantMembers_Remove', { Tenant, UserID: chief });
    await refused('TenantMembers_Disable', { Tenant, UserID: chief });
    await refused('Groups_Delete', { Tenant, Path: chiefs });
    assert.equal(await isAllowed(chief, 'iam.tenant.delete'), true);
  });

  test('a holder of iam.* by a role of the tenant makes and removes no owner', async () => {
    const { Tenant, call, people } = stage;
    const { id: UserID } = await newMember(stage);
    for (const [operation, body] of [
      ['Grants_Add', { Grant: { Tenant, UserID, Role: 'owner' } }],
      ['Grants_Remove', { Grant: { Tenant, UserID: people.owner.id, Role: 'owner' } }],
      ['TenantMembers_Remove', { Tenant, UserID: people.owner.id }],
    ] as const)
      assertRefused(await call('chief', operation, body), 403, 'permission_denied');
  });

  test('callers may give up their own rights', async () => {
    const { Tenant, asOwner, call, people } = stage;
    const UserID = people.admin.id;
    const Resource = 'ledger';
    await asOwner('Grants_Add', { Grant: { Tenant, UserID, Role: 'payer', Resource } });
    const Group = await groupWith(stage, 'payer');
    await asOwner('Groups_AddMember', { Tenant, Group, UserID });
    bodyOf(
      await call('admin', 'Grants_Remove', { Grant: { Tenant, UserID, Role: 'payer', Resource } }),
    );
    bodyOf(await call('admin', 'Groups_RemoveMember', { Tenant, Group, UserID }));
    assert.equal(await isAllowed(UserID, 'app.money.move'), false);
  });

  test('a directory takes more than its maker could give, and the owners learn of it', async () => {
    const { Tenant, stack, people, scim } = stage;
    const before = (await mailsTo(stack, people.owner.email)).length;
    const holder = await holderOf(stage, 'chief');
    assert.equal((await scim('admin', 'PATCH', `Users/${holder.scim}`, active(false))).status, 200);
    assert.equal(await isAllowed(holder.id, 'iam.tenant.delete'), false);
    const mails = await eventually('the mail', async () => {
      const current = await mailsTo(stack, people.owner.email);
      return current.length > before && current;
    });
    assert.match(mails[0]?.Subject ?? '', /took rights from a member/);
    const types = await eventTypesOf(stack, 'access', Tenant);
    assert.ok(types.includes('tenant.holder_ended'));
    // The rights come back by hand only, from someone who may give them.
    assertScimError(await scim('admin', 'PATCH', `Users/${holder.scim}`, active(true)), 403);
    const again = { Tenant, UserID: holder.id };
    assertRefused(
      await stage.call('admin', 'TenantMembers_Enable', again),
      403,
      'permission_denied',
    );
    bodyOf(await stage.call('owner', 'TenantMembers_Enable', again));
  });

  test('a request against an owner is refused, and all owners are mailed once', async () => {
    const { stack, people, scim } = stage;
    const target = await holderOf(stage, 'owner');
    for (const attempt of [
      () => scim('owner', 'PATCH', `Users/${target.scim}`, active(false)),
      () => scim('owner', 'PATCH', `Users/${target.scim}`, active(false)),
    ])
      assertScimError(await attempt(), 403);
    const refusalMails = async () =>
      (await mailsTo(stack, people.owner.email)).filter(({ Subject }) =>
        /tried to remove an owner/.test(Subject),
      );
    await eventually('the mail', async () => (await refusalMails()).length > 0);
    assert.equal(await isAllowed(target.id, 'iam.tenant.delete'), true);
    assert.equal((await refusalMails()).length, 1);
  });

  test('a refused addition undoes no removal of the same request', async () => {
    const { directory, scim } = stage;
    const [leaves, joins] = [await newMember(stage), await newMember(stage)];
    const { id, path } = await scimGroupWith(stage, 'payer', [leaves.scim]);
    const body = { displayName: path, members: [{ value: joins.scim }] };
    assertScimError(await scim('admin', 'PUT', `Groups/${id}`, body), 403);
    assert.equal((await directory.get<Resource>('GET', `Groups/${id}`)).members?.length ?? 0, 0);
    assert.equal(await isAllowed(leaves.id, 'app.money.move'), false);
    assert.equal(await isAllowed(joins.id, 'app.money.move'), false);
  });

  test('a person who accepts an invitation enters no group that the directory may not fill', async () => {
    const { Tenant, stack, asOwner, people, scim, call } = stage;
    const email = `${fresh('guest')}@elsewhere.example`;
    const invited = await scim('admin', 'POST', 'Users', personOf(email));
    assert.equal(invited.status, 201, JSON.stringify(invited.body));
    const member = (invited.body as Resource).id;
    const plain = await scimGroupWith(stage, 'helper');
    const later = await scimGroupWith(stage, 'helper');
    const join = patchOf({ op: 'add', path: 'members', value: [{ value: member }] });
    for (const { id } of [plain, later])
      assert.equal((await scim('admin', 'PATCH', `Groups/${id}`, join)).status, 204);
    await asOwner('GroupGrants_Add', { Grant: { Tenant, Group: later.path, Role: 'chief' } });
    const guest = await acceptAs(stack, email);
    const groups = bodyOf(await call('owner', 'Groups_ListMemberGroups', { UserID: guest }))[
      'Page'
    ] as { Items: Array<{ Path: string }> };
    assert.deepEqual(
      groups.Items.map(({ Path }) => Path),
      [plain.path],
    );
    assert.ok(people.owner.id !== guest && accountOf(invited.body as Resource) === '');
  });

  /** Registers an invited address and accepts. Returns the user's id. */
  async function acceptAs(stack: Stage['stack'], email: string): Promise<string> {
    const invitation = await eventually(
      'the invitation',
      async () => (await mailsTo(stack, email))[0],
    );
    const guest = await signUp(stack, email, 1);
    bodyOf(
      await stack.call('TenantInvitations_Accept', { Token: tokenIn(invitation) }, guest.token),
    );
    return guest.id;
  }
});
