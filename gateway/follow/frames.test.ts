import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId } from '@bailiwick/contract';
import fc from 'fast-check';
import { BadFrame, readFrame } from './frames.ts';

const token = {
  Subject: 'usr_1',
  Client: 'app_1',
  Session: 'ses_1',
  Tenant: 'tnt_1',
  Audience: ['https://a.example'],
  KeyID: 'k',
};
const question = {
  kind: 'token',
  subject: 'usr_1',
  client: 'app_1',
  session: 'ses_1',
  credential: '',
  tenant: 'tnt_1',
  audiences: ['https://a.example'],
  keyId: 'k',
};

const tenant = createId('tnt');

const read = (frame: unknown) => readFrame(JSON.stringify(frame));

test('each frame is read by its fields, and unknown fields are ignored', () => {
  assert.deepEqual(read({ Type: 'hello', Credential: 'c', More: 1 }), {
    type: 'hello',
    credential: 'c',
    tenants: undefined,
  });
  assert.deepEqual(read({ Type: 'hello', Credential: 'c', Tenants: [tenant] }), {
    type: 'hello',
    credential: 'c',
    tenants: [tenant],
  });
  assert.deepEqual(read({ Type: 'beat', ID: 1 }), { type: 'beat', id: 1 });
  assert.deepEqual(read({ Type: 'ask', ID: 2, Token: token }), { type: 'ask', id: 2, question });
  assert.deepEqual(read({ Type: 'ask', ID: 3, Subject: 'usr_1', Tenant: 'tnt_1' }), {
    type: 'ask',
    id: 3,
    question: { kind: 'subject', subject: 'usr_1', tenant: 'tnt_1' },
  });
  assert.deepEqual(read({ Type: 'forget', Handles: [4, 5] }), { type: 'forget', handles: [4, 5] });
  assert.deepEqual(read({ Type: 'dropped', ID: 6 }), { type: 'dropped', id: 6 });
});

test('a frame that is not as the protocol says is a bad frame', () => {
  for (const frame of [
    null,
    1,
    'beat',
    [],
    {},
    { Type: 'welcome' },
    { Type: 'beat' },
    { Type: 'beat', ID: 0 },
    { Type: 'beat', ID: '1' },
    { Type: 'beat', ID: 1.5 },
    { Type: 'beat', ID: 2 ** 60 },
    { Type: 'hello', Credential: 1 },
    { Type: 'hello', Credential: 'c', Tenants: 'tnt_1' },
    { Type: 'hello', Credential: 'c', Tenants: [] },
    { Type: 'hello', Credential: 'c', Tenants: ['tnt_1'] },
    { Type: 'hello', Credential: 'c', Tenants: ['\u0000'] },
    { Type: 'hello', Credential: 'c', Tenants: Array.from({ length: 101 }, () => 'tnt_1') },
    { Type: 'hello', Credential: 'c'.repeat(2049) },
    { Type: 'ask', ID: 0, Subject: 'usr_1', Tenant: 'tnt_1' },
    { Type: 'forget', Handles: [-1] },
    { Type: 'forget', Handles: { 0: 1 } },
    { Type: 'dropped', ID: null },
  ])
    assert.throws(() => read(frame), BadFrame, JSON.stringify(frame));
  for (const text of ['', '{', '[]', 'null', '{"Type":"beat","ID":1}{}', '\u0000'])
    assert.throws(() => readFrame(text), BadFrame, text);
});

test('a question that is wrong has an ID, and so an answer: it may come from a request', () => {
  for (const fields of [
    {},
    { Subject: 'usr_1' },
    { Subject: 'u'.repeat(3000), Tenant: 'tnt_1' },
    { Token: [] },
    { Token: { ...token, KeyID: '' } },
    { Token: { ...token, Audience: [{}] } },
    { Token: { ...token, Audience: Array.from({ length: 21 }, () => 'a') } },
    { Token: { ...token, Session: {} } },
  ]) {
    const frame = read({ Type: 'ask', ID: 7, ...fields });
    assert.ok(frame.type === 'ask' && frame.id === 7 && 'problem' in frame.question);
  }
});

test('no text makes it fail in another way, or names another type', () => {
  const types = fc.constantFrom('hello', 'beat', 'ask', 'forget', 'dropped', '__proto__');
  const names = fc.constantFrom('ID', 'Credential', 'Tenants', 'Token', 'Handles', '__proto__');
  const frames = fc.oneof(
    fc.json(),
    fc.string(),
    fc
      .tuple(types, fc.dictionary(names, fc.jsonValue()))
      .map(([type, fields]) => JSON.stringify({ ...fields, Type: type })),
  );
  fc.assert(
    fc.property(frames, (text) => {
      try {
        const { type } = readFrame(text);
        assert.equal((JSON.parse(text) as { Type: string }).Type, type);
      } catch (thrown) {
        assert.ok(thrown instanceof BadFrame);
      }
    }),
    { numRuns: 2000 },
  );
});
