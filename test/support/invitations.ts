import assert from 'node:assert/strict';
import { bodyOf, readList, recordIn } from './answers.ts';
import type { Stack } from './harness.ts';
import { newAddress, signUp, tenantFor } from './people.ts';
import { eventsOf } from './store.ts';

// Helpers for tests of invitations.

export type Person = Awaited<ReturnType<typeof signUp>>;
export type Invitation = {
  ID: string;
  Tenant: string;
  Email: string;
  Status: string;
  Roles: string[];
  Groups: string[];
  InvitedBy: string;
  AcceptedBy: string;
  ExpiresAt: string;
  CreatedAt: string;
};

export const deadToken = ['the token is no longer valid'];

export const newGuest = () => newAddress('guest');

/** Calls for invitations on a stack. */
export function inviter(stack: Stack) {
  const create = (Tenant: string, Email: string, token: string, offer: object = {}) =>
    stack.call('TenantInvitations_Create', { Tenant, Email, ...offer }, token);
  return {
    create,
    accept: (Token: string, token?: string) =>
      stack.call('TenantInvitations_Accept', { Token }, token),
    decline: (Token: string) => stack.call('TenantInvitations_Decline', { Token }),
    remove: (Tenant: string, Email: string, token: string) =>
      stack.call('TenantInvitations_Delete', { Tenant, Email }, token),

    /** Creates an invitation and returns its token. */
    async invite(
      Tenant: string,
      Email: string,
      token: string,
      offer: object = {},
    ): Promise<string> {
      const invited = String(recordIn(await create(Tenant, Email, token, offer), 'Token'));
      assert.match(invited, /^bwki_[0-9A-Za-z]{49}$/);
      return invited;
    },

    /** Creates a tenant for the user as the platform, so the user's limit does not apply. */
    async tenantOf({ id }: Person, Settings: object = {}): Promise<string> {
      return tenantFor(stack, id, Settings);
    },
    async add(Tenant: string, person: Person, owner: Person, role?: string): Promise<void> {
      bodyOf(
        await stack.call('TenantMembers_Add', { Tenant, UserID: person.id }, stack.platformKey),
      );
      if (role)
        bodyOf(
          await stack.call(
            'Grants_Add',
            { Grant: { Tenant, UserID: person.id, Role: role } },
            owner.token,
          ),
        );
    },

    /** Lists the invitations of a tenant as the platform. */
    list: async (Tenant: string, limit?: number) =>
      readList<Invitation>(stack, 'TenantInvitations_List', { Tenant }, stack.platformKey, limit),
    statuses: async (Tenant: string) =>
      (
        await readList<Invitation>(stack, 'TenantInvitations_List', { Tenant }, stack.platformKey)
      ).items.map(({ Status }) => Status),
    /** The types of a tenant's events about invitations and members. */
    eventTypes: async (Tenant: string) =>
      (await eventsOf(stack, 'access', Tenant))
        .map(({ type }) => type)
        .filter((type) => /^(invitation|tenant\.member)/.test(type)),
  };
}
