import { recordIn } from '../../support/answers.ts';
import type { Topology } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

export type Group = {
  ID: string;
  Tenant: string;
  Path: string;
  Name: string;
  Description: string;
  Metadata: object;
  CreatedAt: string;
  UpdatedAt: string;
};

export type Groups = Awaited<ReturnType<typeof startGroups>>;

/** The stack, an owner and the calls of the suites about groups. */
export async function startGroups(topology: Topology) {
  const stack = await sharedStack(topology);
  const { id, token } = await signUp(stack);
  // A user may create ten tenants of their own.
  const newTenant = async () => tenantFor(stack, id);
  const save = (group: object, rest: object = {}) =>
    stack.call('Groups_Save', { Group: group, ...rest }, token);
  const read = async (Tenant: string, Path: string) =>
    recordIn(await stack.call('Groups_Get', { Tenant, Path }, token), 'Group') as Group;
  const remove = (Tenant: string, Path: string) =>
    stack.call('Groups_Delete', { Tenant, Path }, token);

  return { stack, id, token, newTenant, save, read, remove, stop: () => stack.stop() };
}
