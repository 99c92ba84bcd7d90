import type { RightsKey } from '@bailiwick/contract';

// The keys of the caches that a recorded change invalidates, by the type of its event. docs/caches.md
// lists the cached values and their keys. A change that has no event writes its keys by
// `recordRevocation`. A call that finds its change made adds them to `call.invalidates` only: the call
// that has made it has written them, and may still wait for the caches.

/** The part of a change that its keys follow from. */
type RecordedChange = {
  tenant: string;
  type: string;
  data: Record<string, unknown> | string | null;
  targets: ReadonlyArray<{ Type: string; ID: string }>;
};

type KeysOf = (change: RecordedChange) => readonly RightsKey[];

/** The keys of the records that a change names with this type of target. */
const targetsOf =
  (type: string, keyOf: (id: string) => RightsKey): KeysOf =>
  ({ targets }) =>
    targets.flatMap(({ Type, ID }) => (Type === type && ID !== '' ? [keyOf(ID)] : []));

const credentialOf = (type: string): KeysOf => targetsOf(type, (id) => `credential:${id}`);

const ofUser = targetsOf('user', (id) => `user:${id}`);
const ofBot = targetsOf('bot', (id) => `bot:${id}`);
const ofApp = targetsOf('oauth_app', (id) => `app:${id}`);
/** The sign-ins of a person to an app. */
const ofUse: KeysOf = ({ targets }) => {
  const idOf = (type: string) => targets.find(({ Type }) => Type === type)?.ID ?? '';
  return [`use:${idOf('user')}:${idOf('oauth_app')}`];
};
const ofSession = credentialOf('session');
const ofPortal = credentialOf('webhook_portal');
/** Roles and groups give rights to holders who are not known here. */
const ofTenant: KeysOf = ({ tenant }) => [`tenant:${tenant}`];

/** The key that was replaced; the targets name the new one. */
const ofReplacedKey: KeysOf = ({ data }) =>
  typeof data === 'object' && data !== null && typeof data['RotatedFrom'] === 'string'
    ? [`credential:${data['RotatedFrom']}`]
    : [];

const none: KeysOf = () => [];

type Family = Readonly<Record<string, KeysOf>>;

/** The same keys for several types of a family. */
const each = (keysOf: KeysOf, verbs: string): Family =>
  Object.fromEntries(verbs.split(' ').map((verb) => [verb, keysOf]));

/** The types by family and verb. An event that is none of these families belongs to an application. */
const families: Readonly<Record<string, Family>> = {
  audit: each(none, 'exported'),
  bot: {
    ...each(ofBot, 'updated deleted'),
    ...each(none, 'created token_issued token_refused'),
  },
  bot_grant: each(ofBot, 'added removed'),
  bot_key: {
    rotated: ofReplacedKey,
    expiration_changed: credentialOf('bot_key'),
    // An expired key ends in the caches by its own time.
    ...each(none, 'created expiring expired'),
  },
  // A token that the trust has given stays valid while the trust exists.
  bot_trust: { deleted: credentialOf('bot_trust'), ...each(none, 'created updated') },
  chat_endpoint: each(
    none,
    'created updated deleted disabled failing replayed tested message_resent',
  ),
  // identity and access revoke when sso calls them about these.
  domain: each(none, 'created updated deleted lapsed verified verification_failed'),
  endpoint: each(none, 'ping'),
  grant: each(ofUser, 'added removed'),
  group: {
    deleted: ofTenant,
    ...each(ofUser, 'member_added member_removed'),
    // Grants name the path of a group, which never changes.
    ...each(none, 'created updated'),
  },
  group_grant: each(ofTenant, 'added removed'),
  // An accepted invitation is followed by the events of the membership and its rights.
  invitation: each(none, 'created accepted declined revoked expired'),
  key: each(none, 'rotated rotation_requested'),
  mail_suppression: each(none, 'created deleted'),
  oauth_app: {
    ...each(ofApp, 'updated deleted secret_rotated'),
    access_withdrawn: ofUse,
    ...each(none, 'created code_reused refresh_repeated'),
    ...each(none, 'refresh_token_reused sign_in_refused signed_in signed_out'),
  },
  role: each(ofTenant, 'created updated deleted'),
  scim: each(none, 'user_created user_updated user_deleted'),
  session: {
    ...each(ofSession, 'revoked stepped_up support_ended'),
    ...each(none, 'support_started code_issued step_up_begun'),
  },
  sso: each(
    none,
    'login_failed certificate_announced certificate_expiring certificates_changed recovery_codes_created requirement_lifted requirement_restored',
  ),
  // identity revokes when sso calls it about these.
  sso_provider: each(none, 'reserved created updated deleted confirmed'),
  tenant: {
    ...each(ofTenant, 'updated deleted'),
    ...each(ofUser, 'member_added member_removed member_disabled member_enabled'),
    // Nothing is cached about a new or purged tenant, and a pending membership gives no rights.
    ...each(none, 'created purged member_proposed member_declined member_withdrawn'),
    ...each(none, 'holder_ended owner_kept ownership_accepted'),
  },
  user: {
    ...each(ofUser, 'verified updated deleted disabled enabled password_changed'),
    ...each(ofUser, 'factor_added factor_removed factors_reset passkey_added passkey_removed'),
    ...each(ofUser, 'recovery_codes_generated recovery_code_used'),
    ...each(ofUser, 'identity_linked identity_confirmed identity_removed'),
    // A cached account may show the sign-in before this one for two seconds.
    signed_in: none,
    ...each(none, 'registered registration_repeated verification_resent code_requested'),
    ...each(none, 'email_change_requested password_reset_requested sign_in_failed sign_ins_voided'),
    ...each(none, 'factor_begun passkey_renamed passkey_refused passkey_cloned'),
  },
  webhook_endpoint: {
    // The sessions of its links end with it, and the processes that deliver hold it.
    ...each(credentialOf('webhook_endpoint'), 'updated disabled deleted secret_rotated'),
    ...each(none, 'created failing replayed tested message_resent'),
  },
  webhook_portal: { ...each(ofPortal, 'opened closed deleted'), created: none },
};

/** Families of audit actions whose other types an application may publish (events.proto). */
const shared: readonly string[] = ['scim', 'webhook_portal'];

/**
 * The keys that a change invalidates. @throws for a type of one of our families that the table does
 * not name: a new type says here which caches depend on it.
 */
export function cacheKeysOf(change: RecordedChange): readonly RightsKey[] {
  const [name = '', verb = ''] = change.type.split('.');
  const family = Object.hasOwn(families, name) ? families[name] : undefined;
  if (!family) return [];
  const keysOf = Object.hasOwn(family, verb) ? family[verb] : undefined;
  if (keysOf) return keysOf(change);
  if (shared.includes(name)) return [];
  throw new Error(`cache-keys.ts does not name the event ${change.type}`);
}
