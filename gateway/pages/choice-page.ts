import type { IssuerChoice } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { escapeHtml, fill } from '@bailiwick/texts';
import { markupWithNames, nameMarkup, textOf, titleWithNames } from './page-texts.ts';

// The page on which a person chooses an organisation, or lets an app know them. It needs no
// script: organisations are links, and consent is a form, which no other site can send for a person.

/** The texts of what an app may ask for. Everything else is a permission. */
const scopeTexts: Readonly<Record<string, string>> = {
  openid: 'choice.openid',
  profile: 'choice.profile',
  email: 'choice.email',
  groups: 'choice.groups',
  offline_access: 'choice.offline',
  account: 'choice.account',
  '*': 'choice.everything',
};

/** The values of the page's placeholders. Names are escaped. */
export function choiceMarkup(choice: IssuerChoice, locale: string): Record<string, string> {
  const values = { app: choice.app };
  const isConsent = choice.kind === 'consent';
  const [titleKey, descriptionKey] = isConsent
    ? (['choice.consent', 'choice.consentAbout'] as const)
    : (['choice.tenant', 'choice.tenantAbout'] as const);
  return {
    title: titleWithNames(locale, titleKey, values),
    heading: markupWithNames(locale, titleKey, values),
    about: markupWithNames(locale, descriptionKey, values),
    choices: isConsent ? consentMarkup(choice, locale) : tenantMarkup(choice),
  };
}

const linkTo = (href: string, label: string): string =>
  `<a class="button plain" href="${escapeHtml(href)}">${nameMarkup(label)}</a>`;

const tenantMarkup = ({ options }: IssuerChoice): string =>
  `<ul>${options.map(({ href, label }) => `<li>${linkTo(href, label)}</li>`).join('')}</ul>`;

const answerButton = (answer: 'yes' | 'no', label: string, look = ''): string =>
  `<p><button name="consent" value="${answer}"${look}>${escapeHtml(label)}</button></p>`;

/** The list of what an app asks for. */
export function scopesMarkup(scopes: readonly string[], locale: string): string {
  const labels = scopes.map((permission) =>
    fill(textOf(locale, scopeTexts[permission] ?? 'choice.permission'), { permission }),
  );
  return `<ul>${labels.map((label) => `<li>${escapeHtml(label)}</li>`).join('')}</ul>`;
}

function consentMarkup({ scopes }: IssuerChoice, locale: string): string {
  return [
    scopesMarkup(scopes, locale),
    '<form method="post">',
    answerButton('yes', textOf(locale, 'choice.allow')),
    answerButton('no', textOf(locale, 'choice.deny'), ' class="plain"'),
    '</form>',
  ].join('');
}
