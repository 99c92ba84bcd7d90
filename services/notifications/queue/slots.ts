import { createCounts } from './counts.ts';
import { createEndpointLimits, initialLimit } from './endpoint-limits.ts';
import { createQueues, type Slot, type SlotOwner } from './fair-queues.ts';

// Decides which of the received attempts may be made now, so that one tenant's slow receiver does
// not delay other tenants. Counted per process: processes that share a lane do not coordinate.

export type SlotPool = ReturnType<typeof createSlotPool>;

export type Slots = ReturnType<SlotPool['lane']>;

/** The slots of a lane, and how many attempts may wait for them. */
type LaneOptions = { total: number; places: number };

/** An attempt with a large body takes several places: they bound the memory of a process. */
const bytesPerPlace = 4096;

/**
 * The most places of an endpoint: about as many attempts as it makes before the wait for a slot
 * ends. More would go to the slow lane, all at once.
 */
const endpointPlaces = { least: 512, perSlot: 64 };

/**
 * The slots of a process, per lane. An endpoint gets as many as its receiver answers quickly, over
 * all lanes (endpoint-limits.ts), and at most half of a lane. A tenant may hold more than a quarter
 * of a lane only while another quarter is free, so that the next tenant finds a slot. Endpoints that
 * are not known to answer quickly leave room for the first attempts of the tenant's others. Attempts
 * that find no slot wait, and begin in turns: one of each tenant, and of each of its endpoints.
 * Mails have no endpoint and take any free slot.
 */
export function createSlotPool() {
  const running = createCounts();
  const limits = createEndpointLimits();
  const lanes: Array<() => void> = [];
  const shared = {
    running,
    limitOf: limits.of,
    // An attempt that waits for the endpoint may be in another lane. The lanes take turns.
    beginWaiting: () => {
      const first = lanes.shift();
      if (first) lanes.push(first);
      for (const begin of lanes) begin();
    },
  };
  return {
    lane(options: LaneOptions) {
      const { beginWaiting, ...slots } = createLane(shared, options);
      lanes.push(beginWaiting);
      return slots;
    },
    /** Adapts the endpoint's slots to an attempt that has ended and still holds its slot. */
    record: (endpoint: string, tookMs: number, isDelivered: boolean): void =>
      limits.record(endpoint, { tookMs, isDelivered, running: running.of(endpoint) }),
  };
}

/** The parts of the pool that all lanes of a process use. */
type Shared = {
  running: ReturnType<typeof createCounts>;
  limitOf: (endpoint: string) => number;
  beginWaiting: () => void;
};

function createLane({ running, limitOf, beginWaiting }: Shared, { total, places }: LaneOptions) {
  const tenants = createCounts();
  const endpoints = createCounts();
  const queues = createQueues(places);
  const quarter = Math.max(1, Math.floor(total / 4));
  const half = Math.ceil(total / 2);
  let inUse = 0;
  let isClosed = false;

  // Mails have neither tenant nor endpoint.
  const tenantFits = (tenant: string): boolean =>
    inUse < total && (tenant === '' || tenants.of(tenant) < quarter || total - inUse > quarter);
  // Beyond their first attempt, endpoints that are not known to answer quickly share half of the
  // lane. Otherwise sixteen receivers of a tenant that never answer would hold all of its slots, and
  // its healthy endpoints would wait for their timeouts.
  const mayRepeat = (tenant: string, endpoint: string): boolean =>
    running.of(endpoint) === 0 || limitOf(endpoint) > initialLimit || tenants.of(tenant) < half;
  const endpointFits = ({ tenant, endpoint }: SlotOwner): boolean =>
    endpoint === '' ||
    (running.of(endpoint) < limitOf(endpoint) &&
      endpoints.of(endpoint) < half &&
      mayRepeat(tenant, endpoint));

  function occupy({ tenant, endpoint }: SlotOwner, by: 1 | -1): void {
    inUse += by;
    tenants.add(tenant, by);
    if (endpoint === '') return;
    endpoints.add(endpoint, by);
    running.add(endpoint, by);
  }

  return {
    /**
     * Waits at most `maxWaitMs` for a slot. Returns undefined if the endpoint or the tenant already
     * has its share of the places. `bytes` is the size of the attempt's task.
     */
    take(
      owner: SlotOwner,
      { maxWaitMs = Number.POSITIVE_INFINITY, bytes = 0 } = {},
    ): Promise<Slot> | undefined {
      if (isClosed) return Promise.resolve('stopped');
      if (tenantFits(owner.tenant) && endpointFits(owner)) {
        occupy(owner, 1);
        return Promise.resolve('run');
      }
      const size = 1 + Math.floor(bytes / bytesPerPlace);
      const most = Math.max(
        endpointPlaces.least,
        endpointPlaces.perSlot * Math.min(limitOf(owner.endpoint), half),
      );
      return queues.join(owner, { size, most, maxWaitMs });
    },
    /** Frees a slot, and begins attempts that wait for one. */
    free(owner: SlotOwner): void {
      occupy(owner, -1);
      beginWaiting();
    },
    /** Rejects waiting attempts. Running attempts finish. */
    close(): void {
      isClosed = true;
      queues.close();
    },
    beginWaiting(): void {
      while (inUse < total) {
        const next = queues.takeNext(tenantFits, endpointFits);
        if (!next) return;
        occupy(next.owner, 1);
        next.begin('run');
      }
    },
  };
}
