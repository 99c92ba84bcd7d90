// Every event of our own, once: what it is about, and whom it reaches. The list that clients get, its schemas and
// docs/events.md are generated from it.

/**
 * tenant: the endpoints of its tenant. members: those of the tenants that a person belongs to, and of the one whose domain
 * the address is in. test: the one endpoint that is tested. nobody: no endpoint, since it belongs to no tenant or to one
 * that is gone.
 */
export type Reach = 'tenant' | 'members' | 'test' | 'nobody';

export type EventType = {
  type: string;
  /** When it happens, in one sentence. */
  about: string;
  /** The schema of `data`, by its name in the interface's description. */
  record: string;
  reach: Reach;
};

const family = (
  reach: Reach,
  name: string,
  record: string,
  members: Readonly<Record<string, string>>,
): EventType[] =>
  Object.entries(members).map(([verb, about]) => ({
    type: `${name}.${verb}`,
    about,
    record,
    reach,
  }));

const given = { added: 'A role was given to', removed: 'A role was taken from' };
const grants = (name: string, record: string, whom: string) =>
  family('tenant', name, record, {
    added: `${given.added} ${whom}, or its end was changed.`,
    removed: `${given.removed} ${whom}.`,
  });

const membership = {
  member_added: 'Somebody became a member of a group.',
  member_removed: 'Somebody is no longer a member of a group.',
};

const eventTypes: readonly EventType[] = [
  ...family('members', 'user', 'User', {
    registered:
      'Somebody registered, or was created; the address is not verified unless the record says so.',
    verified: 'The address of a new account was verified.',
    updated: "A person's record or address was changed.",
    password_changed: 'A password was changed or reset.',
    signed_in: 'Somebody signed in.',
    disabled: 'A person was shut out.',
    enabled: 'A person was let in again.',
    deleted: 'A person was deleted. The tenants that it was a member of are told.',
  }),
  ...family('nobody', 'session', 'Session', {
    revoked: 'A session was ended. Its data are ID and UserID alone.',
  }),
  ...family('tenant', 'tenant', 'Tenant', {
    created: 'A tenant was created.',
    updated: 'A tenant was changed, suspended, resumed or restored.',
    deleted: 'A tenant was deleted, and can be restored for a while.',
  }),
  ...family('nobody', 'tenant', 'Tenant', {
    purged: 'What was left of a deleted tenant was removed. Its data are ID, Slug and Name alone.',
  }),
  ...family('tenant', 'tenant', 'TenantMember', {
    member_added: 'Somebody became a member of a tenant.',
    member_removed: 'Somebody is no longer a member of a tenant.',
    member_proposed:
      'A user was added and has to accept the membership. Status is pending, and the data has nothing of the user but the ID.',
    member_declined: 'A user declined a pending membership.',
    member_withdrawn: 'A pending membership was withdrawn by the tenant.',
    member_disabled: 'A member was disabled and has no rights in the tenant.',
    member_enabled: 'A disabled member has its rights back.',
  }),
  ...family('tenant', 'invitation', 'TenantInvitation', {
    created: 'Somebody was invited, or invited anew.',
    accepted: 'An invitation was accepted.',
    declined: 'An invitation was declined.',
    revoked: 'An invitation was withdrawn.',
    expired: "An invitation's time passed.",
  }),
  ...family('tenant', 'group', 'Group', {
    created: 'A group was created.',
    updated: 'A group was changed.',
    deleted: 'A group was deleted, with its memberships and grants.',
  }),
  ...family('tenant', 'group', 'Groups_AddMemberReq', membership),
  ...family('tenant', 'role', 'Role', {
    created: 'A role was created.',
    updated: 'A role was changed.',
    deleted: 'A role was deleted.',
  }),
  ...grants('grant', 'Grant', 'a user'),
  ...grants('group_grant', 'GroupGrant', 'a group'),
  ...grants('bot_grant', 'BotGrant', 'a bot'),
  ...family('tenant', 'bot', 'Bot', {
    created: 'A bot was created.',
    updated: 'A bot was changed.',
    deleted: 'A bot was deleted, with its keys and grants.',
  }),
  ...family('tenant', 'bot_key', 'BotKey', {
    created: 'A bot got a key.',
    expiration_changed: "A key's end was changed; one that has passed revokes it.",
    rotated: 'A bot got a key in the place of another.',
    expiring: 'A key ends in 14 days, or in 3.',
    expired: 'A key ended.',
  }),
  ...family('tenant', 'domain', 'Domain', {
    created: 'A domain was claimed.',
    updated: 'A domain was given another meaning, or another challenge.',
    verified: 'A domain was proved, for the first time or anew.',
    verification_failed:
      'A domain could not be proved: by a call, on a daily check, or because its time passed. FailureReason and Status say which.',
    lapsed:
      'The record of a verified domain was missing for three days. Nobody is linked or joins through it until it is back.',
    deleted: 'A domain was given up.',
  }),
  ...family('tenant', 'webhook_endpoint', 'WebhookEndpoint', {
    created: 'A webhook endpoint was created.',
    updated: 'A webhook endpoint was changed.',
    deleted: 'A webhook endpoint was deleted.',
    secret_rotated: 'A webhook endpoint got a new signing secret.',
    failing: 'Deliveries to a webhook endpoint have been failing.',
    disabled: 'The service made a webhook endpoint inactive; DisabledReason says why.',
  }),
  ...family('tenant', 'chat_endpoint', 'ChatEndpoint', {
    created: 'A chat endpoint was created.',
    updated: 'A chat endpoint was changed.',
    deleted: 'A chat endpoint was deleted.',
    failing: 'Messages to a chat endpoint have been failing.',
    disabled: 'The service made a chat endpoint inactive; DisabledReason says why.',
  }),
  ...family('tenant', 'sso_provider', 'SsoProvider', {
    created: 'An identity provider was created.',
    updated:
      'An identity provider was changed; a SecretEnc in `previous` says that its secret was replaced.',
    deleted: 'An identity provider was deleted.',
  }),
  ...family('tenant', 'sso', 'SsoProvider', {
    login_failed: 'A sign-in through an identity provider was refused; its LastError says why.',
  }),
  ...family('tenant', 'sso', 'Sso_LiftRequirementRes', {
    requirement_lifted: 'The tenant’s owners may use their passwords for a while.',
    requirement_restored: 'Single sign-on is required of owners again.',
  }),
  ...family('nobody', 'key', 'Keys_RotateRes', {
    rotated: 'A tenant got another data key. Its data are DekID and Tenant alone.',
    rotation_requested: 'All data keys are to be replaced. Its data are Queued alone.',
  }),
  ...family('test', 'endpoint', 'WebhookEndpoint', {
    ping: 'A test of the endpoint, which is in the data.',
  }),
];

export const types: ReadonlyMap<string, EventType> = new Map(
  eventTypes.map((one) => [one.type, one]),
);

/** The first words of our own types and audit actions. Those of applications begin otherwise (events.proto). */
export const ownFamilies: ReadonlySet<string> = new Set(
  'access audit bot bot_grant bot_key chat_endpoint domain endpoint grant group group_grant invitation key mail_suppression role session sso sso_provider tenant user webhook_endpoint'.split(
    ' ',
  ),
);

export const isOwnFamily = (type: string): boolean => ownFamilies.has(type.split('.', 1)[0] ?? '');

/** Whom events of a type reach. A newer process may tell of types that this one does not know. */
export const reachOf = (type: string): Reach =>
  types.get(type)?.reach ?? (type.startsWith('user.') ? 'members' : 'tenant');
