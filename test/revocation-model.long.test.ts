import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accessSchema } from '@bailiwick/access/schema.ts';
import {
  type Broker,
  createRevoker,
  createRightsCache,
  type FollowLog,
  type RightsKey,
} from '@bailiwick/broker';
import { serviceOrigin } from '@bailiwick/contract';
import { recordRevocation } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { type Database, holdersIn, openDatabase, renewHolder } from '@bailiwick/store';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from './support/database.ts';

// Caches, a revoking service and a log in PostgreSQL, with a broker and calls that lose, delay and
// repeat messages, routes between brokers that are cut, and transactions that commit late. A right is
// a row. Whatever happens, no cache allows it after the reply of the call that has ended it, nor two
// seconds after a commit that no signal follows.

const holders = 4;
const rights = 10;
const runMs = 40_000;
/** The longest time until a change that no signal follows ends a right: a lease. */
const unsignalledMs = 2000;

const chance = (share: number): boolean => Math.random() < share;
const some = (ms: number): number => Math.random() ** 3 * ms;

/** One server of the broker for each process. A signal between two of them may be lost. */
function createBrokers() {
  type Listener = (body: string, answer: (body: string) => void) => void;
  type Server = { listeners: Map<string, Listener[]>; isAway: boolean; cutFrom: Set<Server> };
  const servers: Server[] = [];

  async function deliver(from: Server, to: Server, message: [string, string, string]) {
    const [subject, body, reply] = message;
    const isLost = from !== to && (from.isAway || to.isAway || to.cutFrom.has(from) || chance(0.1));
    if (isLost) return;
    for (let copies = chance(0.1) ? 2 : 1; copies > 0; copies--) {
      if (chance(0.5)) await sleep(some(300));
      for (const listen of to.listeners.get(subject) ?? [])
        listen(body, (text) => signal(to, [reply, text, '']));
    }
  }
  function signal(from: Server, message: [string, string, string]): void {
    for (const to of servers) void deliver(from, to, message);
  }

  return {
    servers,
    open() {
      const server: Server = { listeners: new Map(), isAway: false, cutFrom: new Set() };
      servers.push(server);
      const broker = {
        signal: (subject: string, body: string, reply = '') =>
          signal(server, [subject, body, reply]),
        async listen(subject: string, listener: Listener) {
          server.listeners.set(subject, [...(server.listeners.get(subject) ?? []), listener]);
        },
        async reach() {
          if (server.isAway) throw new Error('the broker is away');
        },
        connections: () => 1,
        isConnected: () => !server.isAway,
      };
      return { server, broker: broker as unknown as Broker };
    },
  };
}

