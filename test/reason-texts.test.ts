import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { paramsOf, reasons } from '@bailiwick/errors';
import { placeholdersIn, shippedLocales } from '@bailiwick/texts';
import { root } from './support/parsing.ts';

// The console and the portal show the service's answers in the user's language, by the reason.

const textsIn = (locale: string) =>
  JSON.parse(
    readFileSync(path.join(root, 'packages/texts/locales', locale, 'console/reasons.json'), 'utf8'),
  ) as Record<string, string>;

test('every reason of an ErrorResponse has a text in every language, with params of its own', () => {
  const names = Object.keys(reasons) as Array<keyof typeof reasons>;
  for (const locale of shippedLocales) {
    const texts = textsIn(locale);
    assert.deepEqual(
      Object.keys(texts),
      names.map((name) => `reason.${name}`),
      locale,
    );
    for (const name of names) {
      const known: readonly string[] = paramsOf[name] ?? [];
      for (const placeholder of placeholdersIn(texts[`reason.${name}`] ?? ''))
        assert.ok(known.includes(placeholder), `${locale} ${name}: ${placeholder}`);
    }
  }
});

test('no text of a reason is left in English', () => {
  const english = textsIn('en');
  for (const locale of shippedLocales.filter((name) => name !== 'en')) {
    const same = Object.entries(textsIn(locale)).filter(([key, text]) => english[key] === text);
    assert.deepEqual(same, [], locale);
  }
});
