import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

// Mails are plain files: templates/<locale>/<template>/{subject,text,html}.txt|html with {{name}} in them.
// There is no logic in a template, so whoever translates one can break nothing but its words.

export const templateNames = ['verification', 'reset', 'invitation', 'already_registered', 'password_changed', 'address_changed'] as const;
export type TemplateName = (typeof templateNames)[number];

export type Template = { subject: string; text: string; html: string };
/** What a locale says of a tenant without a name, and its templates. */
export type Locale = { unnamed: string; templates: ReadonlyMap<TemplateName, Template> };
/** The closest locale there is: de-CH, de, en. */
export type Templates = (locale: string) => Locale;
export type Values = Readonly<Record<string, string>>;

const fallbackLocale = 'en';

/** Reads all templates of a directory. Throws where a locale lacks one. */
export function readTemplates(directory: string): Templates {
  const locales = new Map(readdirSync(directory).map((locale) => [locale.toLowerCase(), readLocale(path.join(directory, locale))]));
  const fallback = locales.get(fallbackLocale);
  if (!fallback) throw new Error(`there are no mails in ${fallbackLocale}`);
  return (locale) => {
    const wanted = locale.toLowerCase();
    return locales.get(wanted) ?? locales.get(wanted.split('-')[0] ?? '') ?? fallback;
  };
}

function readLocale(directory: string): Locale {
  const read = (...file: string[]) => readFileSync(path.join(directory, ...file), 'utf8');
  const readTemplate = (name: string) => ({ subject: read(name, 'subject.txt').trim(), text: read(name, 'text.txt'), html: read(name, 'html.html') });
  return { unnamed: read('unnamed.txt').trim(), templates: new Map(templateNames.map((name) => [name, readTemplate(name)])) };
}

/** Fills a template in. Throws for a placeholder that has no value. */
export function renderTemplate({ subject, text, html }: Template, values: Values): Template {
  return { subject: fill(subject, values, (value) => value), text: fill(text, values, (value) => value), html: fill(html, values, escapeHtml) };
}

export function fill(template: string, values: Values, escape: (value: string) => string): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    if (!Object.hasOwn(values, name)) throw new Error(`the template wants ${name}, which this mail does not have`);
    return escape(values[name] ?? '');
  });
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (value: string): string => value.replace(/[&<>"']/g, (character) => entities[character] ?? '');

/**
 * A name that somebody chose, fit for a mail to a stranger: one line, at most 64 characters, and nothing a
 * mail program would make a link of (whoever may invite could otherwise send advertisements in our name).
 */
export function displayName(name: string): string {
  const line = name
    .normalize('NFC')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
  const unlinked = line.replace(/(?<=\S)[.:/@](?=\S)/g, ' ').replace(/ +/g, ' ');
  return Array.from(unlinked).slice(0, 64).join('');
}
