import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { faceStyle, fontFiles, fontMarkup } from './face.ts';

test('each file of the typeface is in the style at an address that its content decides', () => {
  assert.equal(fontFiles.size, 2);
  for (const [path, content] of fontFiles) {
    assert.match(path, /^\/pages\/fonts\/hanken-grotesk-latin(-ext)?-[\da-f]{10}\.woff2$/);
    assert.equal(content.subarray(0, 4).toString(), 'wOF2', path);
    assert.ok(content.length <= 50_000, `${path} has ${content.length} bytes`);
    assert.ok(faceStyle.includes(`url(${path.slice('/pages/'.length)})`), path);
  }
});

test('a page loads the file of the Latin letters with itself, below any public URL', () => {
  const [, href = ''] = /href="\.\.\/\.\.\/(pages[^"]+)"/.exec(fontMarkup('../../')) ?? [];
  assert.ok(fontFiles.has(`/${href}`), href);
  assert.match(href, /latin-[\da-f]{10}\.woff2$/);
});

test('the ranges of the style are those of the files', () => {
  const script = readFileSync(new URL('fonts/subset.sh', import.meta.url), 'utf8');
  const ranges = Array.from(script.matchAll(/^subset \S+ '([^']+)'$/gm), ([, range]) => range);
  assert.deepEqual(
    Array.from(faceStyle.matchAll(/unicode-range:([^}]+)/g), ([, range]) => range),
    ranges,
  );
  assert.match(ranges.join(), /U\+0152-0153.*U\+20AC/);
});

test('the licence of the typeface is beside it, and reserves no name', () => {
  const license = readFileSync(new URL('fonts/OFL.txt', import.meta.url), 'utf8');
  assert.match(license, /Copyright 2021 The Hanken Grotesk Project Authors/);
  assert.match(license, /SIL OPEN FONT LICENSE Version 1\.1/);
  assert.doesNotMatch(license.split('-----')[0] ?? license, /Reserved Font Name/i);
});
