import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeHtml, fill } from './mod.ts';

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
