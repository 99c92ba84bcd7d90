import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertedProfile } from './asserted.ts';

test('assertedProfile reads a locale in the spellings of providers', () => {
  const localeOf = (locale: string) =>
    assertedProfile({ name: '', givenName: '', familyName: '', picture: '', locale }).locale;
  for (const [input, read] of [
    ['en_US', 'en-US'],
    ['zh_Hant_TW', 'zh-Hant-TW'],
    ['de_CH.UTF-8', 'de-CH'],
    ['sr_RS@latin', 'sr-RS'],
    ['fr-CA, en;q=0.5', 'fr-CA'],
    ['pt-BR', 'pt-BR'],
    ['C', ''],
    ['no language', ''],
    ['', ''],
  ] as const)
    assert.equal(localeOf(input), read, input);
});
