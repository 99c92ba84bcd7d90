import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from './broker.ts';
import { counter } from './metrics.ts';

// Revoked rights end with the reply. Gateways remember principals and permissions for at most
// `leaseMs`. A service that takes rights away tells every gateway and replies when each has forgotten them; one that
// does not answer has nothing left to remember after that time. Without a broker the time alone does it.

/** Nothing is remembered longer than this. */
export const leaseMs = 2000;
const heartbeatMs = 500;

const subjects = {
  lease: 'bailiwick.lease',
  revoke: 'bailiwick.revoke',
  ack: 'bailiwick.ack',
} as const;

/** What rights hang on: everything remembered under one of these names is forgotten with it. */
export type RightsKey =
  | `user:${string}`
  | `bot:${string}`
  | `credential:${string}`
  | `tenant:${string}`;

type Revocation = { id: string; keys: readonly RightsKey[] };

/** The service's side: makes sure that nobody remembers what was taken away. */
export function createRevoker(broker: Broker) {
  const self = randomUUID();
  const leases = new Map<string, number>();
  const waiting = new Map<string, Set<string>>();
  const done = new Map<string, () => void>();
  let connection: number | undefined;
  let listeningSince = Number.POSITIVE_INFINITY;

  /** What was heard over an earlier connection says nothing of who has made a lease since. */
  function noteConnection(): void {
    if (connection === undefined || broker.connections() === connection) return;
    beginListening();
  }

  function beginListening(): void {
    connection = broker.connections();
    listeningSince = Date.now();
  }

  function holders(): Set<string> {
    const now = Date.now();
    for (const [holder, ends] of leases) if (ends < now) leases.delete(holder);
    return new Set(leases.keys());
  }

  /** Whether the broker answers. What it kept for this process comes before its answer. */
  const answers = () =>
    broker.reach(leaseMs).then(
      () => true,
      () => false,
    );

  const ready = Promise.all([
    broker.listen(subjects.lease, (body) => {
      const { holder, ends } = JSON.parse(body) as { holder: string; ends: boolean };
      noteConnection();
      if (ends) leases.delete(holder);
      else leases.set(holder, Date.now() + leaseMs);
    }),
    broker.listen(`${subjects.ack}.${self}`, (body) => {
      const { id, holder } = JSON.parse(body) as { id: string; holder: string };
      const missing = waiting.get(id);
      missing?.delete(holder);
      if (missing?.size === 0) done.get(id)?.();
    }),
  ]);
  // Without the broker every revocation waits its time, so nothing depends on a failure here.
  void ready.then(beginListening, () => {});

  /** Resolves when the keys are forgotten everywhere. To be called after the commit and before the reply. */
  return async (keys: readonly RightsKey[]): Promise<void> => {
    const over = Date.now() + leaseMs;
    // Where nobody is heard the connection may be dead without its client knowing.
    if (holders().size === 0 && !(await answers())) return sleep(Math.max(0, over - Date.now()));
    noteConnection();
    // Who listens has heard of every holder within a lease; of one it has not heard of by then, the lease has ended.
    const knowsAllAt = broker.isConnected() ? listeningSince + leaseMs : Number.POSITIVE_INFINITY;
    const missing = holders();
    const now = Date.now();
    if (missing.size === 0 && knowsAllAt <= now) return;
    const revocation: Revocation = { id: randomUUID(), keys };
    const acknowledged = new Promise<void>((resolve) => {
      if (missing.size === 0) resolve();
      else done.set(revocation.id, resolve);
    });
    waiting.set(revocation.id, missing);
    broker.signal(subjects.revoke, JSON.stringify(revocation), `${subjects.ack}.${self}`);
    await Promise.race([
      sleep(Math.max(0, over - now)),
      Promise.all([acknowledged, sleep(Math.min(leaseMs, Math.max(0, knowsAllAt - now)))]),
    ]);
    waiting.delete(revocation.id);
    done.delete(revocation.id);
  };
}

export type Memory = ReturnType<typeof createMemory>;

type Remembered = { value: unknown; keys: readonly RightsKey[]; ends: number };

/** How many answers are remembered at once: at 1 to 2 KiB each, a hundred megabytes at the most. */
const maxRemembered = 50_000;

const lookUps = counter<{ outcome: 'hit' | 'miss' }>({
  name: 'bailiwick_permission_cache',
  about:
    'Principals and rights that a gateway looked for in its memory, by whether they were there.',
});

/** The gateway's side: remembers answers for a lease, and only while it can be told to forget them. */
export function createMemory(broker: Broker) {
  const self = randomUUID();
  const answers = new Map<string, Remembered>();
  let leaseEnds = 0;
  let revocations = 0;
  let listening = false;

  void broker
    .listen(subjects.revoke, (body, answer) => {
      const { id, keys } = JSON.parse(body) as Revocation;
      revocations++;
      const revoked = new Set<string>(keys);
      for (const [name, { keys: held }] of answers)
        if (held.some((key) => revoked.has(key))) answers.delete(name);
      answer(JSON.stringify({ id, holder: self }));
    })
    .then(
      () => (listening = true),
      () => {},
    );

  // A lease is announced first and counts from before the announcement: its holder gives it up no later than those
  // who were told of it.
  async function renew(): Promise<void> {
    const started = Date.now();
    broker.signal(subjects.lease, JSON.stringify({ holder: self, ends: false }));
    await broker.reach(leaseMs);
    if (listening) leaseEnds = started + leaseMs;
  }
  const heart = setInterval(() => void renew().catch(() => {}), heartbeatMs);
  heart.unref();

  return {
    /** What `load` answers, remembered under the keys it names and never past `endsAt`. An error is not remembered. */
    async recall<T>(
      name: string,
      load: () => Promise<{ value: T; keys: readonly RightsKey[]; endsAt?: number }>,
    ): Promise<T> {
      const now = Date.now();
      const known = answers.get(name);
      const isKnown = known && known.ends > now && leaseEnds > now;
      lookUps.add({ outcome: isKnown ? 'hit' : 'miss' });
      if (isKnown) return known.value as T;
      const revocationsBefore = revocations;
      const { value, keys, endsAt = Number.POSITIVE_INFINITY } = await load();
      // What was asked before a revocation may be the answer of before it.
      if (revocationsBefore === revocations && leaseEnds > Date.now()) {
        answers.delete(name);
        const oldest = answers.size >= maxRemembered ? answers.keys().next().value : undefined;
        if (oldest !== undefined) answers.delete(oldest);
        answers.set(name, { value, keys, ends: Math.min(now + leaseMs, endsAt) });
      }
      return value;
    },
    /** Gives the lease up at once. */
    close(): void {
      clearInterval(heart);
      leaseEnds = 0;
      answers.clear();
      broker.signal(subjects.lease, JSON.stringify({ holder: self, ends: true }));
    },
  };
}
