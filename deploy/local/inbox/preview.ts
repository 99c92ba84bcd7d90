import {
  isTemplateName,
  placeholders,
  type TemplateName,
  templateNames,
} from '@bailiwick/notifications/email/placeholders.ts';
import {
  renderMail,
  type Template,
  type Templates,
} from '@bailiwick/notifications/email/templates.ts';
import { escapeHtml as escape } from '@bailiwick/texts';

// Every mail in every language, rendered by the product's own code, for authors and translators of
// templates.

const token = `bwkv_${'Example'.repeat(7)}`;
const pages: Partial<Record<TemplateName, string>> = { reset: 'reset', invitation: 'invitation' };

const sample = {
  service: 'Bailiwick',
  publicUrl: 'https://iam.example.com',
  email: 'ada@example.com',
  tenantName: 'Analytical Engines & Co',
  inviterName: 'Grace Hopper',
  name: 'nightly build',
  date: '2026-03-01T12:00:00.000Z',
  left: '3',
  operatorName: 'Grace',
  reason: 'Ticket 4711',
  role: 'platform-support',
  time: '2026-03-01T12:15:00.000Z',
};

/** A mail with sample values; undefined for an unknown mail or locale. */
export function renderSample(
  templates: Templates,
  name: string,
  locale: string,
): Template | undefined {
  if (!isTemplateName(name) || !templates.locales.includes(locale)) return undefined;
  const carried = (placeholders[name] as readonly string[]).includes('token');
  const link = `${sample.publicUrl}/${pages[name] ?? 'verify'}#token=${token}`;
  return renderMail(templates, name, locale, { ...sample, ...(carried && { token, link }) });
}

/** The page that lists the mails of all locales, or shows those of one locale opened. */
export function renderPreview(templates: Templates, only: string | null): string {
  const locales = templates.locales.toSorted();
  const selection = only === null ? locales : locales.filter((locale) => locale === only);
  const link = (href: string, text: string, isHere: boolean) =>
    `<a href="${escape(href)}"${isHere ? ' aria-current="page"' : ''}>${escape(text)}</a>`;
  const choices = [
    link('/mails', 'all', only === null),
    ...locales.map((locale) => link(`/mails?locale=${locale}`, locale, locale === only)),
  ];
  const sections = templateNames.map((name) =>
    renderMails(templates, name, selection, only !== null),
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Mails · Bailiwick</title>
<link rel="stylesheet" href="/page.css">
<link rel="icon" href="data:,">
<header><h1>Bailiwick <span>mails</span></h1><p>Every mail in every language, with sample values. What was sent is in the <a href="/">inbox</a>.</p></header>
<nav aria-label="Languages">${choices.join(' ')}</nav>
<main>
${sections.join('\n')}
</main>
</html>
`;
}

function renderMails(
  templates: Templates,
  name: TemplateName,
  locales: readonly string[],
  isOpen: boolean,
): string {
  const mails = locales.map((locale) => {
    const { subject, text } = renderSample(templates, name, locale) ?? { subject: '', text: '' };
    return `<details${isOpen ? ' open' : ''}>
<summary><b lang="${escape(locale)}">${escape(subject)}</b><span>${escape(locale)}</span></summary>
<iframe class="mail" sandbox src="/mails/${name}/${escape(locale)}" loading="lazy" title="${escape(`${name} in ${locale}, HTML`)}"></iframe>
<pre lang="${escape(locale)}">${escape(text)}</pre>
</details>`;
  });
  return `<section aria-labelledby="${name}">\n<h2 id="${name}">${name}</h2>\n${mails.join('\n')}\n</section>`;
}
