import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainProblem, normaliseDomain } from './names.ts';

test('normaliseDomain reads the address of a site and the name as DNS writes it', () => {
  for (const text of [
    'https://example.com/',
    'http://Example.com',
    'https://example.com./',
    'https://example.com/about?x#y',
    'example.com.',
    ' example.com ',
    'example.com/',
    'EXAMPLE.com',
  ])
    assert.equal(normaliseDomain(text), 'example.com', text);
  assert.equal(normaliseDomain('https://bücher.example/'), 'xn--bcher-kva.example');
});

test('normaliseDomain makes no domain of other texts', () => {
  for (const text of [
    '',
    'https://',
    'https:///',
    'https://ada@example.com/',
    'https://ada:secret@example.com',
    'https://example.com:8443/',
    'ftp://example.com',
    'ada@example.com',
    'example.com..',
    'https://127.0.0.1/',
    'https://[::1]/',
    'javascript:example.com',
  ])
    assert.notEqual(domainProblem(normaliseDomain(text)), undefined, text);
});
