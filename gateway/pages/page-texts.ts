import { Buffer } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { oneLine } from '@bailiwick/contract';
import type { ServiceError } from '@bailiwick/errors';
import {
  escapeHtml,
  fallbackLocale,
  fill,
  isolated,
  isolatedHtml,
  readPageTexts,
  shippedLocales,
} from '@bailiwick/texts';
import { callErrors, type ErrorKind, keyOf } from './error-keys.ts';
import { fontMarkup } from './face.ts';
import type { PageTexts } from './page-data.ts';

// Fills the catalogue's texts into the pages, once for each language. {{area.name}} is a text,
// {{name}} a part of the page, or a value that is known later.

const folder = new URL('.', import.meta.url);
export const readPageFile = (name: string): Buffer => readFileSync(new URL(name, folder));

export const scriptNames = readdirSync(folder)
  .filter((name) => name.endsWith('.js') && !name.startsWith('docs'))
  .map((name) => name.slice(0, -'.js'.length));
const scripts = new Map(scriptNames.map((name) => [name, readPageFile(`${name}.js`).toString()]));

const catalogue = new Map(shippedLocales.map((locale) => [locale, readPageTexts(locale)]));
const english = Object.entries(catalogue.get(fallbackLocale) ?? {});

/** The text for a key. @throws for a key that the catalogue does not have. */
export function textOf(locale: string, key: string): string {
  const text = catalogue.get(locale)?.[key];
  if (text === undefined) throw new Error(`there is no text ${key} in ${locale}`);
  return text;
}

/** A name that a tenant, a user or the maker of an app chose, as markup. */
export const nameMarkup = (name: string): string => isolatedHtml(oneLine(name));

/** The text for a key with names in it, as markup. */
export const markupWithNames = (
  locale: string,
  key: string,
  names: Readonly<Record<string, string>>,
): string => fill(escapeHtml(textOf(locale, key)), names, nameMarkup);

/** The text for a key with names in it, for the title of a page, which has no markup. */
export const titleWithNames = (
  locale: string,
  key: string,
  names: Readonly<Record<string, string>>,
): string => escapeHtml(fill(textOf(locale, key), names, (name) => isolated(oneLine(name))));

/** Markup inside texts. A text has the placeholder, since languages put it in different places. */
const elements = {
  address: '<strong data-address></strong>',
  length: '<span data-length>8</span>',
  left: '<strong id="left"></strong>',
  key: '<code id="key"></code>',
  requestId: '<code>{{requestId}}</code>',
  openapi: '<a href="{{base}}/openapi.json">openapi.json</a>',
};

/** Elements that several pages share, by their placeholder. */
const parts = Object.fromEntries(
  Object.entries({ head: 'head', foot: 'foot', secondFactor: 'second-factor' }).map(
    ([name, file]) => [name, readPageFile(`${file}.html`).toString().trim()],
  ),
);

/** The way from a page to the public URL: {{root}} on pages that are sent at several paths. */
const roots: Readonly<Record<string, string>> = {
  home: '{{base}}/',
  missing: '{{root}}',
  error: '{{root}}',
  choice: '{{root}}',
  post: '{{root}}',
};

/**
 * A page with its texts in one language. Values that are known later, such as {{message}}, are still
 * placeholders.
 */
export function renderPage(name: string, locale: string): string {
  const root = roots[name] ?? '';
  const markup = {
    lang: locale,
    root,
    font: fontMarkup(root),
    scripts: scriptTags(name, root),
    languages: languagesIn(locale),
  };
  const page = fillKnown(fillKnown(readPageFile(`${name}.html`).toString(), parts), markup);
  const texts = page.replace(/\{\{(\w+\.\w+)\}\}/g, (_all, key: string) =>
    fillKnown(escapeHtml(textOf(locale, key)), elements),
  );
  return texts.replace('{{texts}}', () => textsFor(name, locale));
}

/** Replaces the placeholders that have a value, and leaves the others. */
export const fillKnown = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all);

/** The names of a page's scripts, each after the ones that import it. */
function scriptsOf(page: string): readonly string[] {
  const names = scriptsOfPages.get(page) ?? findScripts(scriptFor[page] ?? page);
  scriptsOfPages.set(page, names);
  return names;
}
const scriptsOfPages = new Map<string, readonly string[]>();

function findScripts(page: string): string[] {
  const names = new Set<string>();
  const collect = (source: string, pattern: RegExp): void => {
    for (const [, name = ''] of source.matchAll(pattern)) {
      const script = scripts.get(name);
      if (script === undefined || names.has(name)) continue;
      names.add(name);
      collect(script, /'\.\/([\w-]+)\.js'/g);
    }
  };
  collect(`{{${page}}}`, /\{\{([\w-]+)\}\}/g);
  return [...names];
}

/** The page's script, and its imports at once: a browser would find them one after the other. */
const scriptTags = (page: string, root: string): string =>
  scriptsOf(page)
    .map((name, index) =>
      index === 0
        ? `<script src="${root}pages/${name}.js" type="module"></script>`
        : `<link rel="modulepreload" href="${root}pages/${name}.js" />`,
    )
    .join('\n    ');

/** Pages that share the script of another name. */
const scriptFor: Readonly<Record<string, string>> = { verify: 'page', reset: 'page' };

/**
 * The texts that a page's scripts use, as an inert block: the policy allows no inline script. No
 * text can end the block.
 */
function textsFor(page: string, locale: string): string {
  const used = scriptsOf(page).flatMap((name) => keysIn(scripts.get(name) ?? ''));
  const texts = Object.fromEntries([...new Set(used)].map((key) => [key, textOf(locale, key)]));
  const errors = Object.fromEntries(
    Object.entries(callErrors).map(([cause, key]) => [cause, textOf(locale, key)]),
  );
  const block: PageTexts = { texts, errors };
  const json = JSON.stringify(block).replaceAll('<', '\\u003c');
  return `<script id="texts" type="application/json">${json}</script>`;
}

const areas = new Set(english.map(([key]) => key.split('.')[0]));

/** The keys of texts that a script names: literals that begin with an area of the catalogue. */
export const keysIn = (script: string): string[] =>
  [...script.matchAll(/'([a-z][a-zA-Z]+)(\.[a-zA-Z]+)'/g)].flatMap(([, area = '', rest = '']) =>
    areas.has(area) && rest !== '.js' ? [`${area}${rest}`] : [],
  );

/** An error for a person, in their language where the catalogue has a text for it. */
export function textOfError(error: ServiceError, locale: string, kind: ErrorKind): string {
  const key = keyOf(error, kind);
  if (key === undefined) return sentence(error.message);
  const values = { when: textOf(locale, 'common.later'), ...error.params };
  return fill(textOf(locale, key), values, (parameter) => isolated(oneLine(parameter)));
}

const sentence = (message: string) =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;

/** The links to the other languages. A script keeps the rest of the address. */
function languagesIn(locale: string): string {
  const links = shippedLocales.map((other) => {
    const name = escapeHtml(textOf(other, 'language.name'));
    const current = other === locale ? ' aria-current="true"' : '';
    return `<a href="?ui_locale=${other}" lang="${other}" hreflang="${other}"${current}>${name}</a>`;
  });
  return `<nav id="languages" aria-label="{{language.choose}}">${links.join(' ')}</nav>`;
}
