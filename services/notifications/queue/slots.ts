// Who of those in hand may make an attempt now, so that nobody waits for somebody else's receiver. Counted in this process
// alone: however many processes share the lanes, none of them needs to ask another.

/** An endpoint's attempts at once in one process, in all of its lanes together. */
const perEndpoint = 4;

export type Whose = { tenant: string; endpoint: string };

/** run: a slot, to be given back. late: none came free in time. stopped: the process ends. */
export type Slot = 'run' | 'late' | 'stopped';

export type Slots = ReturnType<ReturnType<typeof createSlotPool>>;

type Waiting = Whose & { begin: (slot: Slot) => void };

/**
 * The slots of a process, lane by lane. A lane has `total` of them. An endpoint has at most four, and in each lane `room` attempts
 * that wait. A tenant may have more than a quarter of a lane only while another quarter is free, so that whoever comes next finds a
 * slot. Mails have no endpoint: they take any that is free. Where they may wait long (`isPatient`), a tenant has no more than a
 * quarter of `total` that wait, and all together have `total`: whoever waits keeps a hand of the lane from somebody else's work.
 */
export function createSlotPool() {
  const endpoints = createCounts();
  const lanes: Array<() => void> = [];

  return ({
    total,
    room,
    isPatient = false,
  }: {
    total: number;
    room: number;
    isPatient?: boolean;
  }) => {
    const quarter = Math.max(1, Math.floor(total / 4));
    const tenants = createCounts();
    const waiting: Waiting[] = [];
    let inUse = 0;
    let isClosed = false;

    const fits = ({ tenant, endpoint }: Whose) => {
      if (inUse >= total) return false;
      if (endpoint === '') return true;
      return (
        endpoints.of(endpoint) < perEndpoint &&
        (tenants.of(tenant) < quarter || total - inUse > quarter)
      );
    };
    const occupy = ({ tenant, endpoint }: Whose, by: 1 | -1) => {
      inUse += by;
      tenants.add(tenant, by);
      if (endpoint !== '') endpoints.add(endpoint, by);
    };
    const isTooMany = (whose: Whose) => {
      if (whose.endpoint === '') return false;
      if (waiting.filter(({ endpoint }) => endpoint === whose.endpoint).length >= room) return true;
      return (
        isPatient &&
        (waiting.length >= total ||
          waiting.filter(({ tenant }) => tenant === whose.tenant).length >= quarter)
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
       * Waits for a slot, as long as `patienceMs`. undefined where the endpoint, the tenant or the lane has its share waiting already.
       */
      take(whose: Whose, patienceMs = Number.POSITIVE_INFINITY): Promise<Slot> | undefined {
        if (isClosed) return Promise.resolve('stopped');
        if (fits(whose)) {
          occupy(whose, 1);
          return Promise.resolve('run');
        }
        if (isTooMany(whose)) return undefined;
        return new Promise((resolve) => {
          const entry: Waiting = {
            ...whose,
            begin: (slot) => (clearTimeout(timer), resolve(slot)),
          };
          const giveUp = () => {
            waiting.splice(waiting.indexOf(entry), 1);
            resolve('late');
          };
          const timer = Number.isFinite(patienceMs) ? setTimeout(giveUp, patienceMs) : undefined;
          waiting.push(entry);
        });
      },
      /** Gives a slot back. Who waits for the endpoint may be in another lane. */
      free(whose: Whose): void {
        occupy(whose, -1);
        for (const begin of lanes) begin();
      },
      /** Sends away whoever waits. What runs is finished. */
      close(): void {
        isClosed = true;
        for (const { begin } of waiting.splice(0)) begin('stopped');
      },
    };
  };
}

/** Numbers by name; a name whose number is 0 is forgotten. */
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
