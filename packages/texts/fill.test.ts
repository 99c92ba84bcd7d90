import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeHtml, fill, isolated, isolatedHtml } from './fill.ts';

test('placeholders in values are not expanded', () => {
  assert.equal(fill('{{a}}', { a: '{{b}} $& $1', b: 'secret' }), '{{b}} $& $1');
});

test('a placeholder without a value throws', () => {
  assert.throws(() => fill('{{constructor}}', {}), /\{\{constructor\}\}/);
});

test('values in HTML are escaped', () => {
  assert.equal(
    fill('{{a}}', { a: `<b a="1">&'` }, escapeHtml),
    '&lt;b a=&quot;1&quot;&gt;&amp;&#39;',
  );
});

test('a name from right to left is isolated in a plain text, and every name is in HTML', () => {
  assert.equal(isolated('חברה (1)'), '\u2068חברה (1)\u2069');
  assert.equal(isolated('شرکت'), '\u2068شرکت\u2069');
  for (const name of ['Acme', 'Ünïcode 株式会社', '']) assert.equal(isolated(name), name);
  assert.equal(isolatedHtml('<חברה>'), '<bdi>&lt;חברה&gt;</bdi>');
});
