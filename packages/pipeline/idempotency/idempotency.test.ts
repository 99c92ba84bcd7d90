import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isIdempotencyKey, type Mark, type Operation, serviceCaller } from '@bailiwick/contract';
import { type KeyRing, parseKeyRing } from '@bailiwick/keys';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { createIdempotency } from './idempotency.ts';

// test/operations/idempotency.test.ts tests the statements. Here a map is the table.

type Row = {
  attempt: string;
  request: string;
  changed: boolean;
  failed: boolean;
  answer: string | null;
  /** The lease has ended. */
  isAbandoned?: boolean;
};
type Run = (row: Row | undefined, values: string[]) => Row | undefined | false;

/** The effect of a statement on the row of its call; false = it finds no row. */
const runs: Record<string, Run> = {
  insert: (row, [, attempt = '', request = '']) =>
    !row && { attempt, request, changed: false, failed: false, answer: null },
  find: (row) => row ?? false,
  take_over: (row, [, attempt = '', request = '']) =>
    row?.isAbandoned === true &&
    !row.changed && { attempt, request, changed: false, failed: false, answer: null },
  store: (row, [, attempt, answer = '']) => isOf(row, attempt) && { ...row, answer },
  release: (row, [, attempt]) => (isOf(row, attempt) && !row.changed ? undefined : (row ?? false)),
  mark_failed: (row, [, attempt]) => isOf(row, attempt) && { ...row, failed: true },
};

const isOf = (row: Row | undefined, attempt: string | undefined): row is Row =>
  row?.attempt === attempt;

function createTable() {
  const rows = new Map<string, Row>();
  const broken = new Set<string>();
  const query = async ({ name }: { name: string }, values: string[]) => {
    const statement = name.replace('shared.idempotent_call_', '');
    if (broken.has(statement)) throw new Error('no connection');
    const [id = ''] = values;
    const row = runs[statement]?.(rows.get(id), values);
    if (row === false) return [];
    if (row) rows.set(id, row);
    else rows.delete(id);
    const running = row?.answer === null && !row.failed && !row.isAbandoned;
    return row ? [{ ...row, running }] : [];
  };
  const only = () => [...rows.values()][0] ?? assert.fail('no call is stored');
  return { database: { service: 'orders', query } as unknown as Database, rows, broken, only };
}

const text = (content: string) => create(StringValueSchema, { value: content });
const operation = {
  name: 'Orders_Save',
  method: { input: StringValueSchema, output: StringValueSchema },
} as unknown as Operation;
const newRing = () => parseKeyRing(`a:${randomBytes(32).toString('base64')}`);

/** A client's calls with one key, on a table. `work` counts the calls that were carried out. */
function createClient(table = createTable(), keyRing: KeyRing = newRing()) {
  const lines: string[] = [];
  const once = createIdempotency({
    database: table.database,
    keyRing,
    log: createLog('test', (line) => lines.push(line)),
  });
  const orders = { count: 0 };
  const work = async (_mark: Mark) => text(`order ${(orders.count += 1)}`);
  const send = async ({
    body = 'tea',
    by = 'ada',
    run = work,
    checkReplay = async () => {},
  } = {}) => {
    const caller = serviceCaller(by);
    const call = { operation, caller, request: text(body), key: 'key-1', checkReplay };
    const { response, replayed } = await once(call, run);
    return [(response as unknown as { value: string }).value, replayed];
  };
  return { table, send, orders, lines };
}

test('a repeated call gets the first response and is not carried out again', async () => {
  const { send, orders } = createClient();
  assert.deepEqual(await send(), ['order 1', false]);
  assert.deepEqual(await send(), ['order 1', true]);
  assert.equal(orders.count, 1);
});

test('another caller with the same key makes a call of its own', async () => {
  const { send, table } = createClient();
  assert.deepEqual(await send(), ['order 1', false]);
  assert.deepEqual(await send({ by: 'bob' }), ['order 2', false]);
  assert.equal(table.rows.size, 2);
});

test('a key with another request is refused', async () => {
  const { send, orders } = createClient();
  await send();
  await assert.rejects(send({ body: 'coffee' }), {
    code: 'invalid_argument',
    reason: 'IDEMPOTENCY_KEY_REUSED',
  });
  assert.equal(orders.count, 1);
});

test('a stored response is replayed only to a caller who may see it', async () => {
  const { send } = createClient();
  await send();
  const denied = new Error('permission denied');
  await assert.rejects(send({ checkReplay: () => Promise.reject(denied) }), denied);
});

test('a call that is in progress is refused, and runs again once its lease has ended', async () => {
  const { send, table } = createClient();
  const first = Promise.withResolvers<ReturnType<typeof text>>();
  const slow = send({ run: () => first.promise });
  await assert.rejects(send(), { code: 'resource_exhausted', retryAfter: 1 });
  table.only().isAbandoned = true;
  assert.deepEqual(await send(), ['order 1', false]);
  first.resolve(text('late'));
  await slow;
  assert.deepEqual(await send(), ['order 1', true], 'the late response replaces no other');
});

test('a call that changed something and lost its response is not carried out again', async () => {
  const { send, table, orders } = createClient();
  const fail = async () => {
    table.only().changed = true;
    throw new Error('failed after the commit');
  };
  await assert.rejects(send({ run: fail }), /failed after the commit/);
  await assert.rejects(send(), { code: 'failed_precondition', reason: 'IDEMPOTENT_ANSWER_LOST' });
  assert.equal(orders.count, 0);
});

test('a call that failed without a change is carried out again', async () => {
  const { send, table } = createClient();
  await assert.rejects(send({ run: () => Promise.reject(new Error('failed')) }), /failed/);
  assert.equal(table.rows.size, 0);
  assert.deepEqual(await send(), ['order 1', false]);
});

test('a caller gets its response even if storing the response fails', async () => {
  const { send, table, lines } = createClient();
  table.broken.add('store');
  assert.deepEqual(await send(), ['order 1', false]);
  assert.match(lines.join(), /storing the response of an idempotent call failed/);
});

test('the request and the response are sealed, and are lost with their key', async () => {
  const { send, table } = createClient();
  await send();
  assert.doesNotMatch(JSON.stringify(table.only()), /tea|order/);
  const other = createClient(table, newRing());
  await assert.rejects(other.send(), { reason: 'IDEMPOTENT_ANSWER_LOST' });
});

test('a change is refused if another attempt has taken over its call', async () => {
  const { send } = createClient();
  const marking = (rows: object[]) => async (mark: Mark) => {
    await mark(async () => rows);
    return text('marked');
  };
  await assert.rejects(send({ run: marking([]) }), {
    code: 'unavailable',
    message: 'the call took too long and was repeated meanwhile',
  });
  assert.deepEqual(await send({ run: marking([{ id: 'claimed' }]) }), ['marked', false]);
});

test('a key is 1 to 255 printable ASCII characters', () => {
  for (const key of ['k', 'k'.repeat(255), '"8e03978e"', '!~ %00'])
    assert.ok(isIdempotencyKey(key));
  for (const key of ['', 'k'.repeat(256), 'caf\u00e9', 'tab\tbed'])
    assert.ok(!isIdempotencyKey(key));
});
