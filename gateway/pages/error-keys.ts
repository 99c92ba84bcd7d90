import type { ServiceError } from '@bailiwick/errors';

/**
 * The catalogue's keys of the errors that a page shows to a person: by the Reason, by the Reason and a
 * value of Params, by the Code of an error without a Reason, and for an invalid request by the Field
 * and the Rule of a problem. Pages show the messages of other errors as they are, in English.
 */
export const callErrors: Readonly<Record<string, string>> = {
  resource_exhausted: 'message.tooMany',
  permission_denied: 'message.denied',
  SIGN_INS_FAILED: 'message.tooManySignIns',
  'RESET_REQUIRED password': 'message.resetPassword',
  'RESET_REQUIRED second factors': 'message.resetFactors',
  SIGN_INS_BUSY: 'message.busy',
  DEAD_TOKEN: 'message.deadToken',
  SSO_REQUIRED: 'message.ssoRequired',
  'METHOD_REFUSED social': 'message.socialRefused',
  'METHOD_REFUSED organisation': 'message.providerRefused',
  OTHER_ADDRESS: 'message.otherAddress',
  TENANT_SUSPENDED: 'message.suspended',
  PASSKEY_KNOWN: 'message.passkeyKnown',
  PASSKEY_REFUSED: 'message.passkeyRefused',
  LAST_FACTOR_REQUIRED: 'message.lastFactor',
  NO_FACTOR: 'message.factorFirst',
  REGISTRATION_CLOSED: 'message.registrationClosed',
  REGISTRATION_INVITED: 'message.registrationInvited',
  CODES_OFF: 'message.codesOff',
  'Email email': 'message.email',
  'Password required': 'message.passwordMissing',
  'Password min_len': 'message.passwordShort',
  'Password max_len': 'message.passwordLong',
  'Password common': 'message.passwordCommon',
  'Password breached': 'message.passwordBreached',
  'Password guessable': 'message.passwordMadeOf',
};

/** Those of a sign-in at the provider of an organisation. */
const organisationErrors: Readonly<Record<string, string>> = {
  ...callErrors,
  not_found: 'refusal.unknownProvider',
  FLOW_UNKNOWN: 'refusal.flowUnknown',
  FLOW_ELSEWHERE: 'refusal.flowElsewhere',
  PROVIDER_INACTIVE: 'refusal.inactive',
  PROVIDER_UNCONFIRMED: 'refusal.unconfirmed',
  PROVIDER_REFUSED: 'refusal.refused',
  PROVIDER_UNREACHABLE: 'refusal.unreachable',
  ANSWER_INVALID: 'refusal.answerInvalid',
  STARTED_BY_PROVIDER: 'refusal.startedByProvider',
  EMAIL_MISSING: 'refusal.emailMissing',
  EMAIL_UNVERIFIED: 'refusal.emailUnverified',
  DOMAIN_FOREIGN: 'refusal.domainForeign',
  NO_ACCOUNT: 'refusal.noAccount',
  NO_MEMBER: 'refusal.noMember',
  'NO_MEMBER suspended': 'refusal.suspended',
  ACCOUNT_DISABLED: 'refusal.disabled',
  ALREADY_LINKED: 'refusal.alreadyLinked',
  SSO_REQUIRED: 'refusal.ssoRequired',
  RETURN_FOREIGN: 'refusal.returnForeign',
};

/** Those of a sign-in at a provider of the platform: no organisation stands behind it. */
const socialErrors: Readonly<Record<string, string>> = {
  ...organisationErrors,
  PROVIDER_INACTIVE: 'refusal.socialInactive',
  PROVIDER_REFUSED: 'refusal.socialRefused',
  PROVIDER_UNREACHABLE: 'refusal.socialUnreachable',
  ANSWER_INVALID: 'refusal.socialAnswerInvalid',
  EMAIL_MISSING: 'refusal.socialEmailMissing',
  EMAIL_UNVERIFIED: 'refusal.socialEmailUnverified',
  NO_ACCOUNT: 'refusal.socialNoAccount',
  ACCOUNT_DISABLED: 'refusal.socialDisabled',
  ALREADY_LINKED: 'refusal.socialAlreadyLinked',
};

export const errorKeys = {
  call: callErrors,
  organisation: organisationErrors,
  social: socialErrors,
};
export type ErrorKind = keyof typeof errorKeys;

/** The key for an error; undefined = the page shows its message. gateway/pages/texts.js does the same. */
export function keyOf(
  { code, reason, params }: Pick<ServiceError, 'code' | 'reason' | 'params'>,
  kind: ErrorKind,
): string | undefined {
  const causes = [
    ...Object.values(params).map((parameter) => `${reason} ${parameter}`),
    reason || code,
  ];
  const cause = causes.find((name) => Object.hasOwn(errorKeys[kind], name)) ?? '';
  return errorKeys[kind][cause];
}
