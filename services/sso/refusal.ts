import { oneLine } from '@bailiwick/contract';
import { type Params, type PublicReason, ServiceError, toServiceError } from '@bailiwick/errors';
import { ConnectError } from '@connectrpc/connect';

// The reasons to refuse a sign-in. The user reads what to do; the tenant's administrators read the
// detail in the provider's LastError, the event sso.login_failed and the audit.

const refusals = {
  FLOW_UNKNOWN: 'This sign-in has expired or was finished before. Please sign in again.',
  FLOW_ELSEWHERE: 'This sign-in was started in another browser. Please sign in again.',
  PROVIDER_INACTIVE: 'This way to sign in is switched off. Please ask your administrator.',
  PROVIDER_UNCONFIRMED:
    'This way to sign in was changed and waits for a confirmation. Please sign in another way, or ask your administrator.',
  PROVIDER_REFUSED:
    'Your organisation’s sign-in has refused you, or you have cancelled it. Please try again or ask your administrator.',
  PROVIDER_UNREACHABLE:
    'Your organisation’s sign-in cannot be reached at the moment. Please try again later.',
  ANSWER_INVALID:
    'The answer of your organisation’s sign-in cannot be accepted. Please ask your administrator.',
  STARTED_BY_PROVIDER:
    'Your organisation’s sign-in has started this by itself, which is not allowed here. Please try again from this page.',
  EMAIL_MISSING:
    'Your organisation’s sign-in did not send your email address. Please ask your administrator.',
  EMAIL_UNVERIFIED:
    'Your organisation’s sign-in has not verified your address. Please ask your administrator.',
  DOMAIN_FOREIGN:
    'Your address belongs to none of your organisation’s domains. Please ask your administrator.',
  NO_ACCOUNT: 'You have no account here yet. Please ask your administrator for an invitation.',
  NO_MEMBER:
    'You are not a member of this organisation. Please ask your administrator for an invitation.',
  ACCOUNT_DISABLED: 'Your account is disabled. Please ask your administrator.',
  ALREADY_LINKED:
    'Your account here belongs to another identity of your organisation’s sign-in. Please ask the operator of this service to remove that link.',
  SSO_REQUIRED:
    'Your organisation requires its own sign-in for your address. Please enter your address on the sign-in page.',
  RETURN_FOREIGN:
    'The address to return to is not allowed. Please start again from your application.',
} as const satisfies Partial<Record<PublicReason, string>>;

export type RefusalReason = keyof typeof refusals;

/** The texts for users of the platform's providers: no organisation stands behind these. */
const socialRefusals: Partial<Record<RefusalReason, string>> = {
  PROVIDER_INACTIVE: 'This way to sign in is switched off. Please sign in another way.',
  PROVIDER_REFUSED:
    'The provider has refused you, or you have cancelled the sign-in. Please try again or sign in another way.',
  PROVIDER_UNREACHABLE:
    'The provider cannot be reached at the moment. Please try again later or sign in another way.',
  ANSWER_INVALID: 'The provider’s answer cannot be accepted. Please sign in another way.',
  EMAIL_MISSING:
    'The provider did not send your email address. Allow it to, or sign in another way.',
  EMAIL_UNVERIFIED:
    'The provider has not verified your email address. Verify it there first, or sign in another way.',
  NO_ACCOUNT: 'You have no account here yet. Please register first.',
  ACCOUNT_DISABLED: 'Your account is disabled. Please ask the operator of this service.',
  ALREADY_LINKED:
    'Your account here is linked to another identity of this provider. Sign in with that one, or another way.',
};

const isReason = (reason: string): reason is RefusalReason => Object.hasOwn(refusals, reason);

const maxDescription = 200;

/**
 * A provider's description of its error, for the administrator. It may contain anything and anyone
 * can send one: addresses of users and sites, and values that could be tokens, are left out.
 */
export function describeAnswer(description: string | undefined): string {
  // Cut first: the patterns run over a short text.
  const text = oneLine((description ?? '').slice(0, 2 * maxDescription).toWellFormed())
    .replaceAll(/\S*(?:@|:\/\/|www\.)\S*/gi, '…')
    .replaceAll(/[\w.~+/=-]{41,}/g, '…')
    .replaceAll(/[<>"“”]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (text === '') return '';
  return ` It says: “${text.length > maxDescription ? `${text.slice(0, maxDescription).toWellFormed()}…` : text}”`;
}

/** A refused sign-in. `detail` must contain no token, code, secret or user's address. */
export class SignInRefused extends ServiceError {
  readonly detail: string;
  constructor(
    reason: RefusalReason,
    detail: string,
    text: string = refusals[reason],
    params: Params = {},
  ) {
    const code =
      reason === 'FLOW_UNKNOWN' || reason === 'RETURN_FOREIGN'
        ? 'failed_precondition'
        : reason === 'PROVIDER_UNREACHABLE'
          ? 'unavailable'
          : 'permission_denied';
    super(code, reason, text, 0, params);
    this.detail = detail;
  }
}

/** The refusal with the text for users of that provider. */
export function refusalFor({ tenant }: { tenant: string }, thrown: unknown): unknown {
  if (tenant !== '' || !(thrown instanceof SignInRefused) || !isReason(thrown.reason))
    return thrown;
  const { reason, detail } = thrown;
  return new SignInRefused(reason, detail, socialRefusals[reason]);
}

/** The refusal of a tenant that is suspended or is being deleted. */
export const tenantClosed = () =>
  new SignInRefused(
    'NO_MEMBER',
    'the tenant is not active',
    'Your organisation is suspended. Please ask your administrator.',
    { Status: 'suspended' },
  );

/** The refusal of a SAML answer to no request, from a provider that may not send one. */
export const startedByProvider = () =>
  new SignInRefused(
    'STARTED_BY_PROVIDER',
    'The identity provider has started the sign-in itself (IdP-initiated), and AllowIdpInitiated is off: people start at the sign-in page or at an application',
  );

/** The error for a sign-in URL without a provider. */
export const unknownProvider = () =>
  new ServiceError(
    'not_found',
    '',
    'This sign-in address is not known. Please start at the sign-in page, or ask your administrator for the right address.',
  );

/**
 * Converts a refusal of identity or access to one for the user. Other errors are returned
 * unchanged.
 */
export function asRefusal(thrown: unknown): unknown {
  const error = thrown instanceof ConnectError ? toServiceError(thrown) : thrown;
  return error instanceof ServiceError &&
    isReason(error.reason) &&
    !(error instanceof SignInRefused)
    ? new SignInRefused(error.reason, error.message)
    : thrown;
}
