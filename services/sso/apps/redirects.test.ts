import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redirectProblem } from './redirects.ts';

const accepted = {
  web: [
    'https://app.example.com',
    'https://app.example.com/callback?tenant=acme',
    'https://app.example.com:8443/a%2Fb',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:3000/callback',
  ],
  native: [
    'com.example.app:/callback',
    'com.example.app://callback',
    'http://127.0.0.1/callback',
    'https://app.example.com/callback',
  ],
} as const;
for (const [kind, texts] of Object.entries(accepted))
  for (const text of texts)
    test(`a ${kind} app may have the redirect URI ${text}`, () =>
      assert.equal(redirectProblem(text, kind as 'web'), undefined));

const plain = /^must begin with https:\/\/, or with http:\/\/ on the same machine$/;
const scheme = /a scheme such as com\.example\.app:\/$/;
const normal = /^must be in its normal form, /;
const user = /^must not contain a user name or password$/;
const refused: ReadonlyArray<readonly ['web' | 'spa' | 'native', string, RegExp]> = [
  ['web', 'app.example.com/callback', /^must be a URL$/],
  ['web', '/callback', /^must be a URL$/],
  ['web', 'http://app.example.com/callback', plain],
  ['web', 'http://localhost.example.com/callback', plain],
  ['web', 'http://127.0.0.2/callback', plain],
  ['spa', 'com.example.app:/callback', plain],
  ['spa', 'javascript:alert(1)', plain],
  ['spa', 'data:text/html,hello', plain],
  ['native', 'javascript:alert(1)', scheme],
  ['native', 'myapp:/callback', scheme],
  ['native', 'com.example.app:callback', scheme],
  ['native', '.app:/callback', /^must be a URL$/],
  ['native', 'http://app.example.com/callback', scheme],
  ['web', 'https://ada@app.example.com/callback', user],
  ['web', 'https://app.example.com:secret@evil.example/', user],
  ['native', 'com.example.app://ada@callback', user],
  ['web', 'https://@app.example.com/callback', normal],
  ['web', 'https://APP.example.com/callback', normal],
  ['web', 'https://app.example.com:443/callback', normal],
  ['web', 'https://app.example.com/a/../callback', normal],
  ['web', 'https://app.example.com/a/%2e%2e/callback', normal],
  ['web', 'https:app.example.com/callback', normal],
  ['web', 'https:///app.example.com/callback', normal],
  ['web', 'http://127.1/callback', normal],
  ['web', 'http://2130706433/callback', normal],
];
for (const [kind, text, problem] of refused)
  test(`a ${kind} app may not have the redirect URI ${text}`, () =>
    assert.match(redirectProblem(text, kind) ?? '', problem));