describe('caches of rights under lost, late and repeated messages', () => {
  let stored: TestDatabase;
  let database: Database;
  let admin: pg.Pool;
  before(async () => {
    stored = await createTestDatabase();
    const { service, entities } = accessSchema;
    const log = createLog('test', () => {});
    database = openDatabase({ service, entities, url: stored.url, poolSize: 20, log });
    admin = new pg.Pool({ connectionString: stored.url });
    await admin.query('create table public.held_right (id text primary key, allowed boolean)');
    await admin.query('grant all on public.held_right to public');
  });
  after(async () => {
    await admin?.end();
    await database?.close();
    await stored?.drop();
  });

  const keyOf = (right: number): RightsKey => `user:usr_${right}`;

  /** Calls to the log, of which some are lost on their way or back, come late, or come twice. */
  const follow: FollowLog = async (renewal) => {
    if (chance(0.1)) throw new Error('lost');
    if (chance(0.3)) await sleep(some(2500));
    if (chance(0.1)) void renewHolder(database, accessSchema, renewal).catch(() => {});
    const answer = await renewHolder(database, accessSchema, renewal);
    if (chance(0.3)) await sleep(some(2500));
    if (chance(0.1)) throw new Error('lost');
    return answer;
  };

  test('no right is allowed after it has ended', async () => {
    const { servers, open } = createBrokers();
    const revoke = createRevoker(open().broker, holdersIn(database));
    const caches = Array.from({ length: holders }, () =>
      createRightsCache(open().broker, { identity: follow, access: follow }),
    );
    /** When each right has certainly ended, as a performance.now() time; undefined = it may be allowed. */
    const endedAt: Array<number | undefined> = Array.from({ length: rights });
    const end = performance.now() + runMs;
    const counts = { hits: 0, loads: 0, ended: 0, unsignalled: 0 };
    const wrong: string[] = [];

    const load = async (right: number) => {
      counts.loads++;
      if (chance(0.2)) await sleep(some(100));
      const { rows } = await admin.query<{ allowed: boolean }>(
        'select allowed from public.held_right where id = $1',
        [String(right)],
      );
      if (chance(0.2)) await sleep(some(1500));
      const keys = [keyOf(right), keyOf(right + 100)];
      return { value: rows[0]?.allowed ?? false, keys, lastsMs: Infinity };
    };

    async function probe(index: number): Promise<void> {
      const cache = caches[index] ?? assert.fail();
      while (performance.now() < end) {
        const right = Math.floor(Math.random() * rights);
        const askedAt = performance.now();
        const loadsBefore = counts.loads;
        const isAllowed = await cache.getOrLoad(`right ${right}`, () => load(right));
        if (loadsBefore === counts.loads) counts.hits++;
        const ended = endedAt[right];
        if (isAllowed && ended !== undefined && ended < askedAt)
          wrong.push(`right ${right} in cache ${index}, ${Math.round(askedAt - ended)} ms late`);
        await sleep(1 + some(20));
      }
    }

    /** Ends a right and gives it back, for ever. */
    async function change(right: number): Promise<void> {
      while (performance.now() < end) {
        await admin.query(
          `insert into public.held_right values ($1, true) on conflict (id) do update set allowed = true`,
          [String(right)],
        );
        await sleep(500 + some(2000));
        const isSignalled = chance(0.7);
        await database.transaction({ call: serviceOrigin('access'), tenant: null }, async (tx) => {
          await tx.query('update public.held_right set allowed = false where id = $1', [
            String(right),
          ]);
          recordRevocation(tx, [keyOf(right)]);
          // Others begin later and commit earlier.
          if (chance(0.3)) await sleep(some(1500));
        });
        const committedAt = performance.now();
        if (isSignalled) await revoke([keyOf(right)]);
        else await sleep(unsignalledMs);
        endedAt[right] = isSignalled ? performance.now() : committedAt + unsignalledMs;
        counts[isSignalled ? 'ended' : 'unsignalled']++;
        await sleep(300);
        endedAt[right] = undefined;
        // Loads that began before it is given back may still say that it has ended, and no other.
      }
    }

    /** Takes servers away, and cuts the routes between the revoking service and a cache. */
    async function disturb(): Promise<void> {
      const [revoker, ...others] = servers;
      if (!revoker) return;
      while (performance.now() < end) {
        await sleep(some(500));
        const other = others[Math.floor(Math.random() * others.length)] ?? revoker;
        if (chance(0.1)) other.isAway = true;
        else {
          revoker.cutFrom.add(other);
          other.cutFrom.add(revoker);
        }
        await sleep(3000 + some(4000));
        other.isAway = false;
        revoker.cutFrom.delete(other);
        other.cutFrom.delete(revoker);
      }
    }

    await Promise.all([
      ...caches.map((_, index) => probe(index)),
      ...Array.from({ length: rights }, (_, right) => change(right)),
      disturb(),
      disturb(),
      disturb(),
    ]);
    for (const cache of caches) cache.close();
    assert.deepEqual(wrong, []);
    const { hits, ended, unsignalled } = counts;
    assert.ok(hits > 500 && ended > 20 && unsignalled > 10, JSON.stringify(counts));
  });
});
