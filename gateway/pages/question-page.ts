import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  IssuerChoice,
  IssuerDevicePage,
  IssuerLogo,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { fill } from '@bailiwick/texts';
import { choiceMarkup } from './choice-page.ts';
import { deviceMarkup } from './device-page.ts';
import { logoMarkup, type PageBrand } from './page-brands.ts';
import { languageHeaders, languageOf } from './page-language.ts';
import { headersOf, html, markupOf, pageIn } from './pages.ts';

// The pages on which the issuer asks the person: consent, the choice of a tenant, a device.

type PagePlace = { brand: PageBrand; root: string };

/** Asks the person. `root` is the way from the page to the public URL. */
export function sendChoicePage(
  request: IncomingMessage,
  response: ServerResponse,
  choice: IssuerChoice,
  place: PagePlace,
): void {
  const locale = languageOf(request);
  const { kind, returnScheme, logo } = choice;
  // Browsers apply form-action to redirects too, and the answer leads to the app.
  const formAction = kind === 'consent' ? `'self' https: ${returnScheme}`.trimEnd() : "'none'";
  sendQuestion(response, choiceMarkup(choice, locale), { ...place, logo, locale, formAction });
}

/** Sends a page of the device flow to a person at `ip`. */
export function sendDevicePage(
  request: IncomingMessage,
  response: ServerResponse,
  page: IssuerDevicePage,
  { ip, ...place }: PagePlace & { ip: string },
): void {
  const locale = languageOf(request);
  const markup = deviceMarkup(page, { locale, root: place.root, ip, now: new Date() });
  sendQuestion(response, markup, { ...place, logo: page.logo, locale, formAction: "'self'" });
}

function sendQuestion(
  response: ServerResponse,
  markup: Readonly<Record<string, string>>,
  {
    brand,
    root,
    logo,
    locale,
    formAction,
  }: PagePlace & { logo: IssuerLogo | undefined; locale: string; formAction: string },
): void {
  const body = fill(pageIn('choice', locale), {
    root,
    appLogo: logo ? `<p id="app-logo">${logoMarkup(logo, root)}</p>` : '',
    ...markup,
    ...markupOf(brand, locale, root),
  });
  response
    .writeHead(200, {
      ...headersOf(formAction),
      ...languageHeaders(locale),
      'content-type': html,
    })
    .end(body);
}
