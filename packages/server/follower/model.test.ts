import assert from 'node:assert/strict';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { token } from '../testing/following.ts';
import { credential, type GatewayConnection, leaseMs, startGateway } from '../testing/gateway.ts';
import { createFollower } from './follower.ts';
import type { Clock, Moment } from './lease.ts';
import { hostPlatform, type Platform } from './platform.ts';
import type { Rights } from './rights.ts';

// Random interleavings of questions, answers, drops, beats, closes and clock steps, between a
// follower and a gateway that knows which answers may still be used. Time passes by steps only.
//
//   BAILIWICK_RUNS=5000   number of runs
//   BAILIWICK_SEED=42     repeats an earlier run; a failure names its seed

const runs = Number(process.env['BAILIWICK_RUNS'] ?? 100);
const seed = process.env['BAILIWICK_SEED'];
const maxEntries = 3;

type Step =
  | { kind: 'ask'; session: number }
  | { kind: 'answer'; which: number; lastsMs: number }
  | { kind: 'repeat answer' | 'refuse' | 'drop' | 'ok' | 'lead drop'; which: number }
  | { kind: 'close' | 'terminate' | 'lapse' }
  | { kind: 'clock'; monotonicMs: number; wallMs: number };

const index = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), session: fc.nat(4) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      which: index,
      lastsMs: fc.constantFrom(0, 700, 5000, 300_000),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'repeat answer',
        'refuse',
        'drop',
        'drop',
        'lead drop',
        'ok',
        'ok',
        'ok',
      ),
      which: index,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('close', 'terminate', 'lapse') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('clock' as const),
      monotonicMs: fc.constantFrom(0, 1, 400, 800, 1500),
      wallMs: fc.constantFrom(0, 1, 400, 800, 1500, -1, -2000),
    }),
  },
);

/** An answer in the eyes of the gateway. */
type Loan = { handle: number; isOver: boolean; from: Moment; lastsMs: number };

const permissionOf = (handle: number): string => `app.handle${handle}.read`;

/** One connection, with what the gateway knows of it. */
type Side = {
  connection: GatewayConnection;
  /** The questions without an answer. One has a handle if that was dropped already. */
  asks: Array<{ ID: number; at: Moment; handle: number }>;
  beats: Array<{ id: number; at: Moment; isAnswered: boolean }>;
  loans: Loan[];
  questions: number;
};

