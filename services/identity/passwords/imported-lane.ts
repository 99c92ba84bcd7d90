import { setTimeout as sleep } from 'node:timers/promises';
import { callerNetwork } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import { createLane, tooManySignIns } from './lane.ts';

/** The client, when it stops waiting, and whether it is still there. */
export type Waiter = {
  /** The network of the client, "" = not known. */
  client: string;
  until: number;
  signal?: AbortSignal | undefined;
};

export const waiterOf = ({ caller, signal }: Call, until: number): Waiter => ({
  client: callerNetwork(caller.ip),
  until,
  signal,
});

/** The result of a comparison, and its milliseconds in its slot. */
export type Compared = { holds: boolean; ms: number };

/** The expected wait, in milliseconds, at which the lane is full, and the most that ever wait. */
const [fullMs, mostWaiting] = [5000, 40];
/** The share of the lane that one client may fill. */
const shareOfClient = 0.5;
/** The assumed duration of the first comparison, and how many recent ones are averaged. */
const [firstMs, averagedCount] = [500, 32];

export async function timed(work: () => Promise<boolean>): Promise<Compared> {
  const began = performance.now();
  return { holds: await work(), ms: performance.now() - began };
}

/** Counts the comparisons of a lane, and refuses those that it or a client's share has no room for. */
function createRoom(slots: number, averageMs: () => number) {
  let comparisons = 0;
  const ofClients = new Map<string, number>();

  /** Whether one more comparison of all, or of a client, would be too many. */
  function isFull(count: number, share: number): boolean {
    const waiting = count - slots;
    return waiting >= share * mostWaiting || waiting * averageMs() >= share * fullMs * slots;
  }

  return async <T>(client: string, work: () => Promise<T>): Promise<T> => {
    const ofClient = ofClients.get(client) ?? 0;
    if (isFull(comparisons, 1) || (client !== '' && isFull(ofClient, shareOfClient)))
      throw tooManySignIns(5);
    comparisons++;
    ofClients.set(client, ofClient + 1);
    try {
      return await work();
    } finally {
      comparisons--;
      const remaining = (ofClients.get(client) ?? 1) - 1;
      if (remaining === 0) ofClients.delete(client);
      else ofClients.set(client, remaining);
    }
  };
}

/**
 * The comparisons with hashes of other systems, `slots` at a time. It is full when the comparisons
 * that wait would take five seconds at the recent duration. A form that is compared in several
 * spellings runs once for each of them.
 */
export function createImportedLane(slots: number) {
  const lane = createLane(slots);
  const recent: number[] = [];
  const inRoom = createRoom(slots, averageMs);

  function averageMs(): number {
    const sum = recent.reduce((total, ms) => total + ms, 0);
    return recent.length === 0 ? firstMs : sum / recent.length;
  }

  /**
   * Runs work in its turn. An aborted call leaves the lane as a wrong password, which the throttle
   * counts: otherwise a client could abort each guess that is not answered quickly, and none would
   * count.
   */
  async function inTurn(work: () => Promise<Compared>, waiter: Waiter): Promise<Compared> {
    try {
      return await lane.run(work, waiter);
    } catch (thrown) {
      if (waiter.signal?.aborted) return { holds: false, ms: 0 };
      throw thrown;
    }
  }

  return {
    /** The comparisons that wait. */
    load: lane.load,
    /**
     * Counts from the start of `before` on, so that calls at the same time see each other.
     * @throws resource_exhausted if the lane is full, or the client's share of it
     */
    compare(
      before: () => Promise<void>,
      work: () => Promise<boolean>,
      waiter: Waiter,
    ): Promise<Compared> {
      return inRoom(waiter.client, async () => {
        await before();
        return inTurn(async () => {
          const compared = await timed(work);
          recent.push(compared.ms);
          if (recent.length > averagedCount) recent.shift();
          return compared;
        }, waiter);
      });
    },
    /**
     * Takes a slot for as long as a comparison, without its work: for an address without an account,
     * which must fill the lane and wait in it as an account does.
     */
    imitate(before: () => Promise<void>, waiter: Waiter): Promise<void> {
      return inRoom(waiter.client, async () => {
        await before();
        await inTurn(async () => {
          const ms = averageMs();
          await sleep(ms);
          return { holds: false, ms };
        }, waiter);
      });
    },
  };
}
