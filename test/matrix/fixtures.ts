import { randomBytes } from 'node:crypto';
import { createToken, type Operation } from '@bailiwick/contract';
import type { Stack } from '../support/harness.ts';
import { newAddress, password } from '../support/people.ts';
import { type Kind, makeAll } from './makers.ts';
import { newPerson } from './people.ts';
import type { Place, Principal } from './place.ts';
import { isRecord, type JsonObject, requestFor } from './requests.ts';

// The records and request fields that an allowed call of a changing operation needs to succeed.

export type Fixture = {
  /** The records to create for each allowed call, because the call deletes or changes them. */
  fresh?: readonly Kind[];
  /** Replaces the signed-in user by a user that exists for this one call. */
  actor?: true;
  /** Request keys, nested, that replace the example's value. null = left out. */
  request?: (place: Place, who: Principal, stack: Stack) => JsonObject;
  /**
   * The test that makes the allowed calls: the call would delete records that all other calls use,
   * or needs state that no call creates.
   */
  allowedIn?: string;
};

const factors = 'test/operations/identity/factors.test.ts';
const tenantChanges = 'test/operations/access/tenant-changes.test.ts';
const support = 'test/operations/identity/support.test.ts';
const portal = 'test/operations/notifications/portal.test.ts';
const passkeys = 'test/operations/identity/passkeys.test.ts';
const newSlug = () => `matrix-${randomBytes(4).toString('hex')}`;
const token = ({ invitation }: Place) => ({ Token: invitation });
const endpointUrl = (stack: Stack) => `${stack.inboxUrl}/hooks/matrix`;
/** Users_Update accepts the stored address only, and an external ID from the platform only. */
const withoutKeys = () => ({ User: { Email: null, ExternalID: null } });
const resend = (kind: 'verify' | 'reset' | 'invitation') => ({
  request: () => ({ Email: newAddress('task'), Token: createToken(kind) }),
});

/**
 * Every operation that has side effects or is open to all. A missing operation fails the matrix.
 */
