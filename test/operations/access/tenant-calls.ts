import type { Topology } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

export type Tenant = {
  ID: string;
  Slug: string;
  Name: string;
  Status: string;
  Settings: Record<string, unknown>;
  Metadata: object;
  CreatedAt: string;
};

export type Tenants = Awaited<ReturnType<typeof startTenants>>;

/** The stack, people and the calls of the suites about tenants. */
export async function startTenants(topology: Topology) {
  const stack = await sharedStack(topology);
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  const create = (tenant: object, token = ada.token, rest: object = {}) =>
    stack.call('Tenants_Create', { Tenant: tenant, ...rest }, token);

  return { stack, ada, bob, create, stop: () => stack.stop() };
}
