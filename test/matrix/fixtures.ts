import { randomBytes } from 'node:crypto';
import type { Operation } from '@bailiwick/proto/operation.ts';
import { createToken } from '@bailiwick/shared/tokens.ts';
import type { Stack } from '../harness.ts';
import { newAddress, password } from '../people.ts';
import { type Kind, makeAll } from './makers.ts';
import { newPerson } from './people.ts';
import { isRecord, type JsonObject, requestFor } from './requests.ts';
import type { Place, Principal } from './world.ts';

// What an operation that changes something needs so that an allowed call of it succeeds.

export type Fixture = {
  /** The records that are made for each allowed call, since the call ends or changes them. */
  fresh?: readonly Kind[];
  /** In the place of whoever is signed in, somebody who is there for this one call. */
  actor?: true;
  /** Keys of the request, deep, for which the example will not do. null = left out. */
  request?: (place: Place, who: Principal, stack: Stack) => JsonObject;
  /** The test whose calls are the allowed ones, where a call would end the world that all others are made in, or needs what no call makes. */
  allowedIn?: string;
};

const tenantChanges = 'test/operations/tenant-changes.test.ts';
const newSlug = () => `matrix-${randomBytes(4).toString('hex')}`;
const token = ({ invitation }: Place) => ({ Token: invitation });
const endpointUrl = (stack: Stack) => `${stack.inboxUrl}/hooks/matrix`;
/** An update takes only the stored address, and an external id only from the platform. */
const withoutKeys = () => ({ User: { Email: null, ExternalID: null } });
const resend = (kind: 'verify' | 'reset' | 'invitation') => ({
  request: () => ({ Email: newAddress('task'), Token: createToken(kind) }),
});

/** Every operation that has side effects or is open to all. What is missing here fails the matrix. */
const fixtures: Readonly<Record<string, Fixture>> = {
  Account_Register: { request: () => ({ Email: newAddress('registers') }) },
  Account_Verify: { fresh: ['registration'], request: token },
  Account_ResendVerification: { fresh: ['registration'] },
  Account_RequestPasswordReset: { fresh: ['person'] },
  Account_ResetPassword: { fresh: ['person', 'reset'], request: token },
  Account_Login: { fresh: ['person'] },
  Account_ExchangeCode: {
    fresh: ['person', 'code'],
    request: ({ invitation }) => ({ Code: invitation }),
  },
  Account_Logout: { actor: true },
  Account_Update: { actor: true, request: withoutKeys },
  Account_ChangePassword: { actor: true },
  Account_ChangeEmail: { actor: true, request: () => ({ Email: newAddress('next') }) },
  Account_Task_SendEmailVerification: resend('verify'),
  Account_Task_SendPasswordReset: resend('reset'),
  Account_Task_SendNotice: {},
  Sessions_Revoke: { actor: true, fresh: ['session'] },
  Sessions_RevokeAll: { actor: true },
  Sso_Check: {},
  Tokens_Introspect: {
    request: (_place, who) => ({ Token: who.token ?? createToken('session'), IP: null }),
  },

  Users_Update: { actor: true, request: withoutKeys },
  Users_Disable: { fresh: ['person'] },
  Users_Enable: { allowedIn: 'test/operations/users.test.ts' },
  Users_Delete: { actor: true, fresh: ['person'] },
  Users_ConfirmIdentity: { actor: true, fresh: ['person', 'identity'] },
  Users_RemoveIdentity: { actor: true, fresh: ['person', 'identity'] },
  Users_Create: { request: () => ({ User: { Email: newAddress('created') }, Password: null }) },
  Bots_Save: { fresh: ['bot'] },
  Bots_Delete: { fresh: ['bot'] },
  BotKeys_Create: { fresh: ['bot'] },
  BotKeys_SetExpiration: { fresh: ['bot', 'key'] },
  BotKeys_Rotate: { fresh: ['bot', 'key'] },

  // Who has a second tenant has no longer an only one.
  Tenants_Create: {
    actor: true,
    fresh: ['person'],
    request: ({ ids }, { kind }) => ({
      Tenant: { Slug: newSlug() },
      ...(kind === 'platform' && { OwnerID: ids['usr'] ?? '' }),
    }),
  },
  Tenants_Update: { allowedIn: tenantChanges, request: () => ({ Tenant: { Slug: newSlug() } }) },
  Tenants_Delete: { allowedIn: tenantChanges },
  Tenants_Restore: { allowedIn: tenantChanges },
  Tenants_Suspend: { allowedIn: tenantChanges },
  Tenants_Resume: { allowedIn: tenantChanges },
  TenantMembers_Add: { fresh: ['person'] },
  TenantMembers_Remove: { fresh: ['user'] },
  TenantMembers_Accept: { actor: true, fresh: ['offer'] },
  TenantMembers_Decline: { actor: true, fresh: ['offer'] },
  TenantMembers_Disable: { fresh: ['user'] },
  TenantMembers_Enable: { fresh: ['user', 'disabling'] },
  TenantInvitations_Create: { request: () => ({ Email: newAddress('invited') }) },
  TenantInvitations_Accept: { actor: true, fresh: ['invitation'], request: token },
  TenantInvitations_Decline: { fresh: ['invitation'], request: token },
  TenantInvitations_Delete: {
    fresh: ['invitation'],
    request: ({ invitee }) => ({ Email: invitee }),
  },
  TenantInvitations_Task_SendTenantInvitation: resend('invitation'),

  Groups_Save: { fresh: ['group'] },
  Groups_Delete: { fresh: ['group'] },
  Groups_AddMember: { fresh: ['user', 'group'] },
  Groups_RemoveMember: { fresh: ['user', 'group', 'membership'] },
  Roles_Save: { fresh: ['role'] },
  Roles_Delete: { fresh: ['role'] },
  Grants_Add: { fresh: ['user'] },
  Grants_Remove: { fresh: ['user', 'grant'] },
  GroupGrants_Add: { fresh: ['group'] },
  GroupGrants_Remove: { fresh: ['group', 'groupGrant'] },
  BotGrants_Add: { fresh: ['bot'] },
  BotGrants_Remove: { fresh: ['bot', 'botGrant'] },
  Audit_Export: {},

  Domain_Create: { request: () => ({ Name: `${newSlug()}.example.com` }) },
  Domain_Verify: { fresh: ['domain'] },
  Domain_Update: { fresh: ['domain'] },
  Domain_Delete: { fresh: ['domain'] },
  Sso_SaveProvider: {
    fresh: ['provider'],
    request: (_place, _who, stack) => ({
      Provider: { Issuer: `${stack.inboxUrl}/hooks/matrix-op` },
    }),
  },
  Sso_DeleteProvider: { fresh: ['provider'] },
  Sso_LiftRequirement: {},
  Domain_Join: { allowedIn: 'test/operations/domain-joining.long.test.ts' },
  Webhooks_CreateEndpoint: {
    request: (_place, _who, stack) => ({ Endpoint: { URL: endpointUrl(stack) } }),
  },
  Webhooks_UpdateEndpoint: {
    fresh: ['webhook'],
    request: (_place, _who, stack) => ({ Endpoint: { URL: endpointUrl(stack) } }),
  },
  Webhooks_DeleteEndpoint: { fresh: ['webhook'] },
  Webhooks_ReplayFailed: { fresh: ['webhook'] },
  Webhooks_RotateSecret: { fresh: ['webhook'] },
  Webhooks_GetMessage: { allowedIn: 'test/delivery/messages.test.ts' },
  Webhooks_Resend: { allowedIn: 'test/delivery/messages.test.ts' },
  Webhooks_SendTest: { fresh: ['webhook'] },
  Events_Publish: { request: () => ({ ID: null }) },
  Webhooks_Deliver: { fresh: ['webhook'] },
  Chat_CreateEndpoint: { request: (_place, _who, stack) => ({ URL: endpointUrl(stack) }) },
  Chat_UpdateEndpoint: {
    fresh: ['chat'],
    request: (_place, _who, stack) => ({ URL: endpointUrl(stack) }),
  },
  Chat_DeleteEndpoint: { fresh: ['chat'] },
  Chat_SendTest: { fresh: ['chat'] },
  Chat_ReplayFailed: { fresh: ['chat'] },
  Chat_GetMessage: { allowedIn: 'test/delivery/messages.test.ts' },
  Chat_Resend: { allowedIn: 'test/delivery/messages.test.ts' },
  Chat_Deliver: { fresh: ['chat'] },
  Mail_GetSuppression: { allowedIn: 'test/delivery/mail.test.ts' },
  Mail_DeleteSuppression: { allowedIn: 'test/delivery/mail.test.ts' },
  Keys_Rotate: { allowedIn: 'test/operations/keys.long.test.ts' },
};