const fixtures: Readonly<Record<string, Fixture>> = {
  // A search of members also needs the right to read users: list-searches-groups.test.ts has it.
  Groups_ListMembers: { request: () => ({ Query: null, Sort: null, Descending: null }) },
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
  Account_BeginPasskeyLogin: {},
  Account_FinishPasskeyLogin: { allowedIn: passkeys },
  Passkeys_FinishRegistration: { allowedIn: passkeys },
  Passkeys_Rename: { actor: true, fresh: ['passkey'] },
  Passkeys_Delete: { allowedIn: passkeys },
  TenantInvitations_Get: { fresh: ['invitation'], request: token },
  Account_IssueCode: { actor: true },
  Account_SignInOptions: {},
  Account_RequestCode: { fresh: ['person'] },
  Account_LoginWithCode: { allowedIn: 'test/operations/identity/mailed-codes.test.ts' },
  Account_CompleteLogin: { allowedIn: 'test/operations/identity/second-factor.test.ts' },
  Account_BeginStepUp: { allowedIn: 'test/operations/identity/step-up.test.ts' },
  Account_CompleteStepUp: { allowedIn: 'test/operations/identity/step-up.test.ts' },
  Account_LinkIdentity: { allowedIn: 'test/sso/social.test.ts' },
  Account_Logout: { actor: true },
  Account_Update: { actor: true, request: withoutKeys },
  Account_ChangePassword: { actor: true },
  Account_ChangeEmail: { actor: true, request: () => ({ Email: newAddress('next') }) },
  Account_Task_SendEmailVerification: resend('verify'),
  Account_Task_SendPasswordReset: resend('reset'),
  Account_Task_SendNotice: {},
  Sessions_Revoke: { actor: true, fresh: ['session'] },
  Sessions_RevokeAll: { actor: true },
  Support_Start: { allowedIn: support },
  Support_End: { allowedIn: support },
  Operators_Claim: { allowedIn: 'test/operations/access/first-operator.test.ts' },
  AccountApps_Delete: { allowedIn: 'test/sso/issuer/app-access.test.ts' },
  Factors_BeginTotp: { actor: true },
  Factors_ConfirmTotp: { allowedIn: factors },
  Factors_Remove: { allowedIn: factors },
  RecoveryCodes_Generate: { allowedIn: factors },
  Sso_Check: {},
  Sso_ListSocialProviders: {},
  Tokens_Introspect: {
    request: (_place, who) => ({ Token: who.token ?? createToken('session'), IP: null }),
  },

  Users_Update: { actor: true, request: withoutKeys },
  Users_Disable: { fresh: ['person'] },
  Users_Lock: { fresh: ['person'] },
  Users_Unlock: { allowedIn: 'test/sso/issuer/locks.test.ts' },
  LockReceipts_Get: { allowedIn: 'test/sso/issuer/locks.test.ts' },
  Users_ResetFactors: { allowedIn: factors },
  Users_RevokeSession: { fresh: ['person', 'session'] },
  Users_RevokeAllSessions: { fresh: ['person'] },
  Users_Enable: { allowedIn: 'test/operations/identity/users.test.ts' },
  Users_Delete: { actor: true, fresh: ['person'] },
  Users_ConfirmIdentity: { actor: true, fresh: ['person', 'identity'] },
  Users_RemoveIdentity: { actor: true, fresh: ['person', 'identity'] },
  Users_Create: { request: () => ({ User: { Email: newAddress('created') }, Password: null }) },
  Users_Import: { request: () => ({ Users: [{ Email: newAddress('imported') }] }) },
  Bots_Save: { fresh: ['bot'] },
  Bots_Delete: { fresh: ['bot'] },
  Bots_Lock: { fresh: ['bot'] },
  BotKeys_Create: { fresh: ['bot'] },
  BotKeys_SetExpiration: { fresh: ['bot', 'key'] },
  BotKeys_Rotate: { fresh: ['bot', 'key'] },
  BotTrusts_Save: { fresh: ['bot', 'trust'] },
  BotTrusts_Delete: { fresh: ['bot', 'trust'] },

  // A second tenant would end the default tenant of its owner.
  Tenants_Create: {
    actor: true,
    fresh: ['person'],
    request: ({ ids }, { kind }) => ({
      Tenant: { Slug: newSlug() },
      ...(kind === 'platform' && { OwnerID: ids['usr'] ?? '' }),
    }),
  },
  Tenants_Update: { allowedIn: tenantChanges, request: () => ({ Tenant: { Slug: newSlug() } }) },
  Tenants_GetBranding: {},
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
    request: ({ name }, _who, stack) => ({
      Provider: {
        Issuer: `${stack.inboxUrl}/hooks/matrix-op`,
        // A provider of the platform gives no roles.
        ...(name === 'absent' && { DefaultRoles: [], GroupMappings: [] }),
      },
    }),
  },
  Sso_ReserveProvider: { request: () => ({ ID: '' }) },
  Sso_ConfirmProvider: {
    fresh: ['provider'],
    request: ({ providerUpdatedAt: IfUpdatedAt }) => ({ IfUpdatedAt }),
  },
  Sso_ConfirmCertificate: {
    fresh: ['pendingCertificate'],
    request: ({ providerUpdatedAt: IfUpdatedAt, invitation: Fingerprint }) => ({
      IfUpdatedAt,
      Fingerprint,
    }),
  },
  Sso_DeleteProvider: { fresh: ['provider'] },
  Sso_LiftRequirement: {},
  Sso_CreateRecoveryCodes: {},
  Apps_Save: { fresh: ['app'] },
  Apps_Delete: { fresh: ['app'] },
  Apps_Lock: { fresh: ['app'] },
  Apps_RotateSecret: { fresh: ['app'] },
  Domain_Join: { allowedIn: 'test/operations/sso/domain-joining.long.test.ts' },
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
  Webhooks_ExplainDelivery: { allowedIn: 'test/delivery/explanations.test.ts' },
  Webhooks_Resend: { allowedIn: 'test/delivery/messages.test.ts' },
  Webhooks_SendTest: { fresh: ['webhook'] },
  WebhookPortals_Create: { fresh: ['webhook'] },
  WebhookPortals_Delete: { fresh: ['webhook', 'portal'] },
  Portal_Open: { allowedIn: portal },
  Portal_GetMessage: { allowedIn: portal },
  Portal_ExplainDelivery: { allowedIn: portal },
  Portal_Resend: { allowedIn: portal },
  Portal_ReplayFailed: {},
  Portal_SendTest: {},
  Portal_RotateSecret: {},
  Portal_Close: { allowedIn: portal },
  Events_Publish: { request: () => ({ ID: null }) },
  Events_PublishBatch: { request: () => ({ Events: [{ Type: 'report.finished', Body: 'e30=' }] }) },
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
  AppLogouts_Deliver: { fresh: ['app'] },
  Mail_GetSuppression: { allowedIn: 'test/delivery/mail.test.ts' },
  Mail_DeleteSuppression: { allowedIn: 'test/delivery/mail.test.ts' },
  Keys_Rotate: { allowedIn: 'test/operations/identity/keys.long.test.ts' },
};

/** Why an operation cannot take part; '' if it can. */
export function missingFixture({ name, sideEffects, credential }: Operation): string {
  const isNeeded = sideEffects || credential === 'none';
  return isNeeded && !(name in fixtures)
    ? `${name} has no fixture: list in test/matrix/fixtures.ts the records that an allowed call uses up`
    : '';
}

/** Whether a test of its own makes the allowed calls of an operation. */
export const isAllowedElsewhere = ({ name }: Operation): boolean =>
  fixtures[name]?.allowedIn !== undefined;

export type MatrixCall = { who: Principal; place: Place; request: JsonObject };

/** The request for the lasting records: for calls that are denied. */
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

/** Prepares a call that succeeds, with new records where the call uses them up. */
export async function prepare(
  stack: Stack,
  operation: Operation,
  place: Place,
  who: Principal,
): Promise<MatrixCall> {
  const { fresh = [], actor = false } = fixtures[operation.name] ?? {};
  const replaced = actor && who.kind === 'user';
  const acting = replaced ? { ...who, ...(await newPerson(stack, 'actor', password)) } : who;
  const from: Place = replaced
    ? { ...place, invitee: acting.email, ids: { ...place.ids, usr: acting.id } }
    : { ...place, invitee: newAddress('invited') };
  // The replacing user is also the person that the call is about.
  const kinds = replaced ? fresh.filter((kind) => kind !== 'person') : fresh;
  return {
    who: acting,
    place: from,
    request: standingRequest(stack, operation, await makeAll(stack, from, kinds), acting),
  };
}

/** Merges `over` into `request`, object by object. */
function merge(request: JsonObject, over: JsonObject): JsonObject {
  const merged: JsonObject = { ...request };
  for (const [key, value] of Object.entries(over)) {
    const under = merged[key];
    if (value === null) delete merged[key];
    else merged[key] = isRecord(value) && isRecord(under) ? merge(under, value) : value;
  }
  return merged;
}
