import { createCounts } from './counts.ts';

export type SlotOwner = { tenant: string; endpoint: string };

/** run: a slot, to be freed. late: no slot became free in time. stopped: the process stops. */
export type Slot = 'run' | 'late' | 'stopped';

/** Whether a tenant or an endpoint may take a slot now. */
type TenantFits = (id: string) => boolean;
type EndpointFits = (owner: SlotOwner) => boolean;

type WaitingAttempt = { owner: SlotOwner; size: number; begin: (slot: Slot) => void };

/**
 * The attempts that wait in a lane, in a queue for each endpoint. The tenants take turns, and so do
 * the endpoints of a tenant.
 */
export function createQueues(places: number) {
  const rotation = createRotation();
  const shares = createShares(places);

  function remove(entry: WaitingAttempt): void {
    rotation.remove(entry);
    shares.take(entry, -1);
  }

  return {
    /**
     * Waits for a turn, at most `maxWaitMs`. Returns undefined if the share is used up, or if the
     * endpoint would have more than `most` places.
     */
    join(
      owner: SlotOwner,
      { size, most, maxWaitMs }: { size: number; most: number; maxWaitMs: number },
    ): Promise<Slot> | undefined {
      if (shares.isFull(owner, size, most)) return undefined;
      return new Promise((resolve) => {
        const entry: WaitingAttempt = {
          owner,
          size,
          begin: (slot) => (clearTimeout(timer), resolve(slot)),
        };
        const timeOut = () => (remove(entry), resolve('late'));
        const timer = Number.isFinite(maxWaitMs) ? setTimeout(timeOut, maxWaitMs) : undefined;
        rotation.add(entry);
        shares.take(entry, 1);
      });
    },

    /** Removes and returns the next attempt that fits; undefined if none does. */
    takeNext(tenantFits: TenantFits, endpointFits: EndpointFits): WaitingAttempt | undefined {
      const next = rotation.next(tenantFits, endpointFits);
      if (!next) return undefined;
      remove(next);
      rotation.endTurn(next.owner);
      return next;
    },

    close(): void {
      for (const entry of rotation.all()) {
        remove(entry);
        entry.begin('stopped');
      }
    },
  };
}

/** The queues of the endpoints, by tenant, in the order of the turns. */
function createRotation() {
  const tenants = new Map<string, Map<string, WaitingAttempt[]>>();
  return {
    add(entry: WaitingAttempt): void {
      const { tenant, endpoint } = entry.owner;
      const queues = tenants.get(tenant) ?? new Map<string, WaitingAttempt[]>();
      const queue = queues.get(endpoint) ?? [];
      queue.push(entry);
      tenants.set(tenant, queues.set(endpoint, queue));
    },
    remove(entry: WaitingAttempt): void {
      const { tenant, endpoint } = entry.owner;
      const queues = tenants.get(tenant);
      const queue = queues?.get(endpoint);
      if (!queues || !queue) return;
      queue.splice(queue.indexOf(entry), 1);
      if (queue.length === 0) queues.delete(endpoint);
      if (queues.size === 0) tenants.delete(tenant);
    },
    next(tenantFits: TenantFits, endpointFits: EndpointFits): WaitingAttempt | undefined {
      for (const [tenant, queues] of tenants) {
        if (!tenantFits(tenant)) continue;
        for (const [endpoint, [first]] of queues)
          if (endpointFits({ tenant, endpoint })) return first;
      }
      return undefined;
    },
    /** Gives an endpoint and its tenant the last turn. */
    endTurn({ tenant, endpoint }: SlotOwner): void {
      const queues = tenants.get(tenant);
      if (!queues) return;
      moveToEnd(queues, endpoint);
      moveToEnd(tenants, tenant);
    },
    all: () => [...tenants.values()].flatMap((queues) => [...queues.values()].flat()),
  };
}

/**
 * The places that the queues share. An endpoint may use as many as are free, and a tenant twice as
 * many as are free (a dynamic threshold, as in the shared memory of a network switch): every
 * further one still finds some.
 */
function createShares(places: number) {
  const ofTenant = createCounts();
  const ofEndpoint = createCounts();
  let used = 0;
  return {
    take({ owner: { tenant, endpoint }, size }: WaitingAttempt, by: 1 | -1): void {
      used += by * size;
      ofTenant.add(tenant, by * size);
      ofEndpoint.add(endpoint, by * size);
    },
    /** Whether the endpoint or the tenant already has its share waiting. Mails have no share. */
    isFull({ tenant, endpoint }: SlotOwner, size: number, most: number): boolean {
      const free = places - used;
      return (
        endpoint !== '' &&
        (ofEndpoint.of(endpoint) + size > Math.min(free, most) ||
          ofTenant.of(tenant) + size > 2 * free)
      );
    },
  };
}

/** A map iterates in the order of insertion. */
function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const entry = map.get(key);
  if (entry === undefined) return;
  map.delete(key);
  map.set(key, entry);
}
