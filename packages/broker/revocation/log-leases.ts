import type { Host } from '@bailiwick/contract';
import type { Broker } from '../broker.ts';
import { entryMs, heartbeatMs, leaseMs, unusedMs } from './lease.ts';
import type { FollowLog, RevocationLogs } from './logs.ts';
import { elapsedMs, isWithin, type Moment, present } from './moment.ts';

// The leases of a holder in the logs of revocations, one for each service. While one holds, the
// service's revocations wait for the holder, and the next renewal brings what it did not hear.

/** How soon after a failure a renewal is tried again: one lost answer does not end the lease. */
const retryMs = 250;

type Options = {
  broker: Pick<Broker, 'reach'>;
  holder: string;
  logs: RevocationLogs;
  /** How long a value is used while a log may be incomplete. */
  incompleteMs: number;
  /** Drops the values under the keys. */
  onRevoked: (keys: readonly string[], service: Host) => void;
  /** Drops all values that depend on the service: its revocations did not wait for this holder. */
  onLost: (service: Host) => void;
};

/** The lease in the log of one service. */
type LogLease = ReturnType<typeof createLogLease>;

function createLogLease(
  service: Host,
  follow: FollowLog,
  { broker, holder, onRevoked, onLost, isEnded }: Options & { isEnded: () => boolean },
) {
  /** Before the last renewal was sent: the lease counts from here. */
  let from: Moment | undefined;
  /** Values that were requested earlier may predate the lease. */
  let begunAt = Number.POSITIVE_INFINITY;
  /** The snapshot of the last answer. */
  let after = '';
  let usedAt: Moment | undefined;
  let triedAt: Moment | undefined;
  let renewal: Promise<unknown> | undefined;
  let hasFailed = false;
  let isComplete = false;

  const leftMs = (now: Moment): number => (from ? leaseMs - elapsedMs(from, now) : 0);
  const holds = (now: Moment): boolean => leftMs(now) > 0;

  // Without an answer in time the lease ends by itself.
  async function renew(): Promise<void> {
    // A holder that hears no revocation would let each of them wait.
    await broker.reach(heartbeatMs);
    const sentAt = present();
    const { keys, snapshot, reset, deaf, complete } = await follow({ holder, after });
    if (isEnded()) return;
    const now = present();
    after = snapshot;
    isComplete = complete;
    const goesOn = holds(now) && !reset && !deaf;
    if (!goesOn) {
      onLost(service);
      begunAt = now.monotonic;
    } else if (keys.length > 0) onRevoked(keys, service);
    from = deaf ? undefined : sentAt;
  }

  function begin(now: Moment): void {
    triedAt = now;
    renewal ??= renew()
      .then(
        () => (hasFailed = false),
        () => (hasFailed = true),
      )
      .finally(() => (renewal = undefined));
  }

  return {
    holds,
    /** How long the lease lasts without a renewal, in ms; 0 or less = it has ended. */
    leftMs,
    /** Whether all revocations of the service are in its log. */
    isComplete: (): boolean => isComplete,
    /** Whether a value that was requested at this moment is as new as the lease. */
    hadBegun: (at: Moment): boolean => begunAt <= at.monotonic,
    /** Notes a use. The first one begins the lease. */
    use(now: Moment): void {
      usedAt = now;
      const wasTried = triedAt !== undefined && isWithin(heartbeatMs, triedAt, now);
      if (!wasTried && !holds(now)) begin(now);
    },
    /** Renews the lease if it was used and is due. Returns whether it was used. */
    beat(now: Moment): boolean {
      if (usedAt === undefined || !isWithin(unusedMs, usedAt, now)) return false;
      const isDue = triedAt === undefined || !isWithin(heartbeatMs, triedAt, now);
      if (isDue || hasFailed) begin(now);
      return true;
    },
  };
}

/** The leases of one holder. They begin with a use, and lapse without one. */
export function createLogLeases(options: Options) {
  const leases = new Map<Host, LogLease>();
  let isAllowed = false;
  let heart: NodeJS.Timeout | undefined;

  function leaseOf(service: Host): LogLease | undefined {
    const former = leases.get(service);
    const follow = options.logs[service];
    if (former || !follow) return former;
    const lease = createLogLease(service, follow, { ...options, isEnded: () => !isAllowed });
    leases.set(service, lease);
    return lease;
  }

  function beat(): void {
    const now = present();
    const active = [...leases.values()].filter((lease) => lease.beat(now));
    if (active.length > 0) return;
    clearInterval(heart);
    heart = undefined;
  }

  return {
    /** From now on there may be leases: the holder hears revocations. */
    allow: (): void => void (isAllowed = true),

    /** Notes a use of values that these services can revoke, which begins leases or keeps them. */
    use(services: readonly Host[], now: Moment): void {
      if (!isAllowed) return;
      for (const service of services) leaseOf(service)?.use(now);
      if (leases.size > 0) heart ??= setInterval(beat, retryMs).unref();
    },

    /** Whether the holder has a lease in each of these logs. */
    hold: (services: readonly Host[], now: Moment): boolean =>
      services.every((service) => leases.get(service)?.holds(now) === true),

    /** How long all of them last without a renewal, in ms; 0 or less = one has ended. */
    leftMs: (services: readonly Host[], now: Moment): number =>
      Math.min(...services.map((service) => leases.get(service)?.leftMs(now) ?? 0)),

    /** Whether a value that was requested at this moment is as new as these leases. */
    hadBegun: (services: readonly Host[], at: Moment): boolean =>
      services.every((service) => leases.get(service)?.hadBegun(at) === true),

    /** How long a value may be used that these services can revoke, while the leases hold, in ms. */
    usableMs: (services: readonly Host[]): number =>
      services.every((service) => leases.get(service)?.isComplete() === true)
        ? entryMs
        : options.incompleteMs,

    /** Ends all leases at once. */
    end(): void {
      isAllowed = false;
      clearInterval(heart);
      leases.clear();
    },
  };
}
