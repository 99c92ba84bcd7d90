// The reasons of errors: what programs compare beside the code of an ErrorResponse. The list is
// closed: a reason that is missing here does not compile, and the gateway sends no other. A reason
// tells no more than the message beside it. docs/api.md lists them from here; the golden file
// keeps their names.

/** The reasons that an ErrorResponse can have: what each means, and what to do. */
export const reasons = {
  ACCOUNT_DISABLED: 'The account is disabled or deleted. An administrator can enable it again.',
  ADDRESS_MANAGED:
    'An organisation manages the address. It is changed there, and not by its user here.',
  ADDRESS_TAKEN: 'Another account has the address.',
  ALREADY_LINKED:
    'The account is linked to another identity of this provider. Remove that link first.',
  ANSWER_INVALID:
    'The answer of the identity provider cannot be accepted. `LastError` of the provider and the audit say why.',
  APP_WITHOUT_SECRET: 'Apps of this kind have no secret that could be replaced.',
  BAD_ANCHOR: 'The anchor is not one of this installation, or was changed.',
  BAD_CURSOR: 'The cursor belongs to another list, tenant or filter. Begin with the first page.',
  BODY_TOO_LARGE: 'Send less in one request.',
  CHANGE_TOO_LARGE: 'The change does not fit into one event. Split it.',
  CODES_OFF: 'Sign-in by mailed code is switched off. Sign in another way.',
  CONTENT_ENCODING: 'Send the body uncompressed.',
  CONTENT_TYPE: 'Send the body with the `Content-Type` that the message names, in UTF-8.',
  CREDENTIAL_TOO_NEW:
    'The credential is not older than the link. Confirm with an older one, or ask the operator.',
  CROSS_SITE:
    'A cookie is accepted in requests of the same site only. Other sites send the header `Authorization`.',
  DEAD_TOKEN: 'The one-time token was used, has expired or never existed. Request a new one.',
  DIRECTORY_GROUP: 'A directory manages the group by SCIM. Change it there.',
  DOMAIN_FOREIGN: 'The address is not in a verified domain of the tenant.',
  DUPLICATE_HEADER: 'The header that the message names was sent twice. Send it once.',
  DUPLICATE_KEY: 'An object of the body has the key that the message names twice. Send it once.',
  DUPLICATE_PARAMETER: 'The query or form has a parameter twice. Send it once.',
  EMAIL_MISSING: 'The identity provider did not send an address.',
  EMAIL_NOT_VERIFIED:
    'The address of the account is not verified. `Account_ResendVerification` sends the mail again.',
  EMAIL_UNVERIFIED: 'The identity provider has not verified the address.',
  ENDPOINT_INACTIVE: 'The endpoint is inactive. Set it to active first.',
  ESCALATION: 'The caller would grant, or act on, more than it holds. Someone who holds it can.',
  FACTOR_REQUIRED:
    'The session lacks a second factor. Prove one (`Account_BeginStepUp`), or add one first.',
  FACTOR_UNPROVEN:
    'The setting would exclude the caller’s own session. Use a session with such a factor.',
  FLOW_ELSEWHERE: 'The sign-in was started in another browser. Sign in again.',
  FLOW_UNKNOWN: 'The sign-in has expired or was finished before. Sign in again.',
  FOREIGN_ANCHOR: 'The anchor belongs to another tenant.',
  HASH_COST: 'The password hash is outside of the accepted limits.',
  HASH_FORM: 'The form of the password hash is not known.',
  IDEMPOTENCY_KEY_REUSED: 'The key was used for a different request. Use a new key for each call.',
  IDEMPOTENT_ANSWER_LOST:
    'The call with this key took effect, and its answer was not kept. Look at the result first.',
  INVITER_LACKS_RIGHTS:
    'The inviter can no longer grant what the invitation promises. Ask for a new one.',
  INVITE_DOMAIN: 'The tenant invites addresses of certain domains only.',
  KEY_EXPIRED: 'The key has expired. Create a new one.',
  KEY_REVOKED: 'The key was revoked. Create a new one.',
  KEY_ROTATED: 'The key was rotated. Use its successor.',
  LAST_FACTOR_REQUIRED: 'A tenant of the user requires a second factor. Add another one first.',
  LAST_OWNER: 'A tenant keeps an owner. Name another one first, or delete the tenant.',
  LAST_PROVIDER:
    'Single sign-on is required, and this is the last active provider. Change the requirement first.',
  LIMIT_REACHED: 'The largest number of such records is reached. Remove one first.',
  LINK_FOREIGN: 'The address of that sign-in belongs to another account.',
  LINK_STALE: 'The session is older than the sign-in at the provider. Sign in again.',
  LINK_UNCONFIRMED:
    'The session holds rights in one tenant only, until its user confirms the link (`Users_ConfirmIdentity`).',
  MAIL_LIMITED: 'The address got too many mails. Later mails are sent again.',
  MAIL_REFUSED: 'The mail server refused the mail for good.',
  MAIL_SUPPRESSED: 'The address is suppressed: earlier mails to it were refused for good.',
  MAIL_UNAVAILABLE: 'The mail server did not take the mail. Try again later.',
  MAIL_UNCONFIRMED:
    'The mail server did not confirm the mail in time: it may have been delivered, and is not sent again.',
  MEMBER_BARRED: 'The user left the tenant while disabled. `TenantMembers_Add` lifts that.',
  METADATA_INVALID: 'The metadata of the provider cannot be used. The message says why.',
  METHOD_IN_USE:
    'The setting would exclude the caller’s own session. Use a session that it allows.',
  METHOD_REFUSED: 'The tenant does not accept the way that the session signed in. Use another one.',
  MORE_RIGHTS:
    'The user holds rights that the caller may not grant, so the caller may not act as this user.',
  NAME_RESERVED:
    'Only the platform gives this name to a tenant (`BAILIWICK_RESERVED_NAMES`). Choose another one.',
  NOT_AN_OBJECT: 'The body is not a JSON object.',
  NOT_JSON: 'The body is not JSON in UTF-8.',
  NOT_OWN_KEY: 'A bot rotates its own keys only.',
  NO_ACCOUNT: 'There is no account with this address. Register, or ask for an invitation.',
  NO_FACTOR: 'The user has no second factor yet. Add one first.',
  NO_MEMBER: 'The user is not a member of the tenant. Ask for an invitation.',
  NO_OWNER: 'The tenant has no owner, so its settings are frozen. The platform names an owner.',
  NO_PROVIDER: 'The tenant has no active provider. Add one first.',
  NO_ROUTE: 'This server has no such operation or path: it may be older than its client.',
  NO_SUGGESTION: 'The tenant suggests no membership to this user.',
  OPERATOR_EXISTS:
    'A user holds a role on the platform already. An operator adds others with `Grants_Add`.',
  OTHER_ADDRESS: 'The invitation is for another address. Sign in with that one.',
  OTHER_TENANT: 'The access token is for another tenant. Request one for this tenant.',
  OWNER_PROTECTED: 'A directory neither disables nor removes an owner. An owner does that by hand.',
  OWN_ACCOUNT: 'Support access to the own account is not possible.',
  PASSKEY_KNOWN: 'The account has the passkey already.',
  PASSKEY_REFUSED: 'The passkey was not accepted. The message says why.',
  PASSKEY_UNKNOWN: 'No account has the passkey. The device can forget it.',
  PLAN_TOO_LARGE: 'The tenant has more grants than one plan compares.',
  PROVIDER_INACTIVE: 'The provider is switched off, or no longer linked to the account.',
  PROVIDER_REFUSED: 'The identity provider refused the user, or the user cancelled.',
  PROVIDER_UNCONFIRMED:
    'The provider of the session was changed by a caller who may not grant all that the user holds. Confirm it (`Sso_ConfirmProvider`), or sign in another way.',
  PROVIDER_UNREACHABLE: 'The identity provider cannot be reached. Try again later.',
  RECENT_LOGIN_REQUIRED:
    'The sign-in is too old for this change. Sign in again, or prove a factor (`Account_BeginStepUp`).',
  REGISTRATION_CLOSED: 'Registration is closed.',
  REGISTRATION_INVITED: 'Registration is by invitation. Open the link in the mail.',
  RESET_REQUIRED:
    'Too many failed sign-ins: waiting does not help. Reset the password, or ask for a reset of the factors.',
  RETURN_FOREIGN: 'The address to return to is not allowed.',
  RIGHTS_CHANGED:
    'The rights of the caller were reduced while the call ran, and it changed nothing. Repeat it.',
  ROLE_IN_USE: 'The role is granted, invited to or a default. End that first.',
  SCOPE_MISSING: 'The access token lacks the scope that the message names. Request one with it.',
  SIGN_INS_BUSY: 'Too many sign-ins run at once. Try again later.',
  SIGN_INS_FAILED: 'Too many sign-ins failed. Try again later.',
  SOURCE_LACKS_RIGHTS:
    'The maker of the directory’s key may not grant this. Rotate the key as a caller who may.',
  SSO_REQUIRED:
    'The user’s organisation requires its own sign-in. `Sso_Check` returns its address.',
  SSO_UNPROVEN:
    'The setting would exclude the caller’s own session. Use a session of the tenant’s provider.',
  STALE: 'The record was changed meanwhile. Read it again, and repeat the change.',
  STARTED_BY_PROVIDER:
    'The identity provider has started the sign-in, which it may not (`AllowIdpInitiated`). Sign in from here.',
  SUPPORT_ACCESS: 'A support session does not open this operation.',
  SYSTEM_ROLE: 'A built-in role cannot be changed.',
  TEMPORARY_RIGHT:
    'What the caller would make lasts longer than the right that it rests on. Give it the end that the message names.',
  TENANT_CREATION_OFF: 'Users cannot create tenants on this installation.',
  TENANT_DELETING: 'The tenant is being deleted.',
  TENANT_STATUS: 'The tenant is in a state that does not allow this.',
  TENANT_SUSPENDED: 'The tenant is suspended. Only the platform can end that.',
  TOO_DEEP: 'The body is nested too deep.',
  TOO_MANY_GRANTS: 'The subject has more grants than one decision reads.',
  TOO_MANY_VALUES: 'Send fewer values in one request.',
  USER_INACTIVE: 'The user is disabled or has no verified address.',
  WRONG_CODE: 'The code of the second factor is wrong.',
  WRONG_METHOD: 'The path exists, and takes the methods of the header `Allow`.',
  WRONG_PASSWORD: 'The password of the own account is wrong.',
} as const;

