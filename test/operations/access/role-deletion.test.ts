import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Roles, startRoles } from './role-calls.ts';

describeOne('deleted roles', 'one process', (topology) => {
  let suite: Roles;
  before(async () => {
    suite = await startRoles(topology);
  });
  after(() => suite?.stop());

  test('Roles_Delete refuses a role that is granted, and the tenant’s default role', async () => {
    const { stack, owner, admin, Tenant, save, remove } = suite;
    bodyOf(await save({ Slug: 'held', Permissions: ['app.x.read'] }));
    const grant = { Grant: { Tenant, UserID: admin.id, Role: 'held' } };
    bodyOf(await stack.call('Grants_Add', grant, owner.token));
    assertRefused(await remove('held'), 400, 'failed_precondition', ['the role is granted']);
    bodyOf(await stack.call('Grants_Remove', grant, owner.token));
    bodyOf(await remove('held'));
    bodyOf(await remove('held'));
    assert.equal(
      (await eventTypesOf(stack, 'access', Tenant)).filter((type) => type === 'role.deleted')
        .length,
      1,
    );
  });

  test('Roles_Delete deletes expired grants of the role', async () => {
    const { stack, owner, admin, Tenant, save, remove } = suite;
    bodyOf(await save({ Slug: 'passed', Permissions: ['app.x.read'] }));
    bodyOf(
      await stack.call(
        'Grants_Add',
        {
          Grant: {
            Tenant,
            UserID: admin.id,
            Role: 'passed',
            ExpiresAt: new Date(Date.now() + 86_400_000),
          },
        },
        owner.token,
      ),
    );
    assertRefused(await remove('passed'), 400, 'failed_precondition', ['the role is granted']);
    await rowsOf(
      stack,
      `update access.grant_entry set expires_at = now() where tenant = $1 and role = 'passed'`,
      [Tenant],
    );
    bodyOf(await remove('passed'));
    assert.deepEqual(
      await rowsOf(
        stack,
        `select id from access.grant_entry where tenant = $1 and role = 'passed'`,
        [Tenant],
      ),
      [],
    );
  });

  test('Roles_Delete and Grants_Add at once leave the role either deleted or granted', async () => {
    const { stack, owner, admin, Tenant, save, remove } = suite;
    for (let round = 0; round < 10; round++) {
      const Slug = `race-${round}`;
      bodyOf(await save({ Slug, Permissions: ['app.x.read'] }));
      const [granted, removed] = await Promise.all([
        stack.call('Grants_Add', { Grant: { Tenant, UserID: admin.id, Role: Slug } }, owner.token),
        remove(Slug),
      ]);
      const outcome = [granted.body.Code ?? 'ok', removed.body.Code ?? 'ok'].join();
      assert.ok(['ok,failed_precondition', 'not_found,ok'].includes(outcome), outcome);
    }
  });
});
