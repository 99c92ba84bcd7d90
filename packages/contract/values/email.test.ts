import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEmail } from './email.ts';
import { mapWidth } from './width.ts';

const keyOf = (text: string) => findEmail(text)?.key;

test('fullwidth and halfwidth code points map to their decomposition, and all others stay', () => {
  for (const [text, mapped] of [
    ['\uff21\uff24\uff41\uff5a\uff10\uff19', 'ADaz09'],
    ['\uff01\uff0b\uff3f\uff5e', '!+_~'],
    ['\uff76\uff9e', '\u30ab\u3099'],
    ['\uff61\uff9f\uffa0', '\u3002\u309a\u3164'],
    // In one step: U+3131 and U+00AF have compatibility decompositions, which are not applied.
    ['\uffa1\uffbe\uffc2\uffdc\uffe3', '\u3131\u314e\u314f\u3163\u00af'],
    ['\uff5f\uff60\uffe6\uffe8\uffee\u3000', '\u2985\u2986\u20a9\u2502\u25cb '],
    // Unassigned code points in between.
    ['\uffbf\uffc8\uffd0\uffd8\uffdd\uffe7\uffef', '\uffbf\uffc8\uffd0\uffd8\uffdd\uffe7\uffef'],
    ['aÄß½ﬁ①ｗ', 'aÄß½ﬁ①w'],
  ] as const)
    assert.equal(mapWidth(text), mapped);
});

test('the key of an address is mapped in width and case and composed, as in UsernameCaseMapped (RFC 8265)', () => {
  assert.equal(keyOf('\uff21\uff44\uff41@example.com'), 'ada@example.com');
  assert.equal(keyOf('ADA@EXAMPLE.com'), 'ada@example.com');
  assert.equal(
    keyOf('\uff76\uff9e@example.com'),
    '\u30ac@example.com',
    'composed after the mapping',
  );
  assert.equal(keyOf('A\u0308@b\u00fccher.example'), '\u00e4@xn--bcher-kva.example');
  assert.notEqual(keyOf('a.d.a@example.com'), keyOf('ada@example.com'));
  assert.notEqual(keyOf('ada+x@example.com'), keyOf('ada@example.com'));
});

test('an address keeps its spelling, and has its former key from before width mapping', () => {
  const email = findEmail(' \uff21da@example.com ');
  assert.deepEqual(email, {
    address: '\uff21da@example.com',
    key: 'ada@example.com',
    unmappedKey: '\uff41da@example.com',
    domain: 'example.com',
  });
  assert.equal(findEmail('ada@example.com')?.unmappedKey, 'ada@example.com');
});

test('a dot behind the domain is no part of the address', () => {
  for (const dot of ['.', '\u3002', '\uff0e', '\uff61'])
    assert.deepEqual(findEmail(`Ada@Example.com${dot}`), findEmail('Ada@Example.com'));
  assert.equal(findEmail('ada@.'), undefined);
  assert.notEqual(findEmail('ada@example.com..')?.domain, 'example.com');
});
