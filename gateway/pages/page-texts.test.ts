import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  failedPrecondition,
  httpStatus,
  isPublicReason,
  isRule,
  paramsOf,
  providerRefused,
  rules,
  ServiceError,
  suspended,
} from '@bailiwick/errors';
import { placeholdersIn, readPageTexts, shippedLocales } from '@bailiwick/texts';
import { callErrors, errorKeys } from './error-keys.ts';
import { keysIn, readPageFile, renderPage, scriptNames, textOfError } from './page-texts.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const english = readPageTexts('en');
const others = shippedLocales.filter((locale) => locale !== 'en');
const htmlNames = readdirSync(path.join(root, 'gateway/pages'))
  .filter((name) => name.endsWith('.html') && name !== 'docs.html')
  .map((name) => name.slice(0, -'.html'.length));
const htmlOf = (name: string) => readPageFile(`${name}.html`).toString();
const scriptOf = (name: string) => readPageFile(`${name}.js`).toString();
const pages = htmlNames.filter((name) => !['head', 'foot', 'second-factor'].includes(name));

/** The source of a script without its comments. */
const codeOf = (name: string) =>
  scriptOf(name)
    .replaceAll(/\/\*\*.*?\*\//gs, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

test('every language has the same texts with the same placeholders', () => {
  for (const locale of others) {
    const texts = readPageTexts(locale);
    assert.deepEqual(Object.keys(texts), Object.keys(english), locale);
    for (const [key, text] of Object.entries(texts)) {
      assert.deepEqual(
        placeholdersIn(text),
        placeholdersIn(english[key] ?? ''),
        `${locale} ${key}`,
      );
      assert.equal(text, text.trim(), `${locale} ${key}`);
      assert.notEqual(text, '', `${locale} ${key}`);
    }
  }
});

test('every text is used, and every used text exists', () => {
  const typescript = globSync('gateway/**/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const used = new Set([
    ...htmlNames.flatMap((name) =>
      [...htmlOf(name).matchAll(/\{\{(\w+\.\w+)\}\}/g)].map(([, key = '']) => key),
    ),
    ...scriptNames.flatMap((name) => keysIn(codeOf(name))),
    ...typescript.flatMap((file) => keysIn(readFileSync(path.join(root, file), 'utf8'))),
    'language.choose',
  ]);
  assert.deepEqual([...used].filter((key) => !Object.hasOwn(english, key)).sort(), []);
  assert.deepEqual(
    Object.keys(english).filter((key) => !used.has(key)),
    [],
  );
});

test('no text is left in English', () => {
  const englishWords = /\b(the|your|with|this|please|and|not|enter)\b/i;
  // Words that two languages share.
  const same = new Set(['records.about']);
  for (const locale of others)
    for (const [key, text] of Object.entries(readPageTexts(locale))) {
      if (!same.has(key)) assert.notEqual(text, english[key], `${locale} ${key}`);
      const words = text.replaceAll(/\{\{\w+\}\}|\S+@\S+/g, '');
      assert.doesNotMatch(words, englishWords, `${locale} ${key}`);
      if (locale === 'ja' && !same.has(key))
        assert.match(words, /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u, key);
    }
});

