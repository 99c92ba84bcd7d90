import type { Rule } from '@bailiwick/contract';
import type { Case, Outcome } from './case.ts';
import type { Principal } from './place.ts';
import { valueAt } from './requests.ts';

// The outcomes that only the operation's handler decides, written by hand from the sentence in its
// option. `rule` is the rule that allowed the call so far.

type Oracle = (testCase: Case & { rule: Rule | undefined }) => Outcome;

const holdsSomewhere = (who: Principal, permission: string) =>
  Object.values(who.inTenant).some((holds) => holds(permission));

/** Questions about a subject: always allowed about the caller, about others with a permission. */
const aboutSubject: Oracle = ({ rule, request, who }) =>
  rule?.kind === 'tenant' || valueAt(request, ['Subject']) === who.id ? 'ok' : 'denied';

/**
 * A list by user: for the user, for the platform, and for callers that may read in some tenant. A
 * caller with the permission elsewhere gets an empty list.
 */
const listedByUser =
  (permission: string): Oracle =>
  ({ rule, who }) =>
    rule?.kind !== 'handler' || holdsSomewhere(who, permission) ? 'ok' : 'denied';

/**
 * An update by ID: without a tenant the stored one decides, and a caller without rights there gets
 * not_found.
 */
const updateEndpoint =
  (permission: string): Oracle =>
  ({ rule, who, place }) => {
    if (rule?.kind === 'tenant') return 'ok';
    if (place.name !== 'absent') return 'denied';
    return who.inTenant.own?.(permission) ? 'ok' : 'not_found';
  };

/**
 * A user's record: for the user, the platform and readers in a common tenant. A caller with the
 * permission elsewhere gets not_found, a caller without it 403.
 */
const readUser: Oracle = ({ rule, who, place }) => {
  if (place.name === 'missing')
    return rule?.kind === 'platform' || holdsSomewhere(who, 'iam.users.read')
      ? 'not_found'
      : 'denied';
  if (rule?.kind !== 'handler') return 'ok';
  if (who.inTenant[place.name]?.('iam.users.read')) return 'ok';
  return holdsSomewhere(who, 'iam.users.read') ? 'not_found' : 'denied';
};

export const handlerOracles: Readonly<Record<string, Oracle>> = {
  Access_Check: aboutSubject,
  Access_Explain: aboutSubject,
  Access_ListPermissions: (question) =>
    question.rule?.kind === 'platform' && question.place.name === 'absent'
      ? 'ok'
      : aboutSubject(question),

  // Needs the right to grant everything, which no administrator but an owner has.
  Sso_ConfirmProvider: ({ rule, who, place }) =>
    rule?.kind === 'platform' || who.inTenant[place.name]?.('iam.tenant.delete') ? 'ok' : 'denied',

  Grants_List: listedByUser('iam.grants.read'),
  Groups_ListMemberGroups: listedByUser('iam.groups.read'),

  // The list is the same for every caller.
  Webhooks_ListEventTypes: () => 'ok',
  Webhooks_UpdateEndpoint: updateEndpoint('iam.webhooks.write'),
  Chat_UpdateEndpoint: updateEndpoint('iam.chat.write'),

  // A user creates a tenant of their own; the platform names the owner.
  Tenants_Create: ({ rule, who }) =>
    rule?.kind === 'platform' || who.kind === 'user' ? 'ok' : 'denied',

  Users_GetByEmail: readUser,
  Users_Get: readUser,

  // The caller's own pending membership. A member who accepts once more changes nothing.
  TenantMembers_Accept: ({ who, place }) =>
    who.pendingIn === place.name || who.home === place.name ? 'ok' : 'denied',
  TenantMembers_Decline: ({ who, place }) => (who.pendingIn === place.name ? 'ok' : 'denied'),

  // The caller's verified address must be the invited one. The inviter has seen the token, so it
  // proves nothing.
  TenantInvitations_Accept: ({ who, place }) => (who.email === place.invitee ? 'ok' : 'denied'),
  // Every user may try a link. Its test has those who get a refusal.
  Operators_Claim: () => 'ok',
  // Every holder of the token may read and decline.
  TenantInvitations_Get: () => 'ok',
  TenantInvitations_Decline: () => 'ok',
  TenantInvitations_ListByEmail: ({ rule, who, request }) =>
    rule?.kind === 'platform' || valueAt(request, ['Email']) === who.email ? 'ok' : 'denied',

  // Not a rule of the option: a bot rotates its own keys only, and these keys belong to another
  // bot.
  BotKeys_Rotate: ({ who }) => (who.kind === 'bot' ? 'denied' : 'ok'),
  // Deleting a deleted record again succeeds.
  Users_Delete: () => 'ok',
  Tenants_Delete: () => 'ok',
  // Every caller may ask about a token; the tenant only narrows the answer.
  Tokens_Introspect: () => 'ok',
  // A delivery without a destination reports that in its result. A tenant that does not exist has
  // no data keys and nothing sealed.
  Keys_Status: () => 'ok',
  Webhooks_Deliver: () => 'ok',
  Chat_Deliver: () => 'ok',
  AppLogouts_Deliver: () => 'ok',
  // No address in this world has a suppression.
  Mail_GetSuppression: () => 'not_found',
};
