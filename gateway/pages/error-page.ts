import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceError } from '@bailiwick/errors';
import { escapeHtml, fill } from '@bailiwick/texts';
import type { ErrorKind } from './error-keys.ts';
import { noBrand, type PageBrand } from './page-brands.ts';
import { languageHeaders, languageOf } from './page-language.ts';
import { textOf, textOfError } from './page-texts.ts';
import { authRoot, headersOf, html, markupOf, pageIn } from './pages.ts';
import { errorTexts, linksOf, type NextSteps } from './sign-in-failure.ts';

// The page of a failed sign-in. Other failures have the page of missing-page.ts.

const statuses: Partial<Record<ServiceError['code'], number>> = {
  permission_denied: 403,
  resource_exhausted: 429,
  unavailable: 500,
  internal: 500,
};

/** `kind` chooses the texts of errors. */
type ErrorPageContext = { brand: PageBrand; root: string; nextSteps: NextSteps; kind: ErrorKind };

/** Shows a sign-in failure to the user. `root` is the way from the page to the public URL. */
export function sendErrorPage(
  request: IncomingMessage,
  response: ServerResponse,
  error: ServiceError,
  requestId: string,
  {
    brand = noBrand,
    root = authRoot,
    nextSteps = { tryAgain: '', signIn: `${root}login` },
    kind = 'call',
  }: Partial<ErrorPageContext> = {},
): void {
  const locale = languageOf(request);
  const status = statuses[error.code] ?? 400;
  const [title, next] = errorTexts((request.url ?? '').split('?')[0] ?? '', status);
  if (error.retryAfter > 0) response.setHeader('retry-after', error.retryAfter);
  const message =
    error.code === 'internal' ? textOf(locale, 'error.internal') : textOfError(error, locale, kind);
  const texts = { title: textOf(locale, title), next: textOf(locale, next), message, requestId };
  const escaped = Object.entries(texts).map(([name, text]) => [name, escapeHtml(text)] as const);
  const body = fill(pageIn('error', locale), {
    root,
    ...Object.fromEntries(escaped),
    links: linksOf(nextSteps, locale),
    ...markupOf(brand, locale, root),
  });
  response
    .writeHead(status, {
      ...headersOf("'none'"),
      ...languageHeaders(locale),
      'content-type': html,
    })
    .end(body);
}
