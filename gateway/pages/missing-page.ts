import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServiceError } from '@bailiwick/errors';
import { escapeHtml, fill } from '@bailiwick/texts';
import { setErrorHeaders } from '../http/errors.ts';
import type { PageBrand } from './page-brands.ts';
import { languageHeaders, languageOf } from './page-language.ts';
import { textOf, textOfError } from './page-texts.ts';
import { headersOf, html, markupOf, pageIn } from './pages.ts';

// The page for an address that has none, or whose own page fails.

type Failure = { error: ServiceError; status: number; requestId: string };

/** The keys of title and text for an address without a page, by the status. */
const missing: Partial<Record<number, readonly [title: string, about: string]>> = {
  404: ['missing.title', 'missing.about'],
  405: ['missing.program', 'missing.programAbout'],
};

/** Sends the page with this status. `root` is the path of the public URL, with a slash at its end. */
export function sendMissingPage(
  request: IncomingMessage,
  response: ServerResponse,
  { error, status, requestId }: Failure,
  { brand, root }: { brand: PageBrand; root: string },
): void {
  const locale = languageOf(request);
  const text = (key: string) => escapeHtml(textOf(locale, key));
  const base = escapeHtml(root);
  const [title, about] = missing[status] ?? [];
  const report = fill(text('error.report'), { requestId: escapeHtml(requestId) });
  const message =
    error.code === 'internal'
      ? textOf(locale, 'error.internal')
      : textOfError(error, locale, 'call');
  const body = fill(pageIn('missing', locale), {
    root: base,
    title: text(title ?? 'missing.failed'),
    about: about === undefined ? escapeHtml(message) : text(about),
    report: about === undefined ? `<p class="quiet">${report}</p>` : '',
    ...markupOf(brand, locale, base),
  });
  setErrorHeaders(response, error);
  response
    .writeHead(status, {
      ...headersOf("'none'"),
      ...languageHeaders(locale),
      'content-type': html,
    })
    .end(body);
}