/** The params of a reason: names of values that its message contains. */
export const paramsOf: Partial<Record<keyof typeof reasons, readonly string[]>> = {
  BODY_TOO_LARGE: ['Limit'],
  CHANGE_TOO_LARGE: ['Limit'],
  CONTENT_TYPE: ['Charset', 'ContentType'],
  DUPLICATE_HEADER: ['Header'],
  DUPLICATE_KEY: ['Key'],
  ESCALATION: ['Permission'],
  HASH_COST: ['Limit'],
  INVITE_DOMAIN: ['Domains'],
  LAST_FACTOR_REQUIRED: ['Tenant'],
  LAST_OWNER: ['Tenants'],
  LAST_PROVIDER: ['Domain'],
  LIMIT_REACHED: ['Limit'],
  METADATA_INVALID: ['Detail'],
  METHOD_REFUSED: ['Method'],
  MORE_RIGHTS: ['Permission'],
  NAME_RESERVED: ['Field'],
  NO_MEMBER: ['Status'],
  PASSKEY_REFUSED: ['Detail'],
  PLAN_TOO_LARGE: ['Limit'],
  RESET_REQUIRED: ['Reset'],
  SCOPE_MISSING: ['Scopes'],
  SOURCE_LACKS_RIGHTS: ['Permission'],
  TEMPORARY_RIGHT: ['Permission', 'Until'],
  TENANT_STATUS: ['Status'],
  TENANT_SUSPENDED: ['Tenant'],
  TOO_DEEP: ['Limit'],
  TOO_MANY_GRANTS: ['Limit'],
  TOO_MANY_VALUES: ['Limit'],
  WRONG_METHOD: ['Allow'],
};

