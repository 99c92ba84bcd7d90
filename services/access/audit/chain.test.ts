import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditDraft } from '@bailiwick/outbox';
import { canonical, chainStart, type Entry, entryOf, type Link, linkOf } from './chain.ts';

const draft = (changes: Partial<AuditDraft> = {}): AuditDraft => ({
  ID: 'aud_01',
  Tenant: 'tnt_01',
  OccurredAt: '2026-01-31T12:00:00.000Z',
  Action: 'group.created',
  Operation: 'Groups_Save',
  Result: 'success',
  Code: '',
  ActorType: 'user',
  ActorID: 'usr_01',
  CredentialID: 'ses_01',
  Targets: [{ Type: 'group', ID: 'grp_01', Name: 'eng' }],
  Permission: 'iam.groups.write',
  GrantID: '',
  IP: '192.0.2.1',
  UserAgent: 'test',
  RequestID: 'req',
  TraceID: '',
  Changes: [],
  ...changes,
});

const chain = (entries: Entry[]): Link[] => {
  let last = chainStart;
  return entries.map((entry) => (last = linkOf(last, entry)));
};

test('a chain counts from 1, and equal entries have different hashes', () => {
  const links = chain([entryOf(draft()), entryOf(draft()), entryOf(draft())]);
  assert.deepEqual(
    links.map(({ seq }) => seq),
    [1, 2, 3],
  );
  assert.equal(new Set(links.map(({ hash }) => hash)).size, 3);
  for (const { hash } of links) assert.match(hash, /^[0-9a-f]{64}$/);
});

test('changing, removing or inserting an entry changes all later hashes', () => {
  const entries = ['one', 'two', 'three', 'four'].map((name) =>
    entryOf(draft({ RequestID: name })),
  );
  const last = chain(entries).at(-1)?.hash;
  const [one, two, three, four] = entries as [Entry, Entry, Entry, Entry];
  for (const forged of [
    [one, { ...two, ActorID: 'usr_02' }, three, four],
    [one, three, four],
    [one, two, two, three, four],
    [one, three, two, four],
  ])
    assert.notEqual(chain(forged).at(-1)?.hash, last);
});

test('every field of an entry is covered by its hash', () => {
  const { hash } = linkOf(chainStart, entryOf(draft()));
  const others: Array<Partial<AuditDraft>> = [
    { ID: 'aud_02' },
    { Tenant: 'tnt_02' },
    { OccurredAt: '2026-01-31T12:00:00.001Z' },
    { Action: 'group.updated' },
    { Operation: 'x' },
    { Result: 'denied' },
    { Code: 'x' },
    { ActorType: 'bot' },
    { ActorID: 'x' },
    { CredentialID: 'x' },
    { Targets: [] },
    { Permission: 'x' },
    { GrantID: 'x' },
    { IP: 'x' },
    { UserAgent: 'x' },
    { RequestID: 'x' },
    { TraceID: 'x' },
    { Changes: [{ Field: 'Name', Old: 'a', New: 'b' }] },
  ];
  for (const other of others)
    assert.notEqual(linkOf(chainStart, entryOf(draft(other))).hash, hash, JSON.stringify(other));
});

test('a hash does not depend on the order of keys, which PostgreSQL does not keep', () => {
  const entry = entryOf(draft({ Changes: [{ Field: 'Name', Old: 'a', New: 'b' }] }));
  const reversed = Object.fromEntries(Object.entries(entry).toReversed()) as Entry;
  reversed.Targets = [{ Name: 'eng', ID: 'grp_01', Type: 'group' }];
  assert.equal(linkOf(chainStart, reversed).hash, linkOf(chainStart, entry).hash);
});

test('an empty new field does not change old hashes', () => {
  assert.equal(canonical({ a: 'x', b: '', c: [], d: undefined }), canonical({ a: 'x' }));
});

test('values of changes become texts without characters that PostgreSQL cannot store', () => {
  const entry = entryOf(
    draft({
      UserAgent: 'a\u0000b\ud800',
      Changes: [
        { Field: 'Metadata', Old: { a: '1' }, New: null },
        { Field: 'Active', Old: true, New: false },
      ],
    }),
  );
  assert.equal(entry.UserAgent, 'ab\ufffd');
  assert.deepEqual(entry.Changes, [
    { Field: 'Metadata', Old: '{"a":"1"}', New: '' },
    { Field: 'Active', Old: 'true', New: 'false' },
  ]);
});