/** Why an operation cannot take part; '' where it can. */
export function missingFixture({ name, sideEffects, credential }: Operation): string {
  const isNeeded = sideEffects || credential === 'none';
  return isNeeded && !(name in fixtures)
    ? `${name} has no fixture: say in test/matrix/fixtures.ts which records an allowed call of it uses up`
    : '';
}

/** Whether the allowed calls of an operation are made by a test of its own. */
export const isAllowedElsewhere = ({ name }: Operation): boolean =>
  fixtures[name]?.allowedIn !== undefined;

export type Prepared = { who: Principal; place: Place; request: JsonObject };

/** The request about the records that stand: for calls that are refused. */
export function standingRequest(
  stack: Stack,
  operation: Operation,
  place: Place,
  who: Principal,
): JsonObject {
  return merge(
    requestFor(operation, place),
    fixtures[operation.name]?.request?.(place, who, stack) ?? {},
  );
}

/** A call that succeeds, with records of its own where it uses them up. */
export async function prepare(
  stack: Stack,
  operation: Operation,
  place: Place,
  who: Principal,
): Promise<Prepared> {
  const { fresh = [], actor = false } = fixtures[operation.name] ?? {};
  const replaced = actor && who.kind === 'user';
  const acting = replaced ? { ...who, ...(await newPerson(stack, 'actor', password)) } : who;
  const from: Place = replaced
    ? { ...place, invitee: acting.email, ids: { ...place.ids, usr: acting.id } }
    : { ...place, invitee: newAddress('invited') };
  // Who is there for this call is whom it is about.
  const kinds = replaced ? fresh.filter((kind) => kind !== 'person') : fresh;
  return {
    who: acting,
    place: from,
    request: standingRequest(stack, operation, await makeAll(stack, from, kinds), acting),
  };
}

/** `over` over `request`, record by record. */
function merge(request: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...request };
  for (const [key, value] of Object.entries(over)) {
    const under = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isRecord(value) && isRecord(under) ? merge(under, value) : value;
  }
  return merged;
}
