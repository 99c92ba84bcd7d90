import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byDay } from './days.ts';
import { readSearch, toFilter } from './search.ts';
import { parseViews } from './stored-views.ts';

test('an address keeps the filters that it knows, and drops the others', () => {
  const filters = {
    action: 'group.',
    result: 'denied',
    from: '2026-11-01T00:00:00.000Z',
    cursor: 'c',
  };
  assert.deepEqual(readSearch({ ...filters, order: 'oldest' }), { ...filters, order: 'oldest' });
  assert.deepEqual(
    readSearch({ action: 7, ip: '', to: 'yesterday', order: 'odd', panel: 'x', other: 'y' }),
    {},
  );
});

test('the filter of a call has only the given fields', () => {
  assert.deepEqual(toFilter({}), {});
  assert.deepEqual(toFilter({ action: 'group.', actor: 'usr_1', target: 'grp_1' }), {
    ActionPrefix: 'group.',
    ActorIDs: ['usr_1'],
    TargetIDs: ['grp_1'],
  });
});

test('entries stand below their days, in their order', () => {
  const entry = (ID: string, OccurredAt: string) => ({ ID, OccurredAt }) as never;
  const days = byDay(
    [
      entry('c', '2026-11-02T01:00:00Z'),
      entry('b', '2026-11-01T23:00:00Z'),
      entry('a', '2026-11-01T02:00:00Z'),
    ],
    (at) => at.slice(0, 10),
  );
  assert.deepEqual(
    days.map(({ day, entries }) => [day, entries.map(({ ID }) => ID)]),
    [
      ['2026-11-02', ['c']],
      ['2026-11-01', ['b', 'a']],
    ],
  );
});

test('a stored view of another console or hand is read as far as it is one', () => {
  assert.deepEqual(parseViews('no JSON'), []);
  assert.deepEqual(parseViews('{"name":"x"}'), []);
  assert.deepEqual(
    parseViews(
      '[null,{"name":1,"filters":{}},{"name":"x","filters":{"action":"a","x":"y","from":"never"}}]',
    ),
    [{ name: 'x', filters: { action: 'a' } }],
  );
});