/** The reasons of SCIM, which the gateway writes as scimType or as a status. */
const scimReasons = [
  'SCIM_INVALID_FILTER',
  'SCIM_INVALID_PATH',
  'SCIM_INVALID_SYNTAX',
  'SCIM_INVALID_VALUE',
  'SCIM_METHOD',
  'SCIM_MUTABILITY',
  'SCIM_NO_TARGET',
  'SCIM_TOO_MANY',
  'SCIM_UNIQUENESS',
  'SCIM_UNSUPPORTED',
  'SCIM_VERSION',
] as const;

/** A reason that a client can get in an ErrorResponse. */
export type PublicReason = keyof typeof reasons;
/** A reason of an error. */
export type Reason = PublicReason | (typeof scimReasons)[number];

/** Whether an ErrorResponse can have the reason. */
export const isPublicReason = (text: string): text is PublicReason => Object.hasOwn(reasons, text);
/** The params that an ErrorResponse can have: those of the reason's list, whose values the message contains. */
export const publicParams = (
  reason: string,
  message: string,
  params: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).filter(
      ([name, value]) =>
        isPublicReason(reason) && paramsOf[reason]?.includes(name) && message.includes(value),
    ),
  );

/** Whether a text is a reason: a newer process may send others. */
export const isReason = (text: string): text is Reason =>
  isPublicReason(text) || (scimReasons as readonly string[]).includes(text);
