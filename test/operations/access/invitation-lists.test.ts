import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readPage } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { deadToken, newGuest } from '../../support/invitations.ts';
import { signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { type Invitations, startInvitations } from './invitation-calls.ts';

describeOne('lists of invitations', 'one process', (topology) => {
  let suite: Invitations;
  before(async () => {
    suite = await startInvitations(topology);
  });
  after(() => suite?.stop());

  test('TenantInvitations_List pages through all states, newest first, and takes only its own cursor', async () => {
    const { stack, use, ada } = suite;
    const Tenant = await use.tenantOf(ada);
    const emails = Array.from({ length: 5 }, newGuest);
    for (const email of emails) await use.invite(Tenant, email, ada.token);
    bodyOf(await use.remove(Tenant, emails[2] ?? '', ada.token));
    const { items, sizes } = await use.list(Tenant, 2);
    assert.deepEqual(sizes, [2, 2, 1]);
    assert.deepEqual(
      items.map(({ Email }) => Email),
      emails.toReversed(),
    );
    assert.deepEqual(await use.statuses(Tenant), [
      'pending',
      'pending',
      'revoked',
      'pending',
      'pending',
    ]);
    const { NextCursor } = await readPage(
      stack,
      'TenantInvitations_List',
      { Tenant, Page: { Limit: 1 } },
      ada.token,
    );
    const other = await use.tenantOf(ada);
    for (const [operation, request] of [
      ['TenantInvitations_List', { Tenant: other }],
      ['TenantInvitations_ListByEmail', { Email: ada.email }],
    ] as const)
      assertRefused(
        await stack.call(operation, { ...request, Page: { Cursor: NextCursor } }, ada.token),
        400,
        'invalid_argument',
      );
  });

  test('TenantInvitations_ListByEmail shows users their own invitations and the platform all, of active tenants', async () => {
    const { stack, use, ada, bob, pageOf } = suite;
    const guest = await signUp(stack, newGuest());
    const [first, second] = [await use.tenantOf(ada), await use.tenantOf(bob)];
    await use.invite(first, guest.email, ada.token);
    await use.invite(second, guest.email, bob.token);
    const tenantsFor = async (token: string) =>
      (await pageOf(guest.email.toUpperCase(), token)).map(({ Tenant }) => Tenant);
    assert.deepEqual(await tenantsFor(guest.token), [second, first]);
    assert.deepEqual(await tenantsFor(stack.platformKey), [second, first]);
    assertRefused(
      await stack.call('TenantInvitations_ListByEmail', { Email: guest.email }, ada.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await stack.call('TenantInvitations_ListByEmail', { Email: guest.email }),
      401,
      'unauthenticated',
    );
    await rowsOf(stack, `update access.tenant set status = 'suspended' where id = $1`, [second]);
    assert.deepEqual(await tenantsFor(guest.token), [first]);
  });

  test('TenantInvitations_* answer strangers the same for foreign and missing tenants', async () => {
    const { stack, use, ada, bob } = suite;
    const Tenant = await use.tenantOf(ada);
    const guest = await signUp(stack, newGuest());
    const token = await use.invite(Tenant, guest.email, ada.token);
    for (const [operation, more] of [
      ['TenantInvitations_Create', { Email: newGuest() }],
      ['TenantInvitations_List', {}],
      ['TenantInvitations_Delete', { Email: guest.email }],
    ] as const) {
      const foreign = await stack.call(operation, { Tenant, ...more }, bob.token);
      const missing = await stack.call(operation, { Tenant: createId('tnt'), ...more }, bob.token);
      assertRefused(foreign, 403, 'permission_denied');
      assert.deepEqual(missing.body.Messages, foreign.body.Messages);
    }
    await rowsOf(stack, `update access.tenant set status = 'suspended' where id = $1`, [Tenant]);
    for (const answer of [await use.accept(token, guest.token), await use.decline(token)])
      assertRefused(answer, 400, 'failed_precondition', deadToken);
  });
});
