import type { Rule } from '@bailiwick/proto/operation.ts';
import type { Case, Outcome } from './expected.ts';
import { valueAt } from './requests.ts';
import type { Principal } from './world.ts';

// What the rules come to that only the operation's handler can judge: by hand, from the sentence in its option. `rule` is
// the one that allowed the call so far.

type Judge = (asked: Case & { rule: Rule | undefined }) => Outcome;

const holdsSomewhere = (who: Principal, permission: string) =>
  Object.values(who.inTenant).some((holds) => holds(permission));

/** Questions about somebody: of oneself always, of others with a permission. */
const aboutSomebody: Judge = ({ rule, request, who }) =>
  rule?.kind === 'tenant' || valueAt(request, ['Subject']) === who.id ? 'ok' : 'denied';

/** A person's own, the platform's, and what lies in tenants where the caller may read: a holder elsewhere sees an empty list. */
const listedByUser =
  (permission: string): Judge =>
  ({ rule, who }) =>
    rule?.kind !== 'handler' || holdsSomewhere(who, permission) ? 'ok' : 'denied';

/** An update by ID: without a tenant the stored one decides, and who has no right there learns nothing. */
const updateEndpoint =
  (permission: string): Judge =>
  ({ rule, who, place }) => {
    if (rule?.kind === 'tenant') return 'ok';
    if (place.name !== 'absent') return 'denied';
    return who.inTenant.own?.(permission) ? 'ok' : 'not_found';
  };

/** A user's record: one's own, the platform's, or a fellow member's. A holder elsewhere hears that there is none, a holder of nothing 403. */
const readUser: Judge = ({ rule, who, place }) => {
  if (place.name === 'missing')
    return rule?.kind === 'platform' || holdsSomewhere(who, 'iam.users.read')
      ? 'not_found'
      : 'denied';
  if (rule?.kind !== 'handler') return 'ok';
  if (who.inTenant[place.name]?.('iam.users.read')) return 'ok';
  return holdsSomewhere(who, 'iam.users.read') ? 'not_found' : 'denied';
};

export const judges: Readonly<Record<string, Judge>> = {
  Access_Check: aboutSomebody,
  Access_Explain: aboutSomebody,
  Access_ListPermissions: aboutSomebody,

  Grants_List: listedByUser('iam.grants.read'),
  Groups_ListMemberGroups: listedByUser('iam.groups.read'),

  // The same list for everybody.
  Webhooks_ListEventTypes: () => 'ok',
  Webhooks_UpdateEndpoint: updateEndpoint('iam.webhooks.write'),
  Chat_UpdateEndpoint: updateEndpoint('iam.chat.write'),

  // A person for oneself; for others the platform, which names the owner.
  Tenants_Create: ({ rule, who }) =>
    rule?.kind === 'platform' || who.kind === 'user' ? 'ok' : 'denied',

  Users_GetByEmail: readUser,
  Users_Get: readUser,

  // The caller's own pending membership; accepting once more by a member changes nothing.
  TenantMembers_Accept: ({ who, place }) =>
    who.pendingIn === place.name || who.home === place.name ? 'ok' : 'denied',
  TenantMembers_Decline: ({ who, place }) => (who.pendingIn === place.name ? 'ok' : 'denied'),

  // The caller's verified address is the invited one; the inviter has seen the token, so it proves nothing.
  TenantInvitations_Accept: ({ who, place }) => (who.email === place.invitee ? 'ok' : 'denied'),
  // Whoever holds the token.
  TenantInvitations_Decline: () => 'ok',
  TenantInvitations_ListByEmail: ({ rule, who, request }) =>
    rule?.kind === 'platform' || valueAt(request, ['Email']) === who.email ? 'ok' : 'denied',

  // Not a rule of the option: a bot rotates its own keys only, and these are another's.
  BotKeys_Rotate: ({ who }) => (who.kind === 'bot' ? 'denied' : 'ok'),
  // What is gone already is deleted: saying so again is a success.
  Users_Delete: () => 'ok',
  Tenants_Delete: () => 'ok',
  // A token is a question, and its tenant only narrows it.
  Tokens_Introspect: () => 'ok',
  // A delivery that has nowhere to go says so in its result.
  // What is asked of a tenant that there is not is that nothing is sealed for it.
  Keys_Status: () => 'ok',
  Webhooks_Deliver: () => 'ok',
  Chat_Deliver: () => 'ok',
  // Nobody in this world has refused a mail.
  Mail_GetSuppression: () => 'not_found',
};
