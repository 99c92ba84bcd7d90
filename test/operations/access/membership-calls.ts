import assert from 'node:assert/strict';
import { readList } from '../../support/answers.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, eventTypesOf } from '../../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;

type Member = { Tenant: string; UserID: string; Status: string; Source: string; JoinedAt?: string };

type OwnTenant = {
  ID: string;
  Name: string;
  Settings: Record<string, unknown>;
  Metadata: object;
  Membership: Member;
};

export const plain = ['permission denied'];

export type Memberships = Awaited<ReturnType<typeof startMemberships>>;

/** The settings of a stack that soon deletes a closed tenant, with the usual limits. */
export const shortGrace = {
  BAILIWICK_LIMITS: 'standard',
  BAILIWICK_TENANT_GRACE_SECONDS: '2',
};

/** The stack, two owners and the calls of the suites about membership by consent. */
export async function startMemberships() {
  // The suites count mails, which limits merge, and call as other services do.
  const stack = await sharedStack('five processes', shortGrace);
  const [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  const member = (Tenant: string, { id }: Person) => ({ Tenant, UserID: id });
  const add = (tenant: string, person: Person, token = ada.token) =>
    stack.call('TenantMembers_Add', member(tenant, person), token);
  const accept = (Tenant: string, { token }: Person) =>
    stack.call('TenantMembers_Accept', { Tenant }, token);
  const decline = (Tenant: string, { token }: Person) =>
    stack.call('TenantMembers_Decline', { Tenant }, token);
  const remove = (tenant: string, person: Person, token = ada.token) =>
    stack.call('TenantMembers_Remove', member(tenant, person), token);
  const groupsIn = (Tenant: string, { token }: Person) =>
    stack.call('Groups_List', { Tenant }, token);
  const ownTenant = async (tenant: string, { token }: Person) =>
    (await readList<OwnTenant>(stack, 'Tenants_ListMine', {}, token)).items.find(
      ({ ID }) => ID === tenant,
    );
  const listed = async (tenant: string, { id }: Person, token = ada.token) =>
    (await readList<Member>(stack, 'TenantMembers_List', { Tenant: tenant }, token)).items.filter(
      ({ UserID }) => UserID === id,
    );
  const members = (tenant: string, { id }: Person) =>
    countOf(stack, 'access.tenant_member where tenant = $1 and user_id = $2', [tenant, id]);
  const countEvents = async (tenant: string, type: string) =>
    (await eventTypesOf(stack, 'access', tenant)).filter((eventType) => eventType === type).length;
  const refused = async (call: Promise<{ status: number }>) =>
    assert.notEqual((await call).status, 200);

  return {
    stack,
    ada,
    bob,
    member,
    add,
    accept,
    decline,
    remove,
    groupsIn,
    ownTenant,
    listed,
    members,
    countEvents,
    refused,
    stop: () => stack.stop(),
  };
}
