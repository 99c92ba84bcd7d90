import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import type { Stack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;

describe('limits on the grants of a tenant', () => {
  let stack: Stack;
  let [owner, person]: Person[] = [];
  before(async () => {
    stack = await sharedStack('one process');
    [owner, person] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const ask = (operation: string, body: object) => stack.call(operation, body, owner?.token);

  /** Creates a tenant in which `person` is a member, also of the group `eng`. */
  async function openTenant(): Promise<string> {
    const Tenant = await createTenant(stack, String(owner?.token));
    bodyOf(
      await stack.call('TenantMembers_Add', { Tenant, UserID: person?.id }, stack.platformKey),
    );
    bodyOf(await ask('Groups_Save', { Group: { Tenant, Path: 'eng' } }));
    bodyOf(await ask('Groups_AddMember', { Tenant, Group: 'eng', UserID: person?.id }));
    return Tenant;
  }

  /** Inserts grants into the database, because calls would take too long. */
  const fill = (tenant: string, subjectType: string, subject: string, count: number) =>
    rowsOf(
      stack,
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
       select $1, 'grt_' || $2 || $3 || n, $2, $3, 'auditor', 'resource-' || n, 'test', now() from generate_series(1, $4) n`,
      [tenant, subjectType, subject, count],
    );
  const grant = (Tenant: string, fields: object) =>
    ask('Grants_Add', { Grant: { Tenant, Role: 'auditor', ...fields } });

  test('a subject has at most 10,000 grants on resources, and Access_Explain refuses above 20,000 with those of its groups', async () => {
    const Tenant = await openTenant();
    await fill(Tenant, 'user', String(person?.id), 9999);
    bodyOf(await grant(Tenant, { UserID: person?.id, Resource: 'last' }));
    assertRefused(
      await grant(Tenant, { UserID: person?.id, Resource: 'one-more' }),
      400,
      'failed_precondition',
      ['a user has at most 10000 grants on single resources in a tenant'],
    );
    // A role in the whole tenant, a new expiry and grants to other subjects are still possible.
    bodyOf(await grant(Tenant, { UserID: person?.id }));
    bodyOf(
      await grant(Tenant, {
        UserID: person?.id,
        Resource: 'last',
        ExpiresAt: new Date(Date.now() + 60_000).toISOString(),
      }),
    );
    bodyOf(await grant(Tenant, { UserID: owner?.id, Resource: 'one-more' }));

    const explain = () =>
      ask('Access_Explain', {
        Tenant,
        Subject: person?.id,
        Permission: 'iam.audit.read',
        Resource: 'resource-1',
      });
    assert.equal((bodyOf(await explain())['Paths'] as unknown[]).length, 2);
    // An expired grant does not count.
    await rowsOf(
      stack,
      `update access.grant_entry set expires_at = now() where tenant = $1 and subject = $2 and resource = 'resource-9'`,
      [Tenant, person?.id],
    );
    bodyOf(await grant(Tenant, { UserID: person?.id, Resource: 'one-more' }));
    await fill(Tenant, 'group', 'eng', 10_001);
    assertRefused(await explain(), 400, 'failed_precondition', [
      'the subject holds more than 20000 grants, those of its groups included',
    ]);
    assert.equal(
      bodyOf(
        await ask('Access_Check', {
          Tenant,
          Subject: person?.id,
          Permission: 'iam.audit.read',
          Resource: 'resource-1',
        }),
      )['Allowed'],
      true,
    );
  });

  test('a tenant has at most 100,000 grants on resources, and Access_Plan refuses to compare more than 100,000 roles', async () => {
    const Tenant = await openTenant();
    // The groups need not exist: only the number of grants matters.
    for (let group = 1; group <= 10; group++) await fill(Tenant, 'group', `group-${group}`, 9999);
    const missing =
      100_000 -
      (await countOf(stack, `access.grant_entry where tenant = $1 and resource <> ''`, [Tenant]));
    await fill(Tenant, 'group', 'eng', missing);
    assertRefused(
      await grant(Tenant, { UserID: person?.id, Resource: 'one-more' }),
      400,
      'failed_precondition',
      ['a tenant has at most 100000 grants on single resources'],
    );
    bodyOf(await grant(Tenant, { UserID: owner?.id }));

    const plan = async () =>
      ask('Access_Plan', {
        Tenant,
        Changes: [{ Groups_RemoveMember: { Tenant, Group: 'eng', UserID: person?.id } }],
      });
    assert.equal((bodyOf(await plan())['Lost'] as unknown[]).length > 0, true);
    await fill(Tenant, 'bot', 'bot_without_record', 100_000);
    assertRefused(await plan(), 400, 'failed_precondition', [
      'the tenant has more than 100000 effective role assignments',
    ]);
  });

  test('Access_Plan refuses a plan with more than 50,000 differences', async () => {
    const Tenant = await openTenant();
    const Permissions = Array.from({ length: 200 }, (_, index) => `app.things.do${index}`);
    bodyOf(await ask('Roles_Save', { Role: { Tenant, Slug: 'editor', Permissions } }));
    await fill(Tenant, 'group', 'eng', 300);
    await rowsOf(
      stack,
      `update access.grant_entry set role = 'editor' where tenant = $1 and subject = 'eng'`,
      [Tenant],
    );
    const plan = () =>
      ask('Access_Plan', { Tenant, Changes: [{ Groups_Delete: { Tenant, Path: 'eng' } }] });
    assertRefused(await plan(), 400, 'failed_precondition', [
      'the changes add or remove more than 50000 permissions',
    ]);
    await rowsOf(
      stack,
      `delete from access.grant_entry where tenant = $1 and subject = 'eng' and resource > 'resource-2'`,
      [Tenant],
    );
    const grants = await countOf(
      stack,
      `access.grant_entry where tenant = $1 and subject = 'eng'`,
      [Tenant],
    );
    assert.equal((bodyOf(await plan())['Lost'] as unknown[]).length, grants * Permissions.length);
  });

  test('a tenant has at most 1,000 roles of its own', async () => {
    const Tenant = await openTenant();
    await rowsOf(
      stack,
      `insert into access.role_entry (tenant, id, slug, name, description, permissions, created_at, updated_at)
       select $1, 'rol_' || n, 'role-' || n, '', '', '{}', now(), now() from generate_series(1, 999) n`,
      [Tenant],
    );
    const save = (Slug: string) =>
      ask('Roles_Save', { Role: { Tenant, Slug, Permissions: ['app.notes.read'] } });
    bodyOf(await save('role-1000'));
    assertRefused(await save('role-1001'), 400, 'failed_precondition', [
      'a tenant has at most 1000 roles of its own',
    ]);
    bodyOf(await save('role-1'));
  });
});
