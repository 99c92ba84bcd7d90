import { createCounts } from './counts.ts';

export type SlotOwner = { tenant: string; endpoint: string };

/** run: a slot, to be freed. late: no slot became free in time. stopped: the process stops. */
export type Slot = 'run' | 'late' | 'stopped';

type Waiting = { owner: SlotOwner; size: number; begin: (slot: Slot) => void };

/**
 * The attempts that wait in a lane: a queue for each endpoint. `takeNext` serves the tenants in
 * turns, and the endpoints of a tenant in turns.
 *
 * The queues share `places`. An endpoint may use as many as are free, and a tenant twice as many
 * as are free (a dynamic threshold, as in the shared memory of a network switch): alone, an
 * endpoint uses half of the places, and every further one still finds some.
 */
export function createQueues(places: number) {
  const tenants = new Map<string, Map<string, Waiting[]>>();
  const ofTenant = createCounts();
  const ofEndpoint = createCounts();
  let used = 0;

  function count({ owner: { tenant, endpoint }, size }: Waiting, by: 1 | -1): void {
    used += by * size;
    ofTenant.add(tenant, by * size);
    ofEndpoint.add(endpoint, by * size);
  }

  function remove(entry: Waiting): void {
    const { tenant, endpoint } = entry.owner;
    const queues = tenants.get(tenant);
    const queue = queues?.get(endpoint);
    if (!queues || !queue) return;
    queue.splice(queue.indexOf(entry), 1);
    if (queue.length === 0) queues.delete(endpoint);
    if (queues.size === 0) tenants.delete(tenant);
    count(entry, -1);
  }

  function add(entry: Waiting): void {
    const { tenant, endpoint } = entry.owner;
    const queues = tenants.get(tenant) ?? new Map<string, Waiting[]>();
    const queue = queues.get(endpoint) ?? [];
    queue.push(entry);
    tenants.set(tenant, queues.set(endpoint, queue));
    count(entry, 1);
  }

  /** Gives an endpoint and its tenant the last turn. */
  function rotate({ tenant, endpoint }: SlotOwner): void {
    const queues = tenants.get(tenant);
    if (!queues) return;
    moveToEnd(queues, endpoint);
    moveToEnd(tenants, tenant);
  }

  /** Whether the endpoint or the tenant already has its share waiting. Mails have no share. */
  function isFull({ tenant, endpoint }: SlotOwner, size: number): boolean {
    const free = places - used;
    return (
      endpoint !== '' &&
      (ofEndpoint.of(endpoint) + size > free || ofTenant.of(tenant) + size > 2 * free)
    );
  }

  return {
    /** Waits for a turn, at most `maxWaitMs`. Returns undefined if the share is used up. */
    join(
      owner: SlotOwner,
      { size, maxWaitMs }: { size: number; maxWaitMs: number },
    ): Promise<Slot> | undefined {
      if (isFull(owner, size)) return undefined;
      return new Promise((resolve) => {
        const entry: Waiting = {
          owner,
          size,
          begin: (slot) => (clearTimeout(timer), resolve(slot)),
        };
        const timeOut = () => (remove(entry), resolve('late'));
        const timer = Number.isFinite(maxWaitMs) ? setTimeout(timeOut, maxWaitMs) : undefined;
        add(entry);
      });
    },

    /** Removes and returns the next attempt that fits; undefined if none does. */
    takeNext(fits: (owner: SlotOwner) => boolean): Waiting | undefined {
      for (const queues of tenants.values()) {
        for (const [next] of queues.values()) {
          if (!next || !fits(next.owner)) continue;
          remove(next);
          rotate(next.owner);
          return next;
        }
      }
      return undefined;
    },

    close(): void {
      const waiting = [...tenants.values()].flatMap((queues) => [...queues.values()].flat());
      for (const entry of waiting) {
        remove(entry);
        entry.begin('stopped');
      }
    },
  };
}

/** A map iterates in the order of insertion. */
function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}