async function run(t: Pick<TestContext, 'after'>, steps: readonly Step[], figures: Figures) {
  const time: Moment = { monotonicMs: 1000, wallMs: 1_000_000 };
  const clock: Clock = { monotonicMs: () => time.monotonicMs, wallMs: () => time.wallMs };
  const gateway = await startGateway(t, { oks: false });
  const host = hostPlatform();
  const platform: Platform = {
    ...host,
    clock,
    // The times of a connection that does not end are as they are; beats and new attempts come soon.
    after: (ms, callback) =>
      host.after(ms === 3000 || ms === 5000 ? ms : Math.min(ms, 20), callback),
  };
  const own = createFollower({ url: gateway.url, credential, maxEntries, log: () => {} }, platform);
  t.after(() => own.close());
  const obtained: Rights[] = [];
  const waits: Promise<unknown>[] = [];
  let handles = 0;
  let side = await open(0);

  async function open(number: number): Promise<Side> {
    const connection = await gateway.connection(number);
    // The welcome is ahead of all that follows.
    await connection.read('hello');
    return { connection, asks: [], beats: [], loans: [], questions: 0 };
  }

  /** The follower has left the connection, or the gateway has. */
  async function openNext(): Promise<void> {
    side = await open(gateway.connections.indexOf(side.connection) + 1);
  }

  /** Waits until the follower has read all frames, and takes in those that it has sent. */
  async function synchronize(): Promise<void> {
    const { connection, asks, beats } = side;
    await connection.drop();
    for (const frame of connection.frames.splice(0)) {
      if (frame.Type === 'ask')
        side.questions = asks.push({ ID: frame.ID, at: { ...time }, handle: 0 });
      if (frame.Type === 'beat') beats.push({ id: frame.ID, at: { ...time }, isAnswered: false });
      if (frame.Type === 'forget')
        for (const handle of frame['Handles'] as number[]) end(side, handle);
    }
  }

  function end({ loans }: Side, handle: number): void {
    for (const one of loans) if (one.handle === handle) one.isOver = true;
  }

  /** No permission of an answer is allowed that was dropped, or whose lease or time is over. */
  function check(): void {
    const { beats, loans } = side;
    const isWithin = (from: Moment, ms: number) =>
      time.monotonicMs < from.monotonicMs + ms && time.wallMs < from.wallMs + ms;
    const hasLease = beats.some(({ at, isAnswered }) => isAnswered && isWithin(at, leaseMs));
    for (const one of loans) one.isOver ||= !hasLease || !isWithin(one.from, one.lastsMs);
    const usable = new Set(loans.filter(({ isOver }) => !isOver).map(({ handle }) => handle));
    for (const rights of obtained)
      for (let handle = 1; handle <= handles; handle++) {
        let isAllowed = false;
        try {
          isAllowed = rights.can(permissionOf(handle));
        } catch {
          figures.unknown++;
        }
        if (isAllowed) figures.allowed++;
        assert.ok(!isAllowed || usable.has(handle), `an answer that is over is used: ${handle}`);
      }
  }

  async function take(one: Step): Promise<void> {
    const { connection, asks, beats, loans } = side;
    switch (one.kind) {
      case 'ask': {
        const question = own.rights({ ...token, sid: `ses_${one.session}`, scope: 'app.*' });
        waits.push(question.then((rights) => obtained.push(rights)).catch(() => {}));
        return;
      }
      case 'answer': {
        const [ask] = asks.splice(one.which % Math.max(1, asks.length), 1);
        if (!ask) return;
        const handle = ask.handle || ++handles;
        const isDropped = ask.handle > 0;
        const { lastsMs } = one;
        loans.push({ handle, isOver: isDropped, from: ask.at, lastsMs });
        const Value = { Sets: [[permissionOf(handle)]], Grants: { '': [0] } };
        connection.send({ Type: 'answer', ID: ask.ID, Handle: handle, LastsMs: lastsMs, Value });
        return;
      }
      case 'repeat answer': {
        if (side.questions === 0 || asks.some(({ ID }) => ID === 1)) return;
        const Value = { Sets: [['*']], Grants: { '': [0] } };
        connection.send({ Type: 'answer', ID: 1, Handle: 10_000, LastsMs: 60_000, Value });
        return;
      }
      case 'refuse': {
        const [ask] = asks.splice(one.which % Math.max(1, asks.length), 1);
        const Error = { Code: 'unauthenticated', Message: '' };
        if (ask) connection.send({ Type: 'answer', ID: ask.ID, Error });
        return;
      }
      case 'drop': {
        const loan = loans[one.which % Math.max(1, loans.length)];
        if (!loan) return;
        await connection.drop(loan.handle);
        end(side, loan.handle);
        return;
      }
      case 'lead drop': {
        // A drop that overtakes its answer.
        const ask = asks[one.which % Math.max(1, asks.length)];
        if (!ask) return;
        ask.handle ||= ++handles;
        return connection.drop(ask.handle);
      }
      case 'ok': {
        const beat = beats[Math.max(0, beats.length - 1 - (one.which % 3))];
        if (!beat) return;
        beat.isAnswered = true;
        return connection.ok(beat.id);
      }
      case 'lapse': {
        // A lease ends while the application does not look, and the next one begins.
        time.monotonicMs += leaseMs;
        time.wallMs += leaseMs;
        for (const loan of loans) loan.isOver = true;
        const { ID: id } = await connection.read('beat');
        beats.push({ id, at: { ...time }, isAnswered: true });
        return connection.ok(id);
      }
      case 'clock':
        time.monotonicMs += one.monotonicMs;
        time.wallMs += one.wallMs;
        return;
      default:
        if (one.kind === 'close') connection.close(1001);
        else connection.terminate();
        await openNext();
    }
  }

  for (const one of steps) {
    await take(one).catch(openNext);
    // The clocks decide at once, before any frame.
    if (one.kind !== 'lapse') check();
    await synchronize().catch(openNext);
    check();
  }
  own.close();
  for (const rights of obtained) assert.equal(rights.isCurrent(), false);
  await Promise.all(waits);
}

type Figures = { allowed: number; unknown: number };

test(`no permission is allowed after its drop was acknowledged or its lease ended, in ${runs} random runs`, async (t) => {
  const figures: Figures = { allowed: 0, unknown: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }),
      async (steps) => {
        const endings: Array<() => void> = [];
        try {
          await run({ after: (end) => void endings.push(end as () => void) }, steps, figures);
        } finally {
          for (const end of endings) end();
        }
      },
    ),
    { numRuns: runs, ...(seed !== undefined && { seed: Number(seed) }) },
  );
  t.diagnostic(JSON.stringify(figures));
  assert.ok(figures.allowed > runs, 'hardly any permission was allowed');
});
