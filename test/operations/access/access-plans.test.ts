import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot } from '../../support/bots.ts';
import { describeOne } from '../../support/harness.ts';
import { eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Decisions, startDecisions } from './access-calls.ts';

describeOne('plans of changes of grants', 'one process', (topology) => {
  let suite: Decisions;
  before(async () => {
    suite = await startDecisions(topology);
  });
  after(() => suite?.stop());

  test('Access_Plan lists who would gain and lose which permissions, and changes nothing', async () => {
    const { stack, person, other, Tenant, plan } = suite;
    const before = await rowsOf(
      stack,
      'select * from access.grant_entry where tenant = $1 order by id',
      [Tenant],
    );
    const outbox = await eventTypesOf(stack, 'access', Tenant);
    const moved = await plan(
      { Groups_RemoveMember: { Tenant, Group: 'eng/backend', UserID: person.id } },
      { Groups_AddMember: { Tenant, Group: 'eng', UserID: other.id } },
    );
    const editor = (Subject?: string) =>
      ['iam.webhooks.read', 'app.notes.*'].map((Permission) => ({
        Subject,
        Permission,
        Resource: '',
      }));
    assert.deepEqual(moved, {
      Gained: editor(other.id),
      Lost: editor(person.id),
      Warnings: [],
      Refusals: [],
    });
    const deleted = await plan(
      { Groups_Delete: { Tenant, Path: 'eng' } },
      { Groups_Delete: { Tenant, Path: 'eng/backend' } },
    );
    assert.deepEqual(deleted.Lost, editor(person.id));
    const widened = await plan({
      Roles_Save: { Role: { Tenant, Slug: 'reader', Permissions: ['app.reports.*'] } },
    });
    assert.deepEqual(widened.Gained, [
      { Subject: person.id, Permission: 'app.reports.*', Resource: 'report-7' },
    ]);
    assert.deepEqual(
      await rowsOf(stack, 'select * from access.grant_entry where tenant = $1 order by id', [
        Tenant,
      ]),
      before,
    );
    assert.deepEqual(await eventTypesOf(stack, 'access', Tenant), outbox);
  });

  test('Access_Plan warns about each change that would be refused, and applies the others', async () => {
    const { owner, other, Tenant, ask, plan } = suite;
    const answer = await plan(
      { Roles_Delete: { Tenant, Slug: 'editor' } },
      { Grants_Remove: { Grant: { Tenant, UserID: owner.id, Role: 'owner' } } },
      { Grants_Add: { Grant: { Tenant, UserID: other.id, Role: 'nothing' } } },
      { Grants_Add: { Grant: { Tenant, UserID: other.id, Role: 'reader' } } },
      { Roles_Save: { Role: { Tenant, Slug: 'reader', Permissions: ['iam.wirte'] } } },
      {
        Grants_Add: {
          Grant: { Tenant, UserID: other.id, Role: 'editor', ExpiresAt: '2020-01-01T00:00:00Z' },
        },
      },
    );
    assert.deepEqual(answer.Warnings, [
      'Changes[0].Roles_Delete would be refused: the role is granted',
      'Changes[1].Grants_Remove would be refused: the last owner of a tenant cannot be removed',
      'Changes[2].Grants_Add would be refused: role not found',
      'Changes[4].Roles_Save would be refused: Role.Permissions iam.wirte is not a built-in permission',
      'Changes[5].Grants_Add would be refused: Grant.ExpiresAt must be in the future',
    ]);
    const invalid = (Index: number, message: string, Field: string, Rule: string) => ({
      Index,
      Code: 'invalid_argument',
      Messages: [message],
      Reason: '',
      Params: {},
      Problems: [{ Field, Rule, Params: {} }],
    });
    const refused = (Index: number, Code: string, message: string, Reason = '') => ({
      Index,
      Code,
      Messages: [message],
      Reason,
      Params: {},
      Problems: [],
    });
    assert.deepEqual(answer.Refusals, [
      refused(0, 'failed_precondition', 'the role is granted', 'ROLE_IN_USE'),
      refused(
        1,
        'failed_precondition',
        'the last owner of a tenant cannot be removed',
        'LAST_OWNER',
      ),
      refused(2, 'not_found', 'role not found'),
      invalid(
        4,
        'Role.Permissions iam.wirte is not a built-in permission',
        'Role.Permissions',
        'permission',
      ),
      invalid(5, 'Grant.ExpiresAt must be in the future', 'Grant.ExpiresAt', 'future'),
    ]);
    assert.deepEqual(answer.Gained, [
      { Subject: other.id, Permission: 'app.reports.read', Resource: '' },
    ]);
    // A change that the caller may not make is a warning too.
    bodyOf(await ask('Grants_Add', { Grant: { Tenant, UserID: other.id, Role: 'auditor' } }));
    const unable = await ask(
      'Access_Plan',
      { Changes: [{ Grants_Add: { Grant: { Tenant, UserID: other.id, Role: 'owner' } } }] },
      other.token,
    );
    assert.deepEqual(bodyOf(unable), {
      Gained: [],
      Lost: [],
      Warnings: ['Changes[0].Grants_Add would be refused: iam.grants.write is required'],
      Refusals: [refused(0, 'permission_denied', 'iam.grants.write is required')],
    });
    assertRefused(await ask('Access_Plan', { Changes: [{}] }), 400, 'invalid_argument', [
      'Changes[0] must contain the request of exactly one operation',
    ]);
    assertRefused(
      await ask('Access_Plan', {
        Changes: [{ Roles_Delete: { Tenant: createId('tnt'), Slug: 'editor' } }],
      }),
      400,
      'invalid_argument',
      ["Changes[0].Roles_Delete must be in the plan's Tenant"],
    );
    assertRefused(
      await ask('Access_Plan', { Changes: [{ Roles_Delete: { Tenant, Slug: 'X' } }] }),
      400,
      'invalid_argument',
      [
        'Changes[0].Roles_Delete.Slug must be 2 to 63 lower-case letters, digits and "-", beginning with a letter',
      ],
    );
    assertRefused(await ask('Access_Plan', {}), 400, 'invalid_argument', ['Changes is required']);
  });

  test('Access_Plan previews a new group with its members and grants', async () => {
    const { other, Tenant, plan, ask } = suite;
    const answer = await plan(
      { Groups_Save: { Group: { Tenant, Path: 'eng/new' } } },
      { Groups_AddMember: { Tenant, Group: 'eng/new', UserID: other.id } },
      { GroupGrants_Add: { Grant: { Tenant, Group: 'eng/new', Role: 'reader', Resource: 'r' } } },
    );
    assert.deepEqual(answer, {
      Gained: [
        { Subject: other.id, Permission: 'app.notes.*', Resource: '' },
        { Subject: other.id, Permission: 'app.reports.read', Resource: 'r' },
      ],
      Lost: [],
      Warnings: [],
      Refusals: [],
    });
    assert.equal(bodyOf(await ask('Groups_Get', { Tenant, Path: 'eng/new' }))['Group'], null);
  });

  test('Access_Plan for a bot needs no right to change anything, and shows what the bot would be refused', async () => {
    const { stack, owner, person, other, Tenant, ask } = suite;
    const bot = await createBot(stack, Tenant, owner.token);
    bodyOf(await ask('Grants_Add', { Grant: { Tenant, UserID: other.id, Role: 'auditor' } }));
    const Changes = [
      { Grants_Add: { Grant: { Tenant, UserID: person.id, Role: 'reader' } } },
      { Grants_Add: { Grant: { Tenant, UserID: person.id, Role: 'owner' } } },
    ];
    const planFor = (ForBot: string, token = other.token) =>
      ask('Access_Plan', { Changes, ForBot }, token);
    const needs = (index: number) =>
      `Changes[${index}].Grants_Add would be refused: iam.grants.write is required`;
    assert.deepEqual(bodyOf(await planFor(bot.ID))['Warnings'], [needs(0), needs(1)]);
    const Role = { Tenant, Slug: 'applier', Permissions: ['iam.grants.write', 'app.reports.*'] };
    bodyOf(await ask('Roles_Save', { Role }));
    bodyOf(await ask('BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'applier' } }));
    const { Gained, Warnings } = bodyOf(await planFor(bot.ID)) as unknown as {
      Gained: Array<{ Permission: string }>;
      Warnings: string[];
    };
    assert.deepEqual(
      Gained.map(({ Permission }) => Permission),
      ['app.reports.read'],
    );
    assert.deepEqual(Warnings, [
      'Changes[1].Grants_Add would be refused: this would grant iam.*, which the caller does not hold',
    ]);
    assertRefused(await planFor(bot.ID, person.token), 403, 'permission_denied');
    assert.equal((await planFor(createId('bot'))).body.Code, 'not_found');
  });

  test('Access_Plan and Grants_Add at once, in opposite orders, do not deadlock and do not fail', async () => {
    const { person, other, Tenant, ask } = suite;
    const grants = [person, other].map((user) => ({
      Grants_Add: { Grant: { Tenant, UserID: user?.id, Role: 'editor', Resource: 'a' } },
    }));
    const both = [grants, grants.toReversed()];
    const planning = Array.from({ length: 12 }, (_, index) =>
      ask('Access_Plan', { Changes: both[index % 2] }),
    );
    const granting = Array.from({ length: 12 }, (_, index) =>
      ask('Grants_Add', grants[index % 2]?.Grants_Add ?? {}),
    );
    for (const answer of await Promise.all([...planning, ...granting])) bodyOf(answer);
  });
});
