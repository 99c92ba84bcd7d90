// Decides which of the received attempts may be made now, so that one tenant's slow receiver does
// not delay other tenants. Counted per process: processes that share a lane do not coordinate.

/** An endpoint's concurrent attempts in one process, across all its lanes. */
const perEndpoint = 4;

export type SlotOwner = { tenant: string; endpoint: string };

/** run: a slot, to be freed. late: no slot became free in time. stopped: the process stops. */
export type Slot = 'run' | 'late' | 'stopped';

export type Slots = ReturnType<ReturnType<typeof createSlotPool>>;

type Waiting = SlotOwner & { begin: (slot: Slot) => void };

type LaneOptions = { total: number; room: number; hasLongWaits?: boolean };

/**
 * The slots of a process, per lane. A lane has `total` slots. An endpoint has at most four, and in
 * each lane at most `room` waiting attempts. A tenant may hold more than a quarter of a lane only
 * while another quarter is free, so that the next tenant finds a slot. Mails have no endpoint and
 * take any free slot. With `hasLongWaits`, a tenant has at most a quarter of `total` waiting and
 * all tenants together at most `total`: each waiting attempt occupies a place of the lane.
 */
export function createSlotPool() {
  const endpoints = createCounts();
  const lanes: Array<() => void> = [];

  return ({ total, room, hasLongWaits = false }: LaneOptions) => {
    const lane = createLaneSlots(endpoints, total);
    const queue = createWaitingList({ total, room, hasLongWaits });
    let isClosed = false;
    lanes.push(() => queue.begin(lane));

    return {
      /**
       * Waits at most `maxWaitMs` for a slot. Returns undefined if the endpoint, the tenant or the
       * lane already has its share waiting.
       */
      take(owner: SlotOwner, maxWaitMs = Number.POSITIVE_INFINITY): Promise<Slot> | undefined {
        if (isClosed) return Promise.resolve('stopped');
        if (lane.fits(owner)) {
          lane.occupy(owner, 1);
          return Promise.resolve('run');
        }
        return queue.isFull(owner) ? undefined : queue.join(owner, maxWaitMs);
      },
      /** Frees a slot. An attempt that waits for the endpoint may be in another lane. */
      free(owner: SlotOwner): void {
        lane.occupy(owner, -1);
        for (const begin of lanes) begin();
      },
      /** Rejects waiting attempts. Running attempts finish. */
      close(): void {
        isClosed = true;
        queue.close();
      },
    };
  };
}

const quarterOf = (total: number) => Math.max(1, Math.floor(total / 4));

type LaneSlots = ReturnType<typeof createLaneSlots>;

/** The slots of a lane that are in use. Endpoints are counted across all lanes. */
function createLaneSlots(endpoints: ReturnType<typeof createCounts>, total: number) {
  const quarter = quarterOf(total);
  const tenants = createCounts();
  let inUse = 0;
  return {
    hasFree: () => inUse < total,
    fits({ tenant, endpoint }: SlotOwner): boolean {
      if (inUse >= total) return false;
      if (endpoint === '') return true;
      return (
        endpoints.of(endpoint) < perEndpoint &&
        (tenants.of(tenant) < quarter || total - inUse > quarter)
      );
    },
    occupy({ tenant, endpoint }: SlotOwner, by: 1 | -1): void {
      inUse += by;
      tenants.add(tenant, by);
      if (endpoint !== '') endpoints.add(endpoint, by);
    },
  };
}

/** The attempts that wait for a slot of a lane, in their order. */
function createWaitingList({ total, room, hasLongWaits }: Required<LaneOptions>) {
  const quarter = quarterOf(total);
  const waiting: Waiting[] = [];
  return {
    /** Whether the endpoint, the tenant or the lane already has its share waiting. */
    isFull(owner: SlotOwner): boolean {
      if (owner.endpoint === '') return false;
      if (waiting.filter(({ endpoint }) => endpoint === owner.endpoint).length >= room) return true;
      return (
        hasLongWaits &&
        (waiting.length >= total ||
          waiting.filter(({ tenant }) => tenant === owner.tenant).length >= quarter)
      );
    },
    join(owner: SlotOwner, maxWaitMs: number): Promise<Slot> {
      return new Promise((resolve) => {
        const entry: Waiting = {
          ...owner,
          begin: (slot) => (clearTimeout(timer), resolve(slot)),
        };
        const timeOut = () => {
          waiting.splice(waiting.indexOf(entry), 1);
          resolve('late');
        };
        const timer = Number.isFinite(maxWaitMs) ? setTimeout(timeOut, maxWaitMs) : undefined;
        waiting.push(entry);
      });
    },
    /** Begins the attempts that now find a slot. */
    begin(lane: LaneSlots): void {
      for (let place = 0; place < waiting.length && lane.hasFree(); ) {
        const next = waiting[place];
        if (!next || !lane.fits(next)) place++;
        else {
          waiting.splice(place, 1);
          lane.occupy(next, 1);
          next.begin('run');
        }
      }
    },
    close(): void {
      for (const { begin } of waiting.splice(0)) begin('stopped');
    },
  };
}

/** Counts by name, without entries for 0. */
function createCounts() {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, by: number): void {
      const count = of(name) + by;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}
