// Decides which of the received attempts may be made now, so that one tenant's slow receiver does
// not delay other tenants. Counted per process: processes that share a lane do not coordinate.

/** An endpoint's concurrent attempts in one process, across all its lanes. */
const perEndpoint = 4;

export type SlotOwner = { tenant: string; endpoint: string };

/** run: a slot, to be freed. late: no slot became free in time. stopped: the process stops. */
export type Slot = 'run' | 'late' | 'stopped';

export type Slots = ReturnType<ReturnType<typeof createSlotPool>>;

type Waiting = SlotOwner & { begin: (slot: Slot) => void };

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

  return ({
    total,
    room,
    hasLongWaits = false,
  }: {
    total: number;
    room: number;
    hasLongWaits?: boolean;
  }) => {
    const quarter = Math.max(1, Math.floor(total / 4));
    const tenants = createCounts();
    const waiting: Waiting[] = [];
    let inUse = 0;
    let isClosed = false;

    const fits = ({ tenant, endpoint }: SlotOwner) => {
      if (inUse >= total) return false;
      if (endpoint === '') return true;
      return (
        endpoints.of(endpoint) < perEndpoint &&
        (tenants.of(tenant) < quarter || total - inUse > quarter)
      );
    };
    const occupy = ({ tenant, endpoint }: SlotOwner, by: 1 | -1) => {
      inUse += by;
      tenants.add(tenant, by);
      if (endpoint !== '') endpoints.add(endpoint, by);
    };
    const isTooMany = (owner: SlotOwner) => {
      if (owner.endpoint === '') return false;
      if (waiting.filter(({ endpoint }) => endpoint === owner.endpoint).length >= room) return true;
      return (
        hasLongWaits &&
        (waiting.length >= total ||
          waiting.filter(({ tenant }) => tenant === owner.tenant).length >= quarter)
      );
    };
    function beginNext(): void {
      for (let place = 0; place < waiting.length && inUse < total; ) {
        const next = waiting[place];
        if (!next || !fits(next)) place++;
        else {
          waiting.splice(place, 1);
          occupy(next, 1);
          next.begin('run');
        }
      }
    }
    lanes.push(beginNext);

    return {
      /**
       * Waits at most `maxWaitMs` for a slot. Returns undefined if the endpoint, the tenant or the
       * lane already has its share waiting.
       */
      take(owner: SlotOwner, maxWaitMs = Number.POSITIVE_INFINITY): Promise<Slot> | undefined {
        if (isClosed) return Promise.resolve('stopped');
        if (fits(owner)) {
          occupy(owner, 1);
          return Promise.resolve('run');
        }
        if (isTooMany(owner)) return undefined;
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
      /** Frees a slot. An attempt that waits for the endpoint may be in another lane. */
      free(owner: SlotOwner): void {
        occupy(owner, -1);
        for (const begin of lanes) begin();
      },
      /** Rejects waiting attempts. Running attempts finish. */
      close(): void {
        isClosed = true;
        for (const { begin } of waiting.splice(0)) begin('stopped');
      },
    };
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
