import { isIP } from 'node:net';
import {
  accentColors,
  escapeHtml,
  fallbackLocale,
  fill,
  isolated,
  isolatedHtml,
  localesLike,
  type Values,
} from '@bailiwick/texts';
import type { TemplateName } from './placeholders.ts';
import { readShippedFiles } from './shipped-files.ts';
import {
  layoutFile,
  localesOf,
  partFiles,
  problemsOf,
  readTemplateFiles,
  type TemplateFiles,
} from './template-files.ts';

/** `name` is '' if the sender's name is the only one. `color` is '' for the usual one. */
export type Brand = {
  name: string;
  color: string;
  logo?: { url: string; width: number; height: number };
};

export type Template = { subject: string; text: string; html: string };
/** The templates of all locales, each spelt like its folder, and the HTML layout. */
export type Templates = {
  files: TemplateFiles;
  locales: readonly string[];
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
  /** The network address of the client that caused the mail. */
  requestedFrom?: string;
  operatorName?: string;
  role?: string;
  reason?: string;
  /** Like `date`; the mail shows the minute too. */
  time?: string;
  token?: string;
  link?: string;
};
/** The sender: the service's name, and its public URL. */
export type Sender = { service: string; publicUrl: string };

/**
 * The built-in templates, overridden by those of `directory`; "" = none. Throws one error with all
 * problems.
 */
export function openTemplates(directory: string): Templates {
  const shipped = readShippedFiles();
  const own =
    directory === ''
      ? { files: new Map<string, string>(), problems: [] }
      : readTemplateFiles(directory);
  const problems = [...own.problems, ...problemsOf(own.files, shipped)];
  if (problems.length > 0)
    throw new Error(`names templates that cannot be used: ${problems.join('; ')}`);
  const files = new Map([...shipped, ...own.files]);
  const layout = files.get(layoutFile);
  if (layout === undefined) throw new Error('there is no layout for mails');
  return { files, locales: [...localesOf(files)], layout };
}

/** The locales to try, closest first, and finally English. */
export const localeChain = ({ locales }: Templates, locale: string): string[] => [
  ...new Set([...localesLike(locales, locale), fallbackLocale]),
];

/** Renders a mail in the closest locale that has it. */
export function renderMail(
  templates: Templates,
  name: TemplateName,
  locale: string,
  mailValues: MailValues & Sender,
  brand: Brand = { name: '', color: '' },
): Template {
  const chain = localeChain(templates, locale);
  const lang = chain.find((candidate) =>
    templates.files.has(`${candidate}.${name}.${partFiles.subject}`),
  );
  if (lang === undefined) throw new Error(`there is no mail ${name}`);
  const part = (file: string) => templates.files.get(`${lang}.${name}.${file}`) ?? '';
  const subject = part(partFiles.subject).trim();
  const values = valuesOf(mailValues, lang, (word) => wordOf(templates, [lang, ...chain], word));
  const content = fill(part(partFiles.html), withNames(values, isolatedHtml, escapeHtml)).trim();
  const frame = {
    lang: escapeHtml(lang),
    subject: escapeHtml(subject),
    service: escapeHtml(mailValues.service),
    publicUrl: escapeHtml(mailValues.publicUrl),
    content,
    ...brandValues(brand, mailValues.service),
  };
  const text = fill(part(partFiles.text), withNames(values, isolated));
  return { subject, text, html: fill(templates.layout, frame) };
}

/** The values that people have chosen. */
const names: readonly string[] = ['tenantName', 'inviterName', 'name', 'operatorName', 'reason'];

/** The values with names that do not change the order of the words around them. */
const withNames = (
  values: Values,
  ofName: (name: string) => string,
  ofOther: (text: string) => string = (text) => text,
): Values =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      names.includes(key) ? ofName(value) : ofOther(value),
    ]),
  );

/** The largest size of a logo in a mail, in pixels. */
const logoSize = { width: 200, height: 48 };

/**
 * The layout's values for a brand. The sender's name stays beside a tenant's, so that no tenant
 * passes for the platform or for another one.
 */
function brandValues({ name, color, logo }: Brand, service: string): Values {
  const { light, dark } = accentColors(color);
  return {
    brand: name === '' ? escapeHtml(service) : `${isolatedHtml(name)} · ${escapeHtml(service)}`,
    logo: logo ? imageOf(logo) : '',
    accent: light,
    accentOnDark: dark,
  };
}

function imageOf({ url, width, height }: NonNullable<Brand['logo']>): string {
  const scale = Math.min(1, logoSize.width / width, logoSize.height / height);
  const [shownWidth, shownHeight] = [width, height].map((size) =>
    Math.max(1, Math.round(size * scale)),
  );
  return `<img class="logo" src="${escapeHtml(url)}" alt="" width="${shownWidth}" height="${shownHeight}">`;
}

function valuesOf(
  { service, publicUrl, email, ...mailValues }: MailValues & Sender,
  lang: string,
  word: (name: string) => string,
): Values {
  const { token, link, date, name, left, operatorName, reason, role, time } = mailValues;
  return {
    service,
    publicUrl,
    email,
    tenantName: displayName(mailValues.tenantName ?? '') || word('unnamed'),
    inviterName: displayName(mailValues.inviterName ?? '') || word('somebody'),
    requestedFrom: addressOf(mailValues.requestedFrom) || word('unknown'),
    ...(name === undefined ? {} : { name: displayName(name) }),
    ...(role === undefined ? {} : { role: displayName(role) }),
    ...(date === undefined
      ? {}
      : {
          date: new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(
            new Date(date),
          ),
        }),
    ...(time === undefined
      ? {}
      : {
          time: new Intl.DateTimeFormat(lang, {
            dateStyle: 'long',
            timeStyle: 'short',
            timeZone: 'UTC',
          }).format(new Date(time)),
        }),
    ...(left === undefined ? {} : { left }),
    ...(operatorName === undefined
      ? {}
      : { operatorName: operatorName === '' ? word('platformKey') : displayName(operatorName) }),
    ...(reason === undefined ? {} : { reason: oneLine(reason, 500) }),
    ...(token === undefined ? {} : { token }),
    ...(link === undefined ? {} : { link }),
  };
}

const addressOf = (text = ''): string => (isIP(text) === 0 ? '' : text);

function wordOf({ files }: Templates, chain: readonly string[], word: string): string {
  const text = chain
    .map((locale) => files.get(`${locale}.${word}.txt`))
    .find((content) => content !== undefined);
  return (text ?? '').trim();
}

/**
 * Makes a user-chosen name safe for a mail to a stranger: one line, at most 64 characters, and
 * nothing that a mail program turns into a link. Otherwise a user who may invite could send
 * advertisements in the operator's name.
 */
export const displayName = (name: string): string => oneLine(name, 64);

/** One line of at most `most` characters, without text that a mail program turns into a link. */
function oneLine(text: string, most: number): string {
  // Joiners between letters belong to the spelling of Persian and other languages.
  const line = text
    .normalize('NFC')
    .replace(/(?:(?!(?<=\p{L}\p{M}*)[\u200c\u200d](?=\p{L}))[\p{C}\p{Z}\s])+/gu, ' ')
    .trim();
  const withoutLinks = line.replace(/(?<=\S)[.:/@](?=\S)/g, ' ').replace(/ +/g, ' ');
  return Array.from(withoutLinks).slice(0, most).join('');
}
