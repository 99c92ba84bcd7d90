import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugFromName, withSuffix } from './slug.ts';

const form = /^[a-z][a-z0-9-]{1,62}$/;

test('a slug is made of the letters and digits of the name', () => {
  assert.equal(slugFromName('Acme'), 'acme');
  assert.equal(slugFromName('  Bäckerei Müller & Co. '), 'backerei-muller-co');
  assert.equal(slugFromName('ＦＵＬＬ width'), 'full-width');
});

test('every name gives a slug of the documented form, with and without a suffix', () => {
  for (const name of [
    '',
    'X',
    '9 lives',
    '株式会社',
    '---',
    '💥',
    'a'.repeat(128),
    `${'ab '.repeat(42)}x`,
    '٣',
  ]) {
    const slug = slugFromName(name);
    assert.match(slug, form, name);
    assert.match(withSuffix(slug), form, name);
    assert.ok(!slug.endsWith('-'), name);
  }
});
