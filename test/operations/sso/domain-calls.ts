import { bodyOf, recordIn } from '../../support/answers.ts';
import type { Domain } from '../../support/domains.ts';
import type { Stack, Topology } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

export type Domains = Awaited<ReturnType<typeof startDomains>>;

/** The stack, an owner and the calls of the suites about domains. */
export async function startDomains(topology: Topology) {
  const stack = await sharedStack(topology);
  const { id, token } = await signUp(stack);
  const newTenant = async () => tenantFor(stack, id);
  const create = (Tenant: string, Name: string, rest: object = {}) =>
    stack.call('Domain_Create', { Tenant, Name, ...rest }, token);
  const update = (domain: Domain, fields: object) =>
    stack.call('Domain_Update', { Tenant: domain.Tenant, ID: domain.ID, ...fields }, token);
  const read = async ({ Tenant, ID }: Domain) =>
    recordIn(await stack.call('Domain_Get', { Tenant, ID }, token), 'Domain') as Domain;

  return { stack, id, token, newTenant, create, update, read, stop: () => stack.stop() };
}

/** Saves a role of the tenant with these permissions. */
export async function addRole(
  stack: Stack,
  Tenant: string,
  token: string,
  role: { Slug: string; Permissions: readonly string[] },
): Promise<void> {
  bodyOf(await stack.call('Roles_Save', { Role: { Tenant, Name: role.Slug, ...role } }, token));
}
