import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { createMarks } from './marks.ts';

/** The statements that mark rows: the ids of each. */
function startMarks({ fails = false } = {}) {
  const statements: string[][] = [];
  let failures = 0;
  const lines: string[] = [];
  const log = createLog('test', (line) => lines.push(line));
  const database = {
    service: 'test',
    write: async (_call: unknown, _statement: unknown, [positions]: [string]) => {
      statements.push((JSON.parse(positions) as Array<{ id: string }>).map(({ id }) => id));
      if (fails) throw new Error('the database is away');
      return [];
    },
  } as unknown as Database;
  const marks = createMarks(database, log, () => failures++);
  return { marks, statements, lines, failures: () => failures };
}

test('a row that comes alone is marked at once, and those that follow share a statement', async () => {
  const { marks, statements } = startMarks();
  marks.add([{ id: 'evt_1', seq: 1 }]);
  await marks.whenWritten();
  marks.add([{ id: 'evt_2', seq: 2 }]);
  marks.add([{ id: 'evt_3', seq: 3 }]);
  assert.deepEqual(marks.pendingIds(), ['evt_2', 'evt_3']);
  await marks.whenWritten();
  assert.deepEqual(statements, [['evt_1'], ['evt_2', 'evt_3']]);
  assert.deepEqual(marks.pendingIds(), []);
});

test('rows that cannot be marked are published again', async () => {
  const { marks, lines, failures } = startMarks({ fails: true });
  marks.add([
    { id: 'evt_1', seq: 1 },
    { id: 'evt_2', seq: 2 },
  ]);
  await marks.whenWritten();
  assert.deepEqual([failures(), lines.length], [1, 1]);
  assert.deepEqual(marks.pendingIds(), []);
});
