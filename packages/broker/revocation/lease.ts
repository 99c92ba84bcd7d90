import { setTimeout as sleep } from 'node:timers/promises';
import type { Broker } from '../broker.ts';

// A lease: while it holds, every revocation waits for its holder.

/** How long a lease lasts from before its renewal. */
export const leaseMs = 2000;
/** The longest time that a value is cached. Changes that revoke nothing, as by hand in SQL, count then. */
export const entryMs = 300_000;
/** Two heartbeats in each lease. */
export const heartbeatMs = 1000;
/**
 * A holder that is not used for this long lets its lease lapse. Otherwise its heartbeats would wake
 * all services of an idle installation.
 */
export const unusedMs = 10_000;
/**
 * Values that were asked for sooner after a lease began are not cached: services on other servers
 * of the broker's cluster may not have heard of it.
 */
const beginningMs = 100;
/** How long a change waits for that. Between servers of a cluster a signal takes a millisecond. */
const settlingMs = 25;
/** How long a change waits for the broker. */
const answerMs = 500;

export const subjects = {
  lease: 'bailiwick.lease',
  revoke: 'bailiwick.revoke',
  ack: 'bailiwick.ack',
} as const;

/** Announces a holder, and again while it is used. */
function createHeartbeat(broker: Broker, holder: string, onBegin: () => void) {
  const lease = { ends: 0, beganAt: Number.POSITIVE_INFINITY, isAllowed: false };
  let lastUse = 0;
  let heart: NodeJS.Timeout | undefined;
  let renewing: Promise<void> | undefined;

  // A lease is announced first and counts from before the announcement: the holder's lease ends no
  // later than the services expect.
  async function announce(waitMs: number): Promise<void> {
    const started = Date.now();
    broker.signal(subjects.lease, JSON.stringify({ holder, ends: false }));
    await broker.reach(waitMs);
    if (!lease.isAllowed) return;
    if (lease.ends <= Date.now()) {
      onBegin();
      lease.beganAt = Date.now();
    }
    lease.ends = Math.max(lease.ends, started + leaseMs);
  }

  function renew(waitMs: number): Promise<void> {
    renewing ??= announce(waitMs).finally(() => (renewing = undefined));
    return renewing;
  }

  function beat(): void {
    if (Date.now() - lastUse < unusedMs) return void announce(leaseMs).catch(() => {});
    clearInterval(heart);
    heart = undefined;
  }

  return {
    lease,
    renew,
    /** Notes a use, which begins the lease or keeps it alive. */
    use(now: number): void {
      lastUse = now;
      if (heart || !lease.isAllowed) return;
      heart = setInterval(beat, heartbeatMs).unref();
      void renew(leaseMs).catch(() => {});
    },
    end(): void {
      clearInterval(heart);
      lease.isAllowed = false;
      lease.ends = 0;
    },
  };
}

/** The lease of a holder. `onBegin` is called when one begins that does not follow the last at once. */
export function createLease(broker: Broker, holder: string, onBegin: () => void) {
  const { lease, renew, use, end } = createHeartbeat(broker, holder, onBegin);
  let failedAt = 0;

  /** Whether the broker answers in time. A heartbeat that waits longer may be under way. */
  const isRenewed = (): Promise<boolean> =>
    Promise.race([
      renew(answerMs).then(
        () => true,
        () => false,
      ),
      sleep(answerMs, false, { ref: false }),
    ]);

  return {
    /** From now on there may be a lease: the holder hears revocations. */
    allow: (): void => void (lease.isAllowed = true),
    use,
    end,
    holds: (time: number): boolean => lease.ends > time,
    /** How long the lease lasts without a renewal, in ms; 0 or less = it has ended. */
    leftMs: (time: number): number => lease.ends - time,
    /** Whether a value that was asked for at this time may be cached. */
    hasBegun: (time: number): boolean => lease.beganAt + beginningMs <= time,
    /** Whether all services have heard of the lease, at `since` already, and it lasts for `marginMs`. */
    isSettled: (now: number, marginMs: number, since = now): boolean =>
      lease.ends > now + marginMs && lease.beganAt + settlingMs <= since,
    /**
     * Waits until the lease is settled. False if there can be none now. The signals that the broker
     * holds for this process are read before it resolves.
     */
    async settle(marginMs: number): Promise<boolean> {
      const now = Date.now();
      use(now);
      const isAway = !lease.isAllowed || !broker.isConnected() || now - failedAt < answerMs;
      if (isAway) return false;
      if (lease.ends <= now + marginMs && !(await isRenewed())) {
        failedAt = Date.now();
        return false;
      }
      const wait = lease.beganAt + settlingMs - Date.now();
      if (wait > 0) await sleep(Math.min(wait, settlingMs));
      return true;
    },
  };
}
