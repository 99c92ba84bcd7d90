import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOtherName, ownOrigins } from './local-names.ts';

const navigation = (host: string, url = '/console?a=1') => ({
  method: 'GET',
  url,
  headers: { host, 'sec-fetch-mode': 'navigate' },
});

test('a local gateway has two origins, and any other one has its own', () => {
  assert.deepEqual(ownOrigins('http://localhost:8080'), [
    'http://localhost:8080',
    'http://127.0.0.1:8080',
  ]);
  assert.deepEqual(ownOrigins('http://127.0.0.1:8080/iam')[1], 'http://localhost:8080');
  assert.deepEqual(ownOrigins('http://localhost')[1], 'http://127.0.0.1');
  assert.deepEqual(ownOrigins('https://localhost:8080'), ['https://localhost:8080']);
  assert.deepEqual(ownOrigins('https://iam.example.com/x'), ['https://iam.example.com']);
});

test('a browser that opens a page at 127.0.0.1 or ::1 is sent to localhost, and no other request is', () => {
  const otherName = createOtherName('http://localhost:8080');
  for (const host of ['127.0.0.1:8080', '[::1]:8080'])
    assert.equal(otherName(navigation(host)), 'http://localhost:8080/console?a=1');
  assert.equal(
    otherName(navigation('127.0.0.1:8080', '//evil.example')),
    'http://localhost:8080//evil.example',
  );
  for (const request of [
    navigation('localhost:8080'),
    navigation('127.0.0.1:9090'),
    navigation('evil.example'),
    navigation('127.0.0.1:8080', 'http://evil.example/'),
    { ...navigation('127.0.0.1:8080'), method: 'POST' },
    { ...navigation('127.0.0.1:8080'), headers: { host: '127.0.0.1:8080' } },
  ])
    assert.equal(otherName(request), undefined);
  for (const url of ['https://iam.example.com', 'http://127.0.0.1:8080', 'https://localhost:8080'])
    assert.equal(createOtherName(url)(navigation('127.0.0.1:8080')), undefined);
});
