// The catalogue of the service's events: subject and reach. The event type list, its schemas and
// docs/events.md are generated from it.

/**
 * tenant: the endpoints of its tenant. members: the endpoints of the tenants that the user belongs
 * to, and of the tenant that verified the domain of the address. test: the one tested endpoint.
 * none: no endpoint, because the event belongs to no tenant or to a purged one.
 */
export type Reach = 'tenant' | 'members' | 'test' | 'none';

export type EventType = {
  type: string;
  /** When it happens, in one sentence. */
  description: string;
  /** The schema of `data`, by its name in the interface description. */
  record: string;
  reach: Reach;
};

const family = (
  reach: Reach,
  name: string,
  record: string,
  members: Readonly<Record<string, string>>,
): EventType[] =>
  Object.entries(members).map(([verb, description]) => ({
    type: `${name}.${verb}`,
    description,
    record,
    reach,
  }));

const verbs = { added: 'A role was granted to', removed: 'A role was revoked from' };
const grants = (name: string, record: string, grantee: string) =>
  family('tenant', name, record, {
    added: `${verbs.added} ${grantee}, or the expiry of the grant was changed.`,
    removed: `${verbs.removed} ${grantee}.`,
  });

const membership = {
  member_added: 'A user became a member of a group.',
  member_removed: 'A user is no longer a member of a group.',
};

