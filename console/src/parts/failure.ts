import { BailiwickError, type ErrorReason } from '@bailiwick/client/errors.ts';
import { unmetRequirementOf } from './proof.ts';
import type { TextKey } from './text-keys.ts';
import type { Texts } from './texts.tsx';

export type Failure = {
  title: TextKey;
  next: TextKey;
  /** The service's own messages, in English, which name the mistakes in the request. */
  details: readonly string[];
  /** "" without one that is shown. */
  reason: string;
  params: Readonly<Record<string, string>>;
  /** Seconds until another try can work; 0 = unknown. */
  waitSeconds: number;
  requestId: string;
  /** Whether the same call may succeed later. */
  isTemporary: boolean;
  /** Whether the same call may succeed after another sign-in. */
  needsSignIn: boolean;
};

type Kind = {
  title: TextKey;
  next: TextKey;
  isTemporary?: boolean;
  needsSignIn?: boolean;
  hasDetails?: boolean;
};

const kinds: Readonly<Record<string, Kind>> = {
  unauthenticated: { title: 'failure.ended', next: 'failure.endedNext' },
  permission_denied: { title: 'failure.denied', next: 'failure.deniedNext', hasDetails: true },
  resource_exhausted: { title: 'failure.busy', next: 'failure.busyNext', isTemporary: true },
  not_found: { title: 'failure.missing', next: 'failure.missingNext' },
  already_exists: { title: 'failure.exists', next: 'failure.existsNext', hasDetails: true },
  invalid_argument: { title: 'failure.invalid', next: 'failure.invalidNext', hasDetails: true },
  failed_precondition: { title: 'failure.state', next: 'failure.stateNext', hasDetails: true },
};
const unproven: Kind = { title: 'failure.unproven', next: 'failure.unprovenNext' };
// The session is the reason, and another one will do: not a matter for an administrator.
const otherMethod: Kind = {
  title: 'failure.method',
  next: 'failure.methodNext',
  needsSignIn: true,
};
const creationOff: Kind = { title: 'failure.creationOff', next: 'failure.creationOffNext' };
const wantsOtherMethod: readonly string[] = [
  'SSO_REQUIRED',
  'METHOD_REFUSED',
] satisfies ErrorReason[];
const isCreationOff = ({ Reason }: BailiwickError): boolean =>
  Reason === ('TENANT_CREATION_OFF' satisfies ErrorReason);
const offline: Kind = { title: 'failure.offline', next: 'failure.offlineNext', isTemporary: true };
const broken: Kind = { title: 'failure.broken', next: 'failure.brokenNext', isTemporary: true };

function kindOf(error: unknown): Kind {
  if (!(error instanceof BailiwickError)) return broken;
  if (error.status === 0) return offline;
  if (unmetRequirementOf(error)) return unproven;
  if (wantsOtherMethod.includes(error.Reason)) return otherMethod;
  if (isCreationOff(error)) return creationOff;
  return kinds[error.Code] ?? broken;
}

/** Names the failure in our own words, and the user's next step. */
export function describeFailure(error: unknown): Failure {
  const apiError = error instanceof BailiwickError ? error : undefined;
  const { title, next, ...kind } = kindOf(error);
  return {
    title,
    next,
    isTemporary: kind.isTemporary ?? false,
    needsSignIn: kind.needsSignIn ?? false,
    details: kind.hasDetails ? (apiError?.Messages ?? []) : [],
    reason: kind.hasDetails ? (apiError?.Reason ?? '') : '',
    params: apiError?.Params ?? {},
    waitSeconds: apiError?.retryAfter ?? 0,
    requestId: apiError?.RequestID ?? '',
  };
}

type Details = { texts: readonly string[]; lang?: 'en' };

/**
 * The service's answer: in the user's language if the reason has a text there, and its own
 * messages otherwise, which are more exact for readers of English. `lang` is theirs, if it is not the
 * page's.
 */
export function detailsIn(
  { details, reason, params }: Failure,
  { locale, textOfReason }: Pick<Texts, 'locale' | 'textOfReason'>,
): Details {
  if (locale === 'en' || details.length === 0) return { texts: details };
  const text = reason === '' ? undefined : textOfReason(reason, params);
  return text === undefined ? { texts: details, lang: 'en' } : { texts: [text] };
}
