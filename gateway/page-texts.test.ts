import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { placeholdersIn, readPageTexts, shippedLocales } from '@bailiwick/texts';
import { apiMessages } from './api-messages.ts';
import { keysIn, readPageFile, renderPage, scriptNames, translateMessage } from './page-texts.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
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
  const typescript = globSync('gateway/*.ts', { cwd: root, exclude: ['**/*.test.ts'] });
  const used = new Set([
    ...htmlNames.flatMap((name) =>
      [...htmlOf(name).matchAll(/\{\{(\w+\.\w+)\}\}/g)].map(([, key = '']) => key),
    ),
    ...scriptNames.flatMap((name) => keysIn(codeOf(name))),
    ...typescript.flatMap((file) => keysIn(readFileSync(path.join(root, file), 'utf8'))),
    ...Object.values(apiMessages),
    'language.choose',
    ...Object.keys(english).filter((key) => key.startsWith('refusal.')),
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
  // The API's messages, which the scripts compare.
  const compared = ["'Code is wrong'"];
  for (const name of scriptNames) {
    const code = compared.reduce((all, text) => all.replaceAll(text, ''), codeOf(name));
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
  const sent = [
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
  ];
  const later = ['base', 'root', 'brandHead', 'brand', 'brandLinks', 'console', 'plain', ...sent];
  for (const locale of shippedLocales)
    for (const name of pages) {
      const html = renderPage(name, locale);
      const [, block = '{}'] = /<script id="texts"[^>]*>(.*?)<\/script>/s.exec(html) ?? [];
      const visible = html.replace(block, '');
      assert.ok(html.includes(`<html lang="${locale}">`), `${locale} ${name}`);
      assert.deepEqual(
        placeholdersIn(visible).filter((placeholder) => !later.includes(placeholder)),
        [],
        `${locale} ${name}`,
      );
      assert.doesNotMatch(visible, /\{\{\w+\.\w+\}\}/, `${locale} ${name}`);
      assert.doesNotThrow(() => JSON.parse(block), `${locale} ${name}`);
    }
});

test('every message of the API with a text occurs in the product', () => {
  const sources = globSync(['services/**/*.ts', 'packages/**/*.ts', 'proto/*.ts'], {
    cwd: root,
    exclude: ['**/node_modules/**', '**/*.test.ts'],
  })
    .map((file) => readFileSync(path.join(root, file), 'utf8'))
    .join('\n');
  // Those of the validation consist of a field and a rule.
  const validated = /^(Password must be at most \{\{count\}\} characters|Password is required)$/;
  const refusals = Object.entries(english).flatMap(([key, text]) =>
    key.startsWith('refusal.') ? [text] : [],
  );
  for (const message of [...Object.keys(apiMessages), ...refusals]) {
    if (validated.test(message)) continue;
    const parts = message
      .replace(/^(Email|Password|too many failed sign-ins,) /, '')
      .split(/\{\{\w+\}\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    assert.match(sources, new RegExp(parts.join('.{1,60}')), message);
  }
});

test('every reason to refuse a sign-in has a text', () => {
  const source = readFileSync(path.join(root, 'services/sso/refusal.ts'), 'utf8');
  const reasons = [...source.matchAll(/'([A-Z][^'\n]+ [^'\n]+\.)'/g)].map(([, text = '']) => text);
  assert.ok(reasons.length >= 24);
  for (const reason of reasons) {
    assert.equal(translateMessage(reason, 'en'), reason);
    assert.notEqual(translateMessage(reason, 'ja'), reason);
  }
});

test('a message of the API is translated with its values, and others are shown as they are', () => {
  const translated = (message: string) => translateMessage(message, 'de');
  assert.equal(
    translated('Password must be at least 15 characters'),
    'Das Passwort braucht mindestens 15 Zeichen.',
  );
  assert.equal(translated('tenant {{when}} $& is suspended'), '{{when}} $& ist gesperrt.');
  assert.equal(
    translated('too many requests, try again later'),
    'Zu viele Anfragen: Versuchen Sie es später noch einmal.',
  );
  assert.equal(translated('something unknown'), 'Something unknown.');
});
