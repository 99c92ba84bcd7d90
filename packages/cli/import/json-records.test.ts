import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonRecords } from './json-records.ts';

async function read(text: string, lists: string[], pieceLength: number): Promise<unknown[]> {
  async function* pieces() {
    for (let at = 0; at < text.length; at += pieceLength) yield text.slice(at, at + pieceLength);
  }
  const records: unknown[] = [];
  for await (const record of jsonRecords(pieces(), lists)) records.push(JSON.parse(record.text));
  return records;
}

test('the records of named lists are read, wherever pieces begin and end', async () => {
  const users = [
    { id: 1, name: 'a "quoted" \\ } ] {', groups: ['x', { users: [{ id: 'no' }] }] },
    { id: 2, users: [] },
  ];
  const file = { realm: 'r', clients: [{ id: 'c' }], users, more: { 'users:': 1 } };
  for (const length of [1, 2, 7, 1000]) {
    assert.deepEqual(await read(JSON.stringify(file, null, 1), ['users'], length), users);
    assert.deepEqual(await read(JSON.stringify(users), [''], length), users);
    assert.deepEqual(
      await read(
        JSON.stringify({ orgs: [{ humanUsers: [users[0]] }, { humanUsers: [users[1]] }] }),
        ['humanUsers'],
        length,
      ),
      users,
    );
  }
});

test('a file that ends early is refused', async () => {
  await assert.rejects(read('{"users":[{"id":1},{"id', ['users'], 5), /ends in the middle/);
});

test('a record comes with the line that it begins in', async () => {
  const lines: number[] = [];
  async function* pieces() {
    yield '[\n{"a":\n1},\n {"a": 2}]';
  }
  for await (const { line } of jsonRecords(pieces(), [''])) lines.push(line);
  assert.deepEqual(lines, [2, 4]);
});
