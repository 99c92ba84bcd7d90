import type { TextKey } from './text-keys.ts';

/** How an audit action is said. */
export type Saying = {
  text: TextKey;
  /** The words for the record that the sentence calls `object`. */
  object?: TextKey;
  /** The type of the target that gives the name. Default: the first target. */
  named?: string;
};

const saved = (family: string, object: TextKey): Array<[string, Saying]> => [
  [`${family}.created`, { text: 'did.created', object }],
  [`${family}.updated`, { text: 'did.updated', object }],
  [`${family}.deleted`, { text: 'did.deleted', object }],
];

const granted = (family: string): Array<[string, Saying]> => [
  [`${family}.added`, { text: 'did.granted' }],
  [`${family}.removed`, { text: 'did.revoked' }],
];

const endpoint = (family: string, object: TextKey): Array<[string, Saying]> => [
  ...saved(family, object),
  [`${family}.tested`, { text: 'did.tested', object }],
  [`${family}.replayed`, { text: 'did.replayed' }],
  [`${family}.failing`, { text: 'did.failing' }],
  [`${family}.disabled`, { text: 'did.off', object }],
];

const app = { named: 'oauth_app' };
const user = { named: 'user' };
const provider = { named: 'sso_provider' };

const others: Readonly<Record<string, Saying>> = {
  'access.denied': { text: 'did.refused' },
  'audit.exported': { text: 'did.exported' },
  'bot.token_issued': { text: 'did.tokenIssued' },
  'bot.token_refused': { text: 'did.tokenRefused' },
  'bot_key.created': { text: 'did.keyCreated', named: 'bot_key' },
  'bot_key.expiration_changed': { text: 'did.keyExpiry', named: 'bot_key' },
  'bot_key.expired': { text: 'did.keyExpired', named: 'bot_key' },
  'bot_key.expiring': { text: 'did.keyExpiring', named: 'bot_key' },
  'bot_key.rotated': { text: 'did.keyRotated', named: 'bot_key' },
  'domain.lapsed': { text: 'did.lapsed' },
  'domain.verification_failed': { text: 'did.unverified' },
  'domain.verified': { text: 'did.verified' },
  'endpoint.ping': { text: 'did.tested', object: 'object.webhook' },
  'group.member_added': { text: 'did.grouped', named: 'group' },
  'group.member_removed': { text: 'did.ungrouped', named: 'group' },
  'invitation.accepted': { text: 'did.accepted' },
  'invitation.created': { text: 'did.invited' },
  'invitation.declined': { text: 'did.refusedInvitation' },
  'invitation.expired': { text: 'did.invitationExpired' },
  'invitation.revoked': { text: 'did.uninvited' },
  'mail_suppression.created': { text: 'did.created', object: 'object.address' },
  'mail_suppression.deleted': { text: 'did.deleted', object: 'object.address' },
  'oauth_app.access_withdrawn': { text: 'did.appWithdrawn', ...app },
  'oauth_app.code_reused': { text: 'did.appReused', ...app },
  'oauth_app.refresh_repeated': { text: 'did.appReused', ...app },
  'oauth_app.refresh_token_reused': { text: 'did.appReused', ...app },
  'oauth_app.secret_rotated': { text: 'did.secret', ...app },
  'oauth_app.sign_in_refused': { text: 'did.appRefused', ...app },
  'oauth_app.signed_in': { text: 'did.appSignedIn', ...app },
  'oauth_app.signed_out': { text: 'did.appSignedOut', ...app },
  'session.revoked': { text: 'did.sessionRevoked' },
  'session.support_ended': { text: 'did.supportEnded', ...user },
  'session.support_started': { text: 'did.supportStarted', ...user },
  'sso.certificate_announced': { text: 'did.certificateAnnounced', ...provider },
  'sso.certificate_expiring': { text: 'did.certificateExpiring', ...provider },
  'sso.certificates_changed': { text: 'did.certificatesChanged', ...provider },
  'sso.login_failed': { text: 'did.ssoFailed', ...provider },
  'sso.recovery_codes_created': { text: 'did.recoveryCodes' },
  'sso.requirement_lifted': { text: 'did.lifted' },
  'sso.requirement_restored': { text: 'did.restored' },
  'sso_provider.confirmed': { text: 'did.confirmed', object: 'object.provider' },
  'sso_provider.reserved': { text: 'did.reserved' },
  'tenant.holder_ended': { text: 'did.holder' },
  'tenant.member_added': { text: 'did.joined' },
  'tenant.member_declined': { text: 'did.declined' },
  'tenant.member_disabled': { text: 'did.disabled' },
  'tenant.member_enabled': { text: 'did.enabled' },
  'tenant.member_proposed': { text: 'did.proposed' },
  'tenant.member_removed': { text: 'did.removed' },
  'tenant.member_withdrawn': { text: 'did.withdrawn' },
  'tenant.owner_kept': { text: 'did.ownerKept' },
  'tenant.ownership_accepted': { text: 'did.ownership' },
  'tenant.purged': { text: 'did.purged' },
  'user.deleted': { text: 'did.deleted', object: 'object.user' },
  'user.password_changed': { text: 'did.passwordChanged' },
  'user.registered': { text: 'did.registered' },
  'user.sign_in_failed': { text: 'did.signInFailed' },
  'user.signed_in': { text: 'did.signedIn' },
  'user.updated': { text: 'did.updated', object: 'object.user' },
  'webhook_endpoint.secret_rotated': { text: 'did.secret' },
};

/**
 * The actions that are said in general, by their name: those of accounts and keys, which are in the
 * platform's audit, not in that of a tenant.
 */
export const generalActions: ReadonlySet<string> = new Set([
  'key.rotated',
  'key.rotation_requested',
  'session.code_issued',
  'session.step_up_begun',
  'session.stepped_up',
  'user.code_requested',
  'user.disabled',
  'user.email_change_requested',
  'user.enabled',
  'user.factor_added',
  'user.factor_begun',
  'user.factor_removed',
  'user.factors_reset',
  'user.identity_confirmed',
  'user.identity_linked',
  'user.identity_removed',
  'user.passkey_added',
  'user.passkey_cloned',
  'user.passkey_refused',
  'user.passkey_removed',
  'user.passkey_renamed',
  'user.password_reset_requested',
  'user.recovery_code_used',
  'user.recovery_codes_generated',
  'user.registration_repeated',
  'user.sign_ins_voided',
  'user.verification_resent',
  'user.verified',
]);

export const sayings: ReadonlyMap<string, Saying> = new Map([
  ...saved('bot', 'object.bot'),
  ...saved('bot_trust', 'object.trust'),
  ...saved('domain', 'object.domain'),
  ...saved('group', 'object.group'),
  ...saved('oauth_app', 'object.app'),
  ...saved('role', 'object.role'),
  ...saved('sso_provider', 'object.provider'),
  ...saved('tenant', 'object.tenant'),
  ...['created', 'updated', 'deleted'].map((verb): [string, Saying] => [
    `scim.user_${verb}`,
    { text: `did.${verb}` as TextKey, object: 'object.person' },
  ]),
  ...endpoint('chat_endpoint', 'object.chat'),
  ...endpoint('webhook_endpoint', 'object.webhook'),
  ...granted('grant'),
  ...granted('group_grant'),
  ...granted('bot_grant'),
  ...Object.entries(others),
]);

/** An action of a newer service, or of an application, is said in general. */
export const sayingOf = (action: string): Saying => sayings.get(action) ?? { text: 'did.other' };
