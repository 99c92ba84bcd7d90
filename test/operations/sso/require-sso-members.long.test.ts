import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { createBot } from '../../support/bots.ts';
import { describeBoth } from '../../support/harness.ts';
import { newGuest } from '../../support/invitations.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { ssoSession } from '../../support/sso.ts';
import { rowsOf } from '../../support/store.ts';
import { bare, isRequired, type RequireSso, startRequireSso } from './require-sso-calls.ts';

// Members of a tenant that requires single sign-on, in sessions without it.
describeBoth('members of a tenant with Settings.RequireSso', (topology) => {
  let suite: RequireSso;
  before(async () => {
    suite = await startRequireSso(await sharedStack(topology));
  });
  after(() => suite?.stop());

  test('Access_Check, _ListPermissions and _Explain answer for the caller’s session, and about other users for their grants', async () => {
    const { stack, ada, bob, strictTenant } = suite;
    const Tenant = await strictTenant();
    const own = await ssoSession(stack, bob, Tenant);
    const check = async (token: string, Subject?: string) =>
      bodyOf(
        await stack.call(
          'Access_Check',
          { Tenant, Permission: 'iam.groups.write', ...(Subject && { Subject }) },
          token,
        ),
      )['Allowed'];
    const permissions = async (token: string) =>
      bodyOf(await stack.call('Access_ListPermissions', { Tenant }, token))[
        'Permissions'
      ] as string[];
    const explain = async (token: string) =>
      bodyOf(await stack.call('Access_Explain', { Tenant, Permission: 'iam.groups.write' }, token));
    assert.equal(await check(bob.token), false);
    assert.equal(await check(bob.token, bob.id), false);
    assert.deepEqual(await permissions(bob.token), []);
    assert.deepEqual((await explain(bob.token))['Missing'], [
      'the tenant requires single sign-on, and this session came another way',
    ]);
    assert.equal(await check(own), true);
    assert.ok((await permissions(own)).includes('iam.groups.*'));
    assert.equal((await explain(own))['Allowed'], true);
    assert.equal(await check(stack.platformKey, bob.id), true);
    assertRefused(
      await stack.call(
        'Access_Check',
        { Tenant, Permission: 'iam.groups.write', Subject: ada.id },
        bob.token,
      ),
      403,
      'permission_denied',
      bare,
    );

    const introspect = async (Token: string) =>
      bodyOf(await stack.call('Tokens_Introspect', { Token, Tenant }, stack.platformKey))['Active'];
    assert.equal(await introspect(bob.token), false);
    assert.equal(await introspect(own), true);
  });

  test('Tenants_ListMine and Account_Get name the tenant, and show none of its settings', async () => {
    const { stack, bob, strictTenant } = suite;
    const Tenant = await strictTenant();
    bodyOf(
      await stack.call(
        'Tenants_Update',
        {
          Tenant: {
            ID: Tenant,
            Metadata: { plan: 'gold' },
            Settings: { InviteDomains: ['example.com'] },
          },
        },
        stack.platformKey,
      ),
    );
    type TenantRecord = {
      ID: string;
      Name: string;
      Metadata: object;
      Settings: { RequireSso: boolean; InviteDomains: string[] };
    };
    const listed = async (token: string) =>
      (await readList<TenantRecord>(stack, 'Tenants_ListMine', {}, token)).items.find(
        ({ ID }) => ID === Tenant,
      );
    const tenant = await listed(bob.token);
    assert.deepEqual(
      [tenant?.Name, tenant?.Metadata, tenant?.Settings.RequireSso, tenant?.Settings.InviteDomains],
      ['Acme', {}, true, []],
    );
    const whole = await listed(await ssoSession(stack, bob, Tenant));
    assert.deepEqual(
      [whole?.Metadata, whole?.Settings.InviteDomains],
      [{ plan: 'gold' }, ['example.com']],
    );
    const { Tenants } = bodyOf(await stack.call('Account_Get', {}, bob.token)) as unknown as {
      Tenants: Array<{ ID: string }>;
    };
    assert.ok(Tenants.some(({ ID }) => ID === Tenant));
  });

  test('TenantInvitations_Accept works in any session for a new member, whose later calls then need single sign-on', async () => {
    const { stack, use, ada, groups, strictTenant } = suite;
    const Tenant = await strictTenant();
    const guest = await signUp(stack, newGuest());
    const owner = await ssoSession(stack, ada, Tenant);
    bodyOf(await use.accept(await use.invite(Tenant, guest.email, owner), guest.token));
    isRequired(await groups(Tenant, guest.token));
    bodyOf(await groups(Tenant, await ssoSession(stack, guest, Tenant)));

    const late = await signUp(stack, newGuest());
    const token = await use.invite(Tenant, late.email, owner, { Roles: ['auditor'] });
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: late.id }, stack.platformKey));
    isRequired(await use.accept(token, late.token));
    bodyOf(await use.accept(token, await ssoSession(stack, late, Tenant)));
  });

  test('owners are protected as before, even without a session', async () => {
    const { stack, ada, bob, strictTenant } = suite;
    const Tenant = await strictTenant();
    const admin = await ssoSession(stack, bob, Tenant);
    // Ownership that the platform has given binds after its holder has accepted it.
    const owner = await ssoSession(stack, ada, Tenant);
    bodyOf(await stack.call('TenantMembers_Accept', { Tenant }, owner));
    assertRefused(
      await stack.call('TenantMembers_Remove', { Tenant, UserID: ada.id }, admin),
      403,
      'permission_denied',
    );
    assertRefused(
      await stack.call('TenantMembers_Remove', { Tenant, UserID: ada.id }, stack.platformKey),
      400,
      'failed_precondition',
    );
    assertRefused(
      await stack.call('Grants_Add', { Grant: { Tenant, UserID: bob.id, Role: 'owner' } }, admin),
      403,
      'permission_denied',
    );
    bodyOf(
      await stack.call('Grants_Add', { Grant: { Tenant, UserID: bob.id, Role: 'auditor' } }, admin),
    );
    const { ID } = await createBot(stack, Tenant, admin);
    bodyOf(await stack.call('BotKeys_Create', { Tenant, Bot: ID, Name: 'ci' }, admin));
  });

  test('while the requirement is lifted, only owners do without single sign-on', async () => {
    const { stack, use, ada, bob, set, groups } = suite;
    const Tenant = await use.tenantOf(ada);
    await use.add(Tenant, bob, ada, 'admin');
    const lift = (seconds: number) =>
      rowsOf(
        stack,
        `update access.tenant set sso_lifted_until = now() + $2 * interval '1 second' where id = $1`,
        [Tenant, seconds],
      );
    await lift(600);
    bodyOf(await set(Tenant, true, stack.platformKey));
    isRequired(await groups(Tenant, bob.token));
    bodyOf(await groups(Tenant, ada.token));
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'ops' } }, ada.token));
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant, UserID: bob.id, Role: 'auditor' } },
        ada.token,
      ),
    );
    assert.equal(
      bodyOf(await stack.call('Access_Check', { Tenant, Permission: 'app.read' }, bob.token))[
        'Allowed'
      ],
      false,
    );
    assert.equal(
      bodyOf(
        await stack.call('Access_Check', { Tenant, Permission: 'iam.tenant.delete' }, ada.token),
      )['Allowed'],
      true,
    );
    bodyOf(await stack.call('Users_Get', { UserID: bob.id }, ada.token));
    await lift(-1);
    await forgetRights({ DATABASE_URL: stack.databaseUrl });
    isRequired(await groups(Tenant, ada.token));
  });
});
