import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsMailbox } from './mailbox.ts';

test('only Google runs mailboxes: its own, and those of the organisation that it names', () => {
  const google = { preset: 'google', attributeMap: {} };
  const runs = (email: string, claims: object = {}, provider: object = {}) =>
    runsMailbox({ ...google, ...provider }, { claims: { email, ...claims } }, email);
  assert.ok(runs('ada@gmail.com') && runs('ada@GMAIL.com') && runs('ada@googlemail.com'));
  assert.ok(runs('ada@acme.example', { hd: 'acme.example' }));
  const others: ReadonlyArray<[string, object?, object?]> = [
    [''],
    ['ada@acme.example'],
    ['ada@acme.example', { hd: 'other.example' }],
    ['ada@acme.example', { hd: ['acme.example'] }],
    ['ada@sub.acme.example', { hd: 'acme.example' }],
    ['ada@gmail.com.example'],
    ['ada@acme.example', { hd: 'acme.example' }, { preset: 'microsoft' }],
    ['ada@gmail.com', {}, { preset: '' }],
    ['ada@acme.example', { hd: 'acme.example' }, { attributeMap: { Email: 'nickname' } }],
  ];
  for (const [email, claims, provider] of others)
    assert.ok(!runs(email, claims, provider), JSON.stringify([email, claims, provider]));
});
