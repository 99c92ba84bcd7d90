import { createId } from '@bailiwick/contract';
import { bodyOf, readList } from '../../support/answers.ts';
import type { Topology } from '../../support/harness.ts';
import { ownedBy, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { eventTypesOf, rowsOf } from '../../support/store.ts';

export type Person = Awaited<ReturnType<typeof signUp>>;

export type Member = {
  Tenant: string;
  UserID: string;
  Status: string;
  Source: string;
  JoinedAt: string;
};

export type Members = Awaited<ReturnType<typeof startMembers>>;

/** The stack, three users and the calls of the suites about members. */
export async function startMembers(topology: Topology) {
  const stack = await sharedStack(topology);
  const [ada, bob, carol] = await Promise.all([signUp(stack), signUp(stack), signUp(stack)]);
  /** A tenant of Ada's from the platform, which does not count against her ten. */
  const tenantOfAda = async (settings: object = {}) => ownedBy(stack, ada, settings);
  /**
   * By the platform if no token is given: an addition by the tenant's own callers needs the user's
   * consent.
   */
  const add = (tenant: string, { id }: Person, token = stack.platformKey) =>
    stack.call('TenantMembers_Add', { Tenant: tenant, UserID: id }, token);
  const remove = (tenant: string, { id }: Person, token = ada.token) =>
    stack.call('TenantMembers_Remove', { Tenant: tenant, UserID: id }, token);
  const membersOf = (tenant: string, limit = 200, token = ada.token) =>
    readList<Member>(stack, 'TenantMembers_List', { Tenant: tenant }, token, limit);
  const tenantsOf = async ({ token }: Person) =>
    (bodyOf(await stack.call('Account_Get', {}, token))['Tenants'] as Array<{ ID: string }>).map(
      ({ ID }) => ID,
    );
  const countEvents = async (tenant: string, type: string) =>
    (await eventTypesOf(stack, 'access', tenant)).filter((eventType) => eventType === type).length;
  /** Writes to the database, because only an owner could grant ownership. */
  const makeOwner = (tenant: string, { id }: Person) =>
    rowsOf(
      stack,
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at) values ($1, $2, 'user', $3, 'owner', '', '', now())`,
      [tenant, createId('grt'), id],
    );

  return {
    stack,
    ada,
    bob,
    carol,
    tenantOfAda,
    add,
    remove,
    membersOf,
    tenantsOf,
    countEvents,
    makeOwner,
    stop: () => stack.stop(),
  };
}
