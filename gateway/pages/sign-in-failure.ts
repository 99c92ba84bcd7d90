import { isId } from '@bailiwick/contract';
import { ServiceError, toServiceError } from '@bailiwick/errors';
import { escapeHtml } from '@bailiwick/texts';
import { textOf } from './page-texts.ts';

/** Where the error page leads. Addresses are relative to the page. */
export type NextSteps = { tryAgain: string; signIn: string; recovery?: string };

/** The reasons for which the same provider fails again. */
const final = new Set<string>(['PROVIDER_INACTIVE', 'PROVIDER_UNCONFIRMED']);

/** The reasons that a broken provider of a tenant can have. */
const broken = new Set<string>(['ANSWER_INVALID', 'PROVIDER_REFUSED', 'PROVIDER_UNREACHABLE']);

/** A path of ours or the address of an application. */
const address = /^(?:\/(?![/\\])|https?:\/\/)/;

/** A failed sign-in at a provider, whose page leads back to where the user was going. */
export class SignInFailure extends ServiceError {
  readonly returnTo: string;

  constructor(thrown: unknown, returnTo: string) {
    const { code, reason, messages, problems, retryAfter, params } = toServiceError(thrown);
    super(code, reason, problems.length > 0 ? problems : messages, retryAfter, params);
    this.cause = thrown;
    // Texts that are no address, and an address that sso has refused, are not kept.
    this.returnTo = address.test(returnTo) && reason !== 'RETURN_FOREIGN' ? returnTo : '';
  }
}

/** The keys of the title of an error page, and of what to do next. */
type ErrorTexts = readonly [title: string, next: string];
const failures: Partial<Record<number, ErrorTexts>> = {
  403: ['error.refused', 'error.refusedNext'],
  500: ['error.broken', 'error.brokenNext'],
};
const failed: ErrorTexts = ['error.failed', 'error.failedNext'];
/** The pages that are not about the sign-in of this browser, by the end of their path. */
const others: ReadonlyArray<readonly [path: RegExp, texts: ErrorTexts]> = [
  [/\/oauth\/logout(?:\/confirm)?$/, ['error.signOut', 'error.signOutNext']],
  [/\/device$/, ['error.device', 'error.deviceNext']],
];

export const errorTexts = (pathname: string, status: number): ErrorTexts =>
  others.find(([path]) => path.test(pathname))?.[1] ?? failures[status] ?? failed;

/** The ways on from the page of an error on one of the routes /auth/{tenant}/{id}/…. */
export function nextStepsOf(error: ServiceError, root: string, tenant: string): NextSteps {
  const returnTo = error instanceof SignInFailure ? error.returnTo : '';
  const parameters = returnTo === '' ? {} : { return_to: returnTo };
  const query = queryOf(parameters);
  const isFinal = error.code === 'not_found' || final.has(error.reason);
  return {
    tryAgain: isFinal ? '' : `login${query}`,
    signIn: `${root}login${query}`,
    recovery:
      isId('tnt', tenant) && broken.has(error.reason)
        ? `${root}login${queryOf({ recovery: '1', ...parameters })}`
        : '',
  };
}

const queryOf = (parameters: Record<string, string>): string => {
  const query = new URLSearchParams(parameters).toString();
  return query === '' ? '' : `?${query}`;
};

/** The link that begins the sign-in again, and the one to the sign-in page. */
export function linksOf({ tryAgain, signIn, recovery = '' }: NextSteps, locale: string): string {
  const link = (href: string, key: string, look: string) =>
    `<p><a class="button${look}" href="${escapeHtml(href)}">${escapeHtml(textOf(locale, key))}</a></p>`;
  const links =
    tryAgain === ''
      ? link(signIn, 'common.backToSignIn', '')
      : link(tryAgain, 'error.tryAgain', '') + link(signIn, 'common.backToSignIn', ' plain');
  return recovery === '' ? links : links + link(recovery, 'recovery.offer', ' plain');
}
