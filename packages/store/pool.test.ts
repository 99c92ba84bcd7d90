import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { Pool } from 'pg';
import { waitAtServerLimit } from './pool.ts';

/** A pool of up to ten connections, whose server gives `connections.left` of them. */
function poolAt(connections: { left: number }): Pool {
  class Client extends EventEmitter {
    // The pool keeps clients that are able to query.
    _queryable = true;
    connect(callback: (error?: Error) => void): void {
      const isFull = connections.left === 0;
      if (!isFull) connections.left -= 1;
      const error = Object.assign(new Error('too many clients'), { code: '53300' });
      setImmediate(() => (isFull ? callback(error) : callback()));
    }
    end(callback?: () => void): void {
      callback?.();
    }
    ref(): void {}
    unref(): void {}
  }
  return new Pool({ max: 10, Client: Client as never });
}

test('at the limit of the server, a call waits for a connection of its own pool', async () => {
  const pool = poolAt({ left: 2 });
  await assert.rejects(Promise.all([pool.connect(), pool.connect(), pool.connect()]), {
    code: '53300',
  });
  const patient = poolAt({ left: 2 });
  waitAtServerLimit(patient, 60_000);
  const clients = await Promise.all([patient.connect(), patient.connect()]);
  const others = Array.from({ length: 8 }, async () => (await patient.connect()).release());
  for (const client of clients) client.release();
  await Promise.all(others);
  assert.equal(patient.totalCount, 2);
});

test('a pool without a connection of its own, or whose time is over, reports the limit', async () => {
  const none = poolAt({ left: 0 });
  waitAtServerLimit(none, 60_000);
  await assert.rejects(none.connect(), { code: '53300' });
  const short = poolAt({ left: 1 });
  waitAtServerLimit(short, 0);
  await short.connect();
  await assert.rejects(short.connect(), { code: '53300' });
});

test('a connection that another client of the server gives back ends the wait', async () => {
  const connections = { left: 1 };
  const pool = poolAt(connections);
  waitAtServerLimit(pool, 60_000);
  await pool.connect();
  const waiting = pool.connect();
  connections.left = 1;
  await waiting;
  assert.equal(pool.totalCount, 2);
});
