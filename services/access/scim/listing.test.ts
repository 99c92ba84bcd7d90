import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '@bailiwick/errors';
import { findResources, readListQuery, type Source } from './listing.ts';
import { userType } from './protocol/schemas.ts';

type Row = { id: string };

/** A directory of a number of people, whose IDs are in order. */
function sourceOf(count: number): Source<Row> {
  const rows = Array.from({ length: count }, (_, n) => ({ id: `scu_${100_000 + n}` }));
  return {
    type: userType,
    candidates: () => undefined,
    byId: async (id) => rows.filter((row) => row.id === id),
    after: async (id, limit) => {
      const start = rows.findIndex((row) => row.id > id);
      return start < 0 ? [] : rows.slice(start, start + limit);
    },
    page: async (offset, limit) => rows.slice(offset, offset + limit),
    byIds: async (ids) => rows.filter(({ id }) => ids.includes(id)),
    count: async () => count,
    render: async (some) => some.map(({ id }) => ({ id, userName: id })),
    signal: new AbortController().signal,
  };
}

const filtered = readListQuery(userType, (name) =>
  name === 'filter' ? 'userName sw "scu_"' : undefined,
);

test('a list without an index reads 20,000 resources, and refuses one more with tooMany', async () => {
  const { total, resources } = await findResources(sourceOf(20_000), filtered);
  assert.deepEqual([total, resources.length], [20_000, 200]);
  await assert.rejects(
    findResources(sourceOf(20_001), filtered),
    (error) => error instanceof ServiceError && error.reason === 'SCIM_TOO_MANY',
  );
});
