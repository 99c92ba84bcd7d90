import { fileURLToPath } from 'node:url';
import { escapeHtml, fill, type TemplateName, type Values } from './placeholders.ts';
import {
  layoutFile,
  localesOf,
  partFiles,
  problemsOf,
  readTemplateFiles,
  type TemplateFiles,
} from './template-files.ts';

export type Template = { subject: string; text: string; html: string };
/** The templates of all locales, each spelt like its folder, and the HTML layout. */
export type Templates = {
  files: TemplateFiles;
  locales: ReadonlyMap<string, string>;
  layout: string;
};

/** The values of a mail. Names are untrusted user input; `date` is RFC 3339. */
export type MailValues = {
  email: string;
  tenantName?: string;
  inviterName?: string;
  name?: string;
  date?: string;
  left?: string;
  token?: string;
  link?: string;
};
/** The sender: the service's name, and its public URL. */
export type Sender = { service: string; publicUrl: string };

const fallbackLocale = 'en';
const shippedDirectory = fileURLToPath(new URL('templates', import.meta.url));

/**
 * The built-in templates, overridden by those of `directory`; "" = none. Throws one error with all
 * problems.
 */
export function openTemplates(directory: string): Templates {
  const shipped = readTemplateFiles(shippedDirectory);
  const own =
    directory === ''
      ? { files: new Map<string, string>(), problems: [] }
      : readTemplateFiles(directory);
  const problems = [...shipped.problems, ...own.problems, ...problemsOf(own.files, shipped.files)];
  if (problems.length > 0)
    throw new Error(`names templates that cannot be used: ${problems.join('; ')}`);
  const files = new Map([...shipped.files, ...own.files]);
  const layout = files.get(layoutFile);
  if (layout === undefined) throw new Error('there is no layout for mails');
  return {
    files,
    locales: new Map([...localesOf(files)].map((locale) => [locale.toLowerCase(), locale])),
    layout,
  };
}

/** The locales to try, closest first: de-CH, then de; for pt any Portuguese; finally English. */
export function localeChain({ locales }: Templates, wanted: string): string[] {
  const parts = wanted.toLowerCase().replaceAll('_', '-').split('-');
  const narrowing = parts.map((_part, index) => parts.slice(0, parts.length - index).join('-'));
  const cousins = [...locales.keys()].filter((locale) => locale.startsWith(`${parts[0]}-`)).sort();
  return [...new Set([...narrowing, ...cousins, fallbackLocale])].flatMap(
    (locale) => locales.get(locale) ?? [],
  );
}

/** Renders a mail in the closest locale that has it. */
export function renderMail(
  templates: Templates,
  name: TemplateName,
  locale: string,
  given: MailValues & Sender,
): Template {
  const chain = localeChain(templates, locale);
  const lang = chain.find((candidate) =>
    templates.files.has(`${candidate}.${name}.${partFiles.subject}`),
  );
  if (lang === undefined) throw new Error(`there is no mail ${name}`);
  const part = (file: string) => templates.files.get(`${lang}.${name}.${file}`) ?? '';
  const subject = part(partFiles.subject).trim();
  const values = valuesOf(given, lang, (word) => wordOf(templates, [lang, ...chain], word));
  const content = fill(part(partFiles.html), values, escapeHtml).trim();
  const frame = {
    lang: escapeHtml(lang),
    subject: escapeHtml(subject),
    service: escapeHtml(given.service),
    publicUrl: escapeHtml(given.publicUrl),
    content,
  };
  return { subject, text: fill(part(partFiles.text), values), html: fill(templates.layout, frame) };
}

function valuesOf(
  { service, publicUrl, email, ...given }: MailValues & Sender,
  lang: string,
  word: (name: string) => string,
): Values {
  const { token, link, date, name, left } = given;
  return {
    service,
    publicUrl,
    email,
    tenantName: displayName(given.tenantName ?? '') || word('unnamed'),
    inviterName: displayName(given.inviterName ?? '') || word('somebody'),
    ...(name === undefined ? {} : { name: displayName(name) }),
    ...(date === undefined
      ? {}
      : {
          date: new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(
            new Date(date),
          ),
        }),
    ...(left === undefined ? {} : { left }),
    ...(token === undefined ? {} : { token }),
    ...(link === undefined ? {} : { link }),
  };
}

function wordOf({ files }: Templates, chain: readonly string[], word: string): string {
  const text = chain
    .map((locale) => files.get(`${locale}.${word}.txt`))
    .find((found) => found !== undefined);
  return (text ?? '').trim();
}

/**
 * Makes a user-chosen name safe for a mail to a stranger: one line, at most 64 characters, and
 * nothing that a mail program turns into a link. Otherwise a user who may invite could send
 * advertisements in the operator's name.
 */
export function displayName(name: string): string {
  const line = name
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const unlinked = line.replace(/(?<=\S)[.:/@](?=\S)/g, ' ').replace(/ +/g, ' ');
  return Array.from(unlinked).slice(0, 64).join('');
}
