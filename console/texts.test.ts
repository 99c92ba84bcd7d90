import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { placeholdersIn, shippedLocales } from '@bailiwick/texts';
import { readTexts } from './texts-plugin.ts';

const english = readTexts('en').texts;

test('every language has the same texts with the same placeholders', () => {
  for (const locale of shippedLocales) {
    const { texts, files } = readTexts(locale);
    assert.equal(files.length, readTexts('en').files.length, locale);
    assert.deepEqual(Object.keys(texts), Object.keys(english), locale);
    for (const [key, text] of Object.entries(texts)) {
      const wanted = placeholdersIn(english[key] ?? '');
      assert.deepEqual(placeholdersIn(text), wanted, `${locale} ${key}`);
      assert.equal(text, text.trim(), `${locale} ${key}`);
      assert.notEqual(text, '', `${locale} ${key}`);
    }
  }
});

test('every text is used, and no key is in two areas', () => {
  const code = globSync('src/**/*.{ts,tsx}', { cwd: import.meta.dirname })
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('\n');
  // test/reason-texts.test.ts compares those of reasons with the list.
  const unused = Object.keys(english).filter(
    (key) => !key.startsWith('reason.') && !code.includes(`'${key}'`),
  );
  assert.deepEqual(unused, []);
  const keys = readTexts('en').files.flatMap((file) =>
    Object.keys(JSON.parse(readFileSync(file, 'utf8')) as object),
  );
  assert.equal(new Set(keys).size, keys.length);
});
