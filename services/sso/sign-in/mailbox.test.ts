import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsMailbox } from './mailbox.ts';

test('only Google runs mailboxes: its own, and those of the organisation that it names', () => {
  const google = { preset: 'google', attributeMap: {} };
  const own = 'https://accounts.google.com';
  const runs = (email: string, claims: object = {}, provider: object = {}, issuer = own) =>
    runsMailbox({ ...google, ...provider }, { issuer, claims: { email, ...claims } }, email);
  assert.ok(runs('ada@gmail.com') && runs('ada@GMAIL.com') && runs('ada@googlemail.com'));
  assert.ok(runs('ada@acme.example', { hd: 'acme.example' }));
  const others: ReadonlyArray<[string, object?, object?, string?]> = [
    [''],
    ['ada@acme.example'],
    ['ada@acme.example', { hd: 'other.example' }],
    ['ada@acme.example', { hd: ['acme.example'] }],
    ['ada@sub.acme.example', { hd: 'acme.example' }],
    ['ada@gmail.com.example'],
    ['ada@acme.example', { hd: 'acme.example' }, { preset: 'microsoft' }],
    ['ada@gmail.com', {}, { preset: '' }],
    ['ada@acme.example', { hd: 'acme.example' }, { attributeMap: { Email: 'nickname' } }],
    ['ada@gmail.com', {}, {}, 'https://accounts.google.com.example'],
    ['ada@acme.example', { hd: 'acme.example' }, {}, 'https://id.example.com'],
  ];
  for (const other of others) assert.ok(!runs(...other), JSON.stringify(other));
});
