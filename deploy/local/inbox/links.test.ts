import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLinks } from './links.ts';

test('findLinks excludes punctuation after a link', () => {
  assert.deepEqual(
    findLinks('See https://a.example/x. Or (https://b.example/y), <https://c.example/z>!', ''),
    ['https://a.example/x', 'https://b.example/y', 'https://c.example/z'],
  );
  assert.deepEqual(findLinks('https://a.example/x_(y)', ''), ['https://a.example/x_(y)']);
  assert.deepEqual(findLinks('https://a.example/v?x=1&y=2#token=bwkv_Ab0', ''), [
    'https://a.example/v?x=1&y=2#token=bwkv_Ab0',
  ]);
});

test('findLinks reads href in every spelling, decodes entities, and skips links that are not http or https', () => {
  const html = `<a href="https://a.example/?x=1&amp;y=2">a</a><A HREF='http://b.example'>b</A><a href=https://c.example/p>c</a>
    <a href="mailto:x@example.com">m</a><a href="javascript:alert(1)">j</a><a href="https://d.example/&#x23;t&#38;">d</a>`;
  assert.deepEqual(findLinks('', html), [
    'https://a.example/?x=1&y=2',
    'http://b.example',
    'https://c.example/p',
    'https://d.example/#t&',
  ]);
});

test('findLinks lists a link once, links of the text first', () => {
  assert.deepEqual(
    findLinks(
      'https://b.example https://b.example',
      '<a href="https://a.example"><a href="https://b.example">',
    ),
    ['https://b.example', 'https://a.example'],
  );
});
