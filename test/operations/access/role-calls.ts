import { bodyOf, recordIn } from '../../support/answers.ts';
import type { Topology } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

export type Role = {
  ID: string;
  Slug: string;
  Name: string;
  Description: string;
  Permissions: string[];
  System: boolean;
  CreatedAt?: string;
  UpdatedAt?: string;
};

export type Roles = Awaited<ReturnType<typeof startRoles>>;

/** A tenant with members and the calls of the suites about roles. */
export async function startRoles(topology: Topology) {
  const stack = await sharedStack(topology);
  const [owner, admin] = await Promise.all([signUp(stack), signUp(stack)]);
  const Tenant = await createTenant(stack, owner.token);
  const save = (role: object, token = owner.token, rest: object = {}) =>
    stack.call('Roles_Save', { Role: { Tenant, ...role }, ...rest }, token);
  const read = async (Slug: string) =>
    recordIn(await stack.call('Roles_Get', { Tenant, Slug }, owner.token), 'Role') as Role;
  const remove = (Slug: string, token = owner.token) =>
    stack.call('Roles_Delete', { Tenant, Slug }, token);
  bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: admin.id }, stack.platformKey));
  bodyOf(
    await stack.call(
      'Grants_Add',
      { Grant: { Tenant, UserID: admin.id, Role: 'admin' } },
      owner.token,
    ),
  );

  return { stack, owner, admin, Tenant, save, read, remove, stop: () => stack.stop() };
}
