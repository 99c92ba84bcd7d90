import assert from 'node:assert/strict';
import process from 'node:process';
import { test } from 'node:test';
import { acceptedLocales, chooseLocale, localesLike } from './languages.ts';

const locales = ['de', 'en', 'es', 'fr', 'ja', 'pt-BR'];

for (const [tag, chosen] of [
  ['de-CH', 'de'],
  ['DE_at', 'de'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-BR'],
  ['PT-br', 'pt-BR'],
  ['ja-JP-u-ca-japanese', 'ja'],
  ['en-GB', 'en'],
  ['nl', 'en'],
  ['d', 'en'],
  ['', 'en'],
  ['__proto__', 'en'],
] as const)
  test(`the language for ${JSON.stringify(tag)} is ${chosen}`, () => {
    assert.equal(chooseLocale(locales, [tag]), chosen);
  });

test('localesLike returns the closest language first, and an empty list for an unknown language', () => {
  assert.deepEqual(localesLike(['pt', 'pt-PT', 'pt-BR'], 'pt-BR'), ['pt-BR', 'pt', 'pt-PT']);
  assert.deepEqual(localesLike(locales, 'nl'), []);
});

for (const [header, chosen] of [
  ['fr;q=0.4, ja;q=0.9, de;q=0.5', 'ja'],
  ['nl, da;q=0.9, es-MX;q=0.1', 'es'],
  ['de;q=0, fr', 'fr'],
  ['en-GB, de', 'en'],
  ['*', 'en'],
  ['*, de;q=0.5', 'de'],
  ['nonsense;;;q=x', 'en'],
  [undefined, 'en'],
] as const)
  test(`Accept-Language ${header} chooses ${chosen}`, () => {
    const headers = header === undefined ? {} : { 'accept-language': header };
    assert.equal(chooseLocale(locales, acceptedLocales(headers)), chosen);
  });

test('a long Accept-Language is read quickly', () => {
  for (const part of ['a-', 'a,']) {
    const headers = { 'accept-language': part.repeat(8000) };
    // The time of the processor: other work on the machine does not count.
    const from = process.cpuUsage();
    for (let times = 0; times < 10; times++) chooseLocale(locales, acceptedLocales(headers));
    assert.ok(process.cpuUsage(from).user < 1_000_000, part);
  }
});
