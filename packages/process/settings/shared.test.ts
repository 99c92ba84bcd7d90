import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from './config.ts';
import { publicUrlSettings } from './shared.ts';

const publicUrl = (text: string) =>
  readSettings(publicUrlSettings, { BAILIWICK_PUBLIC_URL: text }).publicUrl;

test('the public URL may have a port and a path, but no query, fragment or user', () => {
  assert.equal(publicUrl('https://example.com/'), 'https://example.com');
  assert.equal(publicUrl('http://127.0.0.1:8080/id/'), 'http://127.0.0.1:8080/id');
  for (const wrong of [
    'example.com',
    'ftp://example.com',
    'https://example.com/?a=b',
    'https://example.com/?',
    'https://example.com/#a',
    'https://ada@example.com',
  ]) {
    assert.throws(() => publicUrl(wrong), /BAILIWICK_PUBLIC_URL must/, wrong);
  }
});
