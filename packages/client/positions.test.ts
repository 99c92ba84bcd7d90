import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from './client.ts';
import { createPositions, positionHeader } from './positions.ts';

test('a change replaces the positions that were known when it began', () => {
  const positions = createPositions();
  assert.equal(positions.header(), undefined);
  positions.begin()('one');
  assert.equal(positions.header(), 'one');
  positions.begin()('two');
  assert.equal(positions.header(), 'two');
});

test('the positions of changes that ran together are sent together, in any order of their answers', () => {
  const positions = createPositions();
  positions.begin()('earlier');
  const first = positions.begin();
  const second = positions.begin();
  second('two');
  first('one');
  assert.equal(positions.header(), 'two,one');
  positions.begin()('three');
  assert.equal(positions.header(), 'three');
});

test('without the position of each change none is sent, until a later change has one', () => {
  const positions = createPositions();
  positions.begin()('one');
  const noteFailure = positions.begin();
  const noteSuccess = positions.begin();
  noteFailure('');
  noteSuccess('two');
  assert.equal(positions.header(), undefined);
  positions.begin()('three');
  assert.equal(positions.header(), 'three');
});

test('none is sent after more changes at once than a request may name', () => {
  const positions = createPositions();
  const changes = Array.from({ length: 17 }, () => positions.begin());
  for (const note of changes.slice(0, 16)) note('one');
  assert.equal(positions.header()?.split(',').length, 16);
  changes[16]?.('two');
  assert.equal(positions.header(), undefined);
  positions.begin()('three');
  assert.equal(positions.header(), 'three');
});

test('a read sends the position of the last change, and none after a change that failed or returned none', async () => {
  const replies = [
    Response.json({}, { headers: { [positionHeader]: 'p1' } }),
    Response.json({ Code: 'permission_denied' }, { status: 403 }),
    Response.json({}, { headers: { [positionHeader]: 'p2' } }),
    Response.json({}),
  ];
  const requests: Array<[operation: string | undefined, positions: string | null]> = [];
  const client = createClient({
    url: 'http://bailiwick.test',
    fetch: async (url, init) => {
      const operation = typeof url === 'string' ? url.split('/').at(-1) : undefined;
      const headers = new Headers(init?.headers);
      requests.push([operation, headers.get(positionHeader)]);
      const reply = operation === 'Groups_Delete' ? replies.shift() : Response.json({});
      return reply ?? assert.fail('one change too many');
    },
  });
  const group = { Tenant: 'tnt_1', Path: 'eng' };
  await client.call('Groups_Get', group);
  while (replies.length > 0) {
    await client.call('Groups_Delete', group).catch(() => {});
    await client.call('Groups_Get', group);
  }
  assert.deepEqual(requests, [
    ['Groups_Get', null],
    ['Groups_Delete', null],
    ['Groups_Get', 'p1'],
    ['Groups_Delete', null],
    ['Groups_Get', null],
    ['Groups_Delete', null],
    ['Groups_Get', 'p2'],
    ['Groups_Delete', null],
    ['Groups_Get', null],
  ]);
});
