import { bodyOf } from './answers.ts';
import { countTrue } from './bursts.ts';
import type { Answer } from './harness.ts';
import { password } from './people.ts';
import { type Call, newMember } from './token-endings.ts';
import { totp } from './totp.ts';

/** A user with a tenant of their own, and another user's tenant. */
type AccountStage = { call: Call; token: string; userId: string; tenant: string; other: string };
type Step = (prepared: AccountStage) => Promise<Answer>;

/** A user's token, and a change of what Account_Get shows the user. */
export type AccountChange = { token: string; change: () => Promise<Answer> };

const changing =
  (change: Step, ...before: Step[]) =>
  async (call: Call): Promise<AccountChange> => {
    const [member, { tenant: other }] = await Promise.all([newMember(call), newMember(call)]);
    const prepared = { ...member, other, call };
    for (const step of before) bodyOf(await step(prepared));
    return { token: member.token, change: () => change(prepared) };
  };

const onTenant =
  (operation: string): Step =>
  ({ call, tenant }) =>
    call(operation, { Tenant: tenant });
const onMember =
  (operation: string): Step =>
  ({ call, other, userId }) =>
    call(operation, { Tenant: other, UserID: userId });
const updateTenant =
  (values: (tenant: string) => object): Step =>
  ({ call, tenant }) =>
    call('Tenants_Update', { Tenant: { ID: tenant, ...values(tenant) } });

const addFactor: Step = async ({ call, token }) => {
  const { FactorID, Secret } = bodyOf(await call('Factors_BeginTotp', { Name: 'Phone' }, token));
  return call('Factors_ConfirmTotp', { FactorID, Code: totp(String(Secret)) }, token);
};

/** The changes of what Account_Get shows, except for sign-ins. */
export const accountChanges: Record<string, (call: Call) => Promise<AccountChange>> = {
  Account_Update: changing(({ call, token }) =>
    call('Account_Update', { User: { Name: 'Ada' } }, token),
  ),
  Users_Update: changing(({ call, userId }) =>
    call('Users_Update', { User: { ID: userId, Name: 'Ada' } }),
  ),
  Account_ChangePassword: changing(({ call, token }) =>
    call('Account_ChangePassword', { Current: password, Password: 'an entirely new one' }, token),
  ),
  Factors_ConfirmTotp: changing(addFactor),
  'Tenants_Update with Name': changing(updateTenant(() => ({ Name: 'Renamed' }))),
  'Tenants_Update with Slug': changing(
    updateTenant((tenant) => ({ Slug: tenant.toLowerCase().replace('_', '-') })),
  ),
  'Tenants_Update with RequireFactor': changing(
    updateTenant(() => ({ Settings: { RequireFactor: 'any', FactorGraceDays: 30 } })),
  ),
  Tenants_Create: changing(({ call, userId }) =>
    call('Tenants_Create', { Tenant: { Name: 'New' }, OwnerID: userId }),
  ),
  Tenants_Suspend: changing(onTenant('Tenants_Suspend')),
  Tenants_Resume: changing(onTenant('Tenants_Resume'), onTenant('Tenants_Suspend')),
  Tenants_Delete: changing(onTenant('Tenants_Delete')),
  Tenants_Restore: changing(onTenant('Tenants_Restore'), onTenant('Tenants_Delete')),
  TenantMembers_Add: changing(onMember('TenantMembers_Add')),
  TenantMembers_Disable: changing(onMember('TenantMembers_Disable'), onMember('TenantMembers_Add')),
  TenantMembers_Enable: changing(
    onMember('TenantMembers_Enable'),
    onMember('TenantMembers_Add'),
    onMember('TenantMembers_Disable'),
  ),
  TenantMembers_Remove: changing(onMember('TenantMembers_Remove'), onMember('TenantMembers_Add')),
};

/** Counts the calls of Account_Get that show what the first one did, as `countTrue` does. */
export async function countUnchanged(
  get: (index: number) => Promise<Answer>,
  change: () => Promise<Answer>,
  atOnce?: number,
): Promise<{ before: number; after: number }> {
  const bodyAt = async (index: number) => JSON.stringify(bodyOf(await get(index)));
  const first = await bodyAt(0);
  return countTrue(async (index) => (await bodyAt(index)) === first, change, atOnce);
}