test('the pages and their scripts have no text outside of the catalogue', () => {
  for (const name of htmlNames) {
    const html = htmlOf(name).replaceAll(/<!.*?>/g, '');
    const texts = html.replaceAll(/<[^>]*>/g, '').replaceAll(/\{\{[\w.]+\}\}|Bailiwick/g, '');
    assert.equal(texts.trim(), '', name);
    for (const [, attribute, value = ''] of html.matchAll(
      /\s(aria-label|title|alt|placeholder|value|data-done)="([^"]*)"/g,
    ))
      assert.match(value, /^\{\{\w+\.\w+\}\}$|^(sign-in|register)$/, `${name} ${attribute}`);
  }
  for (const name of scriptNames) {
    const code = codeOf(name);
    assert.doesNotMatch(
      code,
      /(['"`])[A-ZÀ-Ý“¿][a-zà-ý][^'"`\n]* [^\n]*?\1|(['"`])[^'"`\n]*\w\.\2/,
      name,
    );
    assert.doesNotMatch(code, /(say|textContent =|title =|ariaLabel =)[ (]['"`]\w/, name);
  }
});

test('a page is rendered completely in every language', () => {
  // Values that are known when the page is sent.
  const responseValues = [
    'title',
    'message',
    'next',
    'requestId',
    'url',
    'fields',
    'about',
    'choices',
    'heading',
    'appLogo',
    'links',
    'report',
  ];
  const later = [
    'visitor',
    'signInTitle',
    'base',
    'root',
    'brandHead',
    'brandTitle',
    'mark',
    'brand',
    'brandLinks',
    'console',
    'plain',
    ...responseValues,
  ];
  for (const locale of shippedLocales)
    for (const name of pages) {
      const html = renderPage(name, locale);
      const [, block = '{}'] = /<script id="texts"[^>]*>(.*?)<\/script>/s.exec(html) ?? [];
      const visible = html.replace(block, '');
      assert.match(html, new RegExp(`<html lang="${locale}"[ >{]`), `${locale} ${name}`);
      assert.deepEqual(
        placeholdersIn(visible).filter((placeholder) => !later.includes(placeholder)),
        [],
        `${locale} ${name}`,
      );
      assert.doesNotMatch(visible, /\{\{\w+\.\w+\}\}/, `${locale} ${name}`);
      assert.doesNotThrow(() => JSON.parse(block), `${locale} ${name}`);
    }
});

/** The params of a cause in the table of errors; undefined if no error has it. */
function paramsOfCause(cause: string): readonly string[] | undefined {
  const [name = '', detail] = cause.split(' ');
  if (isPublicReason(name)) {
    const params = paramsOf[name] ?? [];
    return detail === undefined || params.length > 0 ? params : undefined;
  }
  if (detail === undefined) return Object.hasOwn(httpStatus, name) ? [] : undefined;
  return isRule(detail) ? (rules[detail].match(/(?<=`)[A-Z]\w+(?=`)/g) ?? []) : undefined;
}

test('every text for an error belongs to a reason, a code or a rule, and has only its params', () => {
  assert.equal(paramsOfCause('NO_SUCH_REASON'), undefined);
  for (const [kind, keys] of Object.entries(errorKeys))
    for (const [cause, key] of Object.entries(keys)) {
      const params = paramsOfCause(cause);
      assert.ok(params, `${kind} ${cause}`);
      const unknown = placeholdersIn(english[key] ?? '').filter((name) => !params.includes(name));
      assert.deepEqual(
        unknown.filter((name) => name !== 'when'),
        [],
        `${kind} ${cause}`,
      );
    }
});

test('every reason to refuse a sign-in has a text, in English the one of the service', () => {
  const source = readFileSync(path.join(root, 'services/sso/refusal.ts'), 'utf8');
  const [, organisation = '', social = ''] = source.split(/const (?:refusals|socialRefusals)\b/);
  for (const [kind, list, fewest] of [
    ['organisation', organisation, 17],
    ['social', social, 9],
  ] as const) {
    const texts = [...list.matchAll(/^ {2}([A-Z_]+):\s+'(.*)',$/gm)];
    assert.ok(texts.length >= fewest, `${texts.length} ${kind}`);
    for (const [, reason = '', text = ''] of texts) {
      assert.ok(isPublicReason(reason));
      const error = new ServiceError('permission_denied', reason, 'unused');
      assert.equal(textOfError(error, 'en', kind), text);
      assert.notEqual(textOfError(error, 'ja', kind), text);
    }
  }
});

test('an error is translated by its reason and params, and others are shown as they are', () => {
  const inGerman = (error: ServiceError) => textOfError(error, 'de', 'call');
  assert.equal(inGerman(suspended('{{when}} $&')), '{{when}} $& ist gesperrt.');
  assert.equal(
    inGerman(new ServiceError('resource_exhausted', '', 'some text', 5)),
    'Zu viele Anfragen: Versuchen Sie es später noch einmal.',
  );
  assert.equal(inGerman(providerRefused()), readPageTexts('de')['message.providerRefused']);
  assert.equal(inGerman(failedPrecondition('something unknown')), 'Something unknown.');
  const closed = new ServiceError('permission_denied', 'NO_MEMBER', 'x', 0, {
    Status: 'suspended',
  });
  assert.equal(textOfError(closed, 'en', 'organisation'), english['refusal.suspended']);
});

test('a page has the texts of the errors of its calls, and the ones of problems by field and rule', () => {
  for (const locale of shippedLocales) {
    const [, block = '{}'] =
      /<script id="texts"[^>]*>(.*?)<\/script>/s.exec(renderPage('login', locale)) ?? [];
    const { errors } = JSON.parse(block) as { errors: Record<string, string> };
    assert.deepEqual(Object.keys(errors), Object.keys(callErrors));
    assert.equal(errors['Password min_len'], readPageTexts(locale)['message.passwordShort']);
  }
});