const eventTypes: readonly EventType[] = [
  ...family('members', 'user', 'User', {
    registered:
      'A user registered or was created. The address is not verified unless the record says so.',
    verified: 'The address of a new account was verified.',
    updated: "A user's record or address was changed.",
    password_changed: 'A password was changed or reset.',
    passkey_added: 'A user added a passkey.',
    passkey_removed: 'A user removed a passkey.',
    signed_in: 'A user signed in.',
    factor_added: 'A user added a second factor.',
    factor_removed: 'A user removed a second factor.',
    factors_reset: 'The platform removed all second factors of a user.',
    recovery_codes_generated: 'A user got new recovery codes. The earlier ones are void.',
    recovery_code_used: 'A user signed in with a recovery code.',
    disabled: 'A user was disabled.',
    enabled: 'A disabled user was enabled.',
    deleted: 'A user was deleted. The event goes to the tenants of the user.',
  }),
  ...family('none', 'session', 'Session', {
    revoked: 'A session was revoked. Its data contains only ID and UserID.',
    stepped_up:
      'A user proved a second factor in an open session. Its data contains only ID and UserID.',
  }),
  ...family('tenant', 'session', 'Session', {
    support_started:
      'An operator of the platform began to act as a member of the tenant. Operator and Reason say who and why.',
    support_ended: 'A support session ended. EndCause says why.',
  }),
  ...family('tenant', 'tenant', 'Tenant', {
    created: 'A tenant was created.',
    updated: 'A tenant was changed, suspended, resumed or restored.',
    deleted: 'A tenant was deleted. It can be restored for a while.',
  }),
  ...family('none', 'tenant', 'Tenant', {
    purged: 'The data of a deleted tenant was removed. Its data contains only ID, Slug and Name.',
  }),
  ...family('tenant', 'tenant', 'TenantMember', {
    member_added: 'A user became a member of a tenant.',
    member_removed: 'A user is no longer a member of a tenant.',
    member_proposed:
      'A user was added and has to accept the membership. Status is pending, and the data contains only the ID of the user.',
    member_declined: 'A user declined a pending membership.',
    member_withdrawn: 'A pending membership was withdrawn by the tenant.',
    member_disabled: 'A member was disabled and has no rights in the tenant.',
    member_enabled: 'A disabled member has its rights back.',
  }),
  ...family('tenant', 'tenant', 'TenantMembers_AddReq', {
    holder_ended:
      'A directory or provider took rights that it could not have given. Its data names one of the users; the event of each change names the others.',
    ownership_accepted: 'A member accepted ownership that others had given.',
    owner_kept:
      'A directory tried to disable or remove an owner, which was refused; at most one event an hour for each request.',
  }),
  ...family('tenant', 'invitation', 'TenantInvitation', {
    created: 'A user was invited, or an invitation was sent again.',
    accepted: 'An invitation was accepted.',
    declined: 'An invitation was declined.',
    revoked: 'An invitation was revoked.',
    expired: 'An invitation expired.',
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
    expiration_changed: "A key's expiry was changed. An expiry in the past revokes the key.",
    rotated: 'A key of a bot was replaced by a new one.',
    expiring: 'A key expires in 14 days, or in 3 days.',
    expired: 'A key expired.',
  }),
  ...family('tenant', 'bot_trust', 'BotTrust', {
    created: 'A bot was allowed to authenticate with tokens of another issuer.',
    updated: 'A trust of a bot was changed.',
    deleted: 'A trust of a bot was deleted.',
  }),
  ...family('tenant', 'domain', 'Domain', {
    created: 'A domain was claimed.',
    updated: 'The settings or the challenge of a domain were changed.',
    verified: 'A domain was verified, for the first time or again.',
    verification_failed:
      'A domain could not be verified: in a call, in a daily check, or because its challenge expired. FailureReason and Status say which.',
    lapsed:
      'The TXT record of a verified domain was missing for three days. Users are not linked and cannot join through the domain until the record is back.',
    deleted: 'A domain was deleted.',
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
      'An identity provider was changed. A SecretEnc in `previous` means that its secret was replaced.',
    confirmed:
      'The last change of an identity provider was confirmed: its sessions hold all rights of their users again.',
    deleted: 'An identity provider was deleted.',
  }),
  ...family('tenant', 'oauth_app', 'App', {
    created: 'An app was created.',
    updated: 'An app was changed.',
    deleted: 'An app was deleted.',
    secret_rotated: 'An app got a new client secret.',
  }),
  ...family('tenant', 'sso', 'SsoProvider', {
    login_failed: 'A sign-in through an identity provider was rejected; LastError says why.',
    certificate_announced:
      'The metadata of a SAML provider names a new certificate. PendingCertificates says when it counts, or that it waits for an administrator.',
    certificates_changed:
      'Certificates of a SAML provider were added or removed after its metadata. IdpCertificates has those that count.',
    certificate_expiring:
      'The last certificate of a SAML provider expires in 30 days, or in 7 days; CertificatesExpireAt says when.',
  }),
  ...family('tenant', 'sso', 'Sso_LiftRequirementRes', {
    requirement_lifted:
      'The tenant’s owners may sign in with a password for a while. A UserID in its data means that this owner used a recovery code.',
    requirement_restored: 'Owners must use single sign-on again.',
  }),
  ...family('tenant', 'sso', 'Sso_GetRequirementRes', {
    recovery_codes_created:
      'The tenant got new recovery codes. The earlier ones are void. Its data contains RecoveryCodesLeft.',
  }),
  ...family('none', 'key', 'Keys_RotateRes', {
    rotated: "A tenant's data key was rotated. Its data contains only DekID and Tenant.",
    rotation_requested:
      'A rotation of all data keys was requested. Its data contains Queued, and SigningKeysWithdrawn if the keys that sign tokens were withdrawn.',
  }),
  ...family('test', 'endpoint', 'WebhookEndpoint', {
    ping: 'A test of the endpoint. The data contains the endpoint.',
  }),
];

export const types: ReadonlyMap<string, EventType> = new Map(
  eventTypes.map((one) => [one.type, one]),
);

/**
 * The first words of the service's event types and audit actions. Types of applications begin with
 * other words (events.proto).
 */
export const ownFamilies: ReadonlySet<string> = new Set(
  'access audit bot bot_grant bot_key bot_trust chat_endpoint domain endpoint grant group group_grant invitation key mail_suppression oauth_app role session sso sso_provider tenant user webhook_endpoint'.split(
    ' ',
  ),
);

export const isOwnFamily = (type: string): boolean => ownFamilies.has(type.split('.', 1)[0] ?? '');

/** The reach of a type. A newer process may publish types that this one does not know. */
export const reachOf = (type: string): Reach =>
  types.get(type)?.reach ?? (type.startsWith('user.') ? 'members' : 'tenant');
