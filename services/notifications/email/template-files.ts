import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { placeholdersIn } from '@bailiwick/texts';
import {
  isTemplateName,
  layoutPlaceholders,
  placeholders,
  sharedPlaceholders,
  templateNames,
} from './placeholders.ts';

// An operator's mails are plain files: <locale>/<mail>/{subject.txt,text.txt,html.html}, four words
// per locale, and one HTML layout for all. Templates contain no logic, so that translators can only
// change words.

/**
 * By name, with "." for "/", because keys of a ConfigMap cannot contain a slash. Both spellings
 * name the same file.
 */
export type TemplateFiles = ReadonlyMap<string, string>;

export const layoutFile = 'layout.html';
const wordFiles = ['unnamed.txt', 'somebody.txt', 'unknown.txt', 'platformKey.txt'] as const;
export const partFiles = { subject: 'subject.txt', text: 'text.txt', html: 'html.html' } as const;

type FilesResult = { files: TemplateFiles; problems: string[] };

/** The files of a directory, and the problems of reading it. */
export function readTemplateFiles(directory: string): FilesResult {
  const files = new Map<string, string>();
  const problems: string[] = [];
  const read = (folder: string, prefix: string): void => {
    // Kubernetes puts its own links, which begin with "..", beside the keys of a ConfigMap.
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const { name } = entry;
      if (name.startsWith('.')) continue;
      const at = path.join(folder, name);
      try {
        // The keys of a ConfigMap are links.
        if ((entry.isSymbolicLink() ? statSync(at) : entry).isDirectory())
          read(at, `${prefix}${name}.`);
        else
          files.set(
            `${prefix}${name}`,
            new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(at)),
          );
      } catch (error) {
        problems.push(
          `${prefix}${name} ${error instanceof TypeError ? 'is not UTF-8' : 'cannot be read'}`,
        );
      }
    }
  };
  try {
    read(directory, '');
  } catch {
    problems.push('it cannot be read');
  }
  return { files, problems };
}

/**
 * The problems of an operator's files, which override built-in files or add a locale; one sentence
 * each.
 */
export function problemsOf(files: TemplateFiles, shipped: TemplateFiles): string[] {
  const problems = [...files].flatMap(([name, text]) => problemsOfFile(name, text));
  const added = [...localesOf(files)].filter((locale) => !localesOf(shipped).has(locale));
  for (const locale of added) {
    const twin = [...localesOf(shipped)].find(
      (candidate) => candidate.toLowerCase() === locale.toLowerCase(),
    );
    if (twin) problems.push(`${locale} is spelt ${twin}`);
    else if (!isLocale(locale)) problems.push(`${locale} is not a locale such as nl or zh-TW`);
    for (const mail of templateNames) problems.push(...missingParts(files, `${locale}.${mail}`));
  }
  return problems;
}

// A mail in two mixed languages is worse than one in English.
function missingParts(files: TemplateFiles, mail: string): string[] {
  const missing = Object.values(partFiles).filter((part) => !files.has(`${mail}.${part}`));
  return missing.length === Object.keys(partFiles).length
    ? []
    : missing.map((part) => `${mail}.${part} is missing`);
}

function problemsOfFile(file: string, text: string): string[] {
  const used = placeholdersIn(text);
  if (file === layoutFile)
    return [...unknown(file, used, layoutPlaceholders), ...lacking(file, used, ['content'])];
  const [locale = '', second = '', ...rest] = file.split('.');
  if (isWord(`${second}.${rest.join('.')}`))
    return [...unknown(file, used, []), ...blank(file, text)];
  const part = Object.entries(partFiles).find(([, name]) => name === rest.join('.'))?.[0];
  if (locale === '' || !isTemplateName(second) || !part) return [`${file} is not a file of a mail`];
  const own: readonly string[] = placeholders[second];
  // Header values come from templates only: every recipient gets the same subject.
  if (part === 'subject')
    return [
      ...unknown(file, used, []),
      ...blank(file, text),
      ...(text.trim().includes('\n') ? [`${file} has more than one line`] : []),
    ];
  const carried = ['link', 'token'].filter((name) => own.includes(name));
  // The link has the token, so that only a text part needs both. A code comes without a link.
  const needed = part === 'text' ? carried : carried.slice(0, 1);
  return [
    ...unknown(file, used, [...own, ...sharedPlaceholders]),
    ...lacking(file, used, needed),
    ...blank(file, text),
  ];
}

const isWord = (name: string): boolean => (wordFiles as readonly string[]).includes(name);
const blank = (file: string, text: string): string[] =>
  text.trim() === '' ? [`${file} is empty`] : [];

const unknown = (file: string, used: readonly string[], allowed: readonly string[]): string[] =>
  used
    .filter((name) => !allowed.includes(name))
    .map((name) => `${file} uses {{${name}}}, which is not available in it`);

const lacking = (file: string, used: readonly string[], needed: readonly string[]): string[] =>
  needed.filter((name) => !used.includes(name)).map((name) => `${file} lacks {{${name}}}`);

/** The locales of the files, as spelt. */
export const localesOf = (files: TemplateFiles): ReadonlySet<string> =>
  new Set(
    [...files.keys()].filter((file) => file !== layoutFile).map((file) => file.split('.')[0] ?? ''),
  );

function isLocale(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name).length === 1;
  } catch {
    return false;
  }
}
