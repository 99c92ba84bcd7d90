import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createPager, type PageQuery } from './page.ts';

const ring = [{ id: 'k1', key: randomBytes(32) }];
const pager = createPager(ring);
const binding = ['Groups_List', 'tnt_1'];
const rows = Array.from({ length: 11 }, (_, index) => `id${index}`);
const cursorAfter10 = () =>
  pager.cut(rows, { limit: 11, after: '' }, binding, (row) => row).nextCursor;

test('a page ends at its limit, and its cursor continues after the last row', () => {
  const { items, nextCursor } = pager.cut(rows, { limit: 11, after: '' }, binding, (row) => row);
  assert.equal(items.length, 10);
  assert.deepEqual(pager.read({ limit: 0, cursor: nextCursor }, binding), {
    limit: 51,
    after: 'id9',
  });
  assert.equal(
    pager.cut(rows.slice(0, 10), { limit: 11, after: '' }, binding, (row) => row).nextCursor,
    '',
  );
});

test('a page has 50 rows by default and at most 200, and a query reads one more', () => {
  assert.equal(pager.read(undefined, binding).limit, 51);
  assert.equal(pager.read({ limit: 1000, cursor: '' }, binding).limit, 201);
});

test('a cursor of another list, tenant or key ring, a changed one and junk are rejected', () => {
  const cursor = cursorAfter10();
  assert.throws(
    () => pager.read({ limit: 0, cursor }, ['Groups_List', 'tnt_2']),
    /not a cursor of this list/,
  );
  assert.throws(() => pager.read({ limit: 0, cursor }, ['Roles_List', 'tnt_1']));
  assert.throws(() =>
    createPager([{ id: 'k1', key: randomBytes(32) }]).read({ limit: 0, cursor }, binding),
  );
  assert.throws(() => pager.read({ limit: 0, cursor: `${cursor}AA` }, binding));
  assert.throws(() => pager.read({ limit: 0, cursor: 'junk' }, binding));
});

test('a cursor outlives a rotation of the key ring', () => {
  const rotated = createPager([{ id: 'k2', key: randomBytes(32) }, ...ring]);
  assert.equal(rotated.read({ limit: 0, cursor: cursorAfter10() }, binding).after, 'id9');
});

test('a list returns a page of its items, and the cursor that leads to the next one', async () => {
  const stored = ['a', 'b', 'c'].map((id) => ({ id }));
  const find = ({ after, limit }: PageQuery) =>
    Promise.resolve(stored.filter(({ id }) => id > after).slice(0, limit));
  const list = (cursor: string) =>
    pager.list({ limit: 2, cursor }, binding, find, ({ id }) => id.toUpperCase());
  const first = await list('');
  assert.deepEqual(first.page.items, ['A', 'B']);
  assert.deepEqual(await list(first.page.nextCursor), { page: { items: ['C'], nextCursor: '' } });
});
