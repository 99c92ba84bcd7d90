import type { Attributes, Meter, ObservableResult } from '@opentelemetry/api';

// Metrics are declared beside the code that changes them, count from `beginMetrics` on, and are bound
// to a meter once telemetry.ts has one. Without metrics, each call only tests for undefined.
//
// Label values are few and known in advance: operations, codes, lanes. Never a tenant, endpoint,
// path or user, each of which would become a permanent time series.

type Metric = {
  /** From now on it keeps the measurements. */
  begin?(): void;
  bind(meter: Meter): void;
};

let state: 'off' | 'counting' | 'bound' = 'off';
let meter: Meter | undefined;
const declared: Metric[] = [];

function declare(metric: Metric): void {
  declared.push(metric);
  if (state !== 'off') metric.begin?.();
  if (meter) metric.bind(meter);
}

/** Lets all metrics count, declared before or after, for a meter that starts later. */
export function beginMetrics(): void {
  state = 'counting';
  for (const metric of declared) metric.begin?.();
}

/** Binds all metrics to a meter. */
export function startMetrics(started: Meter): void {
  if (state !== 'counting') beginMetrics();
  state = 'bound';
  meter = started;
  for (const metric of declared) metric.bind(started);
}

type Options = { name: string; about: string };

export type Counter<Labels extends Attributes> = { add(labels: Labels, by?: number): void };

/**
 * Adds up values by their labels, to be read at each scrape: the SDK's own counters sort and hash
 * the labels of each addition, which costs ten times as much. Every addition names its labels in the
 * same order.
 */
function createSums() {
  const sums = new Map<string, { labels: Attributes; sum: number }>();
  let isCounting = false;
  return {
    add(labels: Attributes, by: number): void {
      if (!isCounting) return;
      let key = '';
      for (const label in labels) key += `${String(labels[label])}\n`;
      const entry = sums.get(key);
      if (entry) entry.sum += by;
      else sums.set(key, { labels: { ...labels }, sum: by });
    },
    begin(): void {
      isCounting = true;
      sums.clear();
    },
    report(result: ObservableResult): void {
      for (const { labels, sum } of sums.values()) result.observe(sum, labels);
    },
  };
}

/** A counter. The label sets in `initial` start at 0. */
export function counter<Labels extends Attributes = Record<string, never>>(
  { name, about: description }: Options,
  ...initial: Labels[]
): Counter<Labels> {
  const sums = createSums();
  declare({
    begin() {
      sums.begin();
      for (const labels of initial) sums.add(labels, 0);
    },
    bind: (bound) => bound.createObservableCounter(name, { description }).addCallback(sums.report),
  });
  return { add: (labels, by = 1) => sums.add(labels, by) };
}

export type Level<Labels extends Attributes> = { change(by: number, labels: Labels): void };

/** A number that goes up and down. */
export function level<Labels extends Attributes>({
  name,
  about: description,
}: Options): Level<Labels> {
  const sums = createSums();
  declare({
    begin: sums.begin,
    bind: (bound) =>
      bound.createObservableUpDownCounter(name, { description }).addCallback(sums.report),
  });
  return { change: (by, labels) => sums.add(labels, by) };
}

export type Timing<Labels extends Attributes> = { record(seconds: number, labels: Labels): void };

/** From a cached response to the longest deadline. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Values that a distribution keeps of a process that is not ready, before a scrape. */
const mostUnbound = 1000;

/** A distribution of times in seconds. `boundaries` are the upper limits of its buckets. */
export function timing<Labels extends Attributes = Record<string, never>>(
  { name, about: description }: Options,
  boundaries: readonly number[] = bounds,
): Timing<Labels> {
  let record: Timing<Labels>['record'] | undefined;
  let unbound: Array<Parameters<Timing<Labels>['record']>> = [];
  declare({
    begin() {
      record = (...measured) => {
        if (unbound.length < mostUnbound) unbound.push(measured);
      };
    },
    bind(bound) {
      const instrument = bound.createHistogram(name, {
        description,
        unit: 's',
        advice: { explicitBucketBoundaries: [...boundaries] },
      });
      record = (seconds, labels) => instrument.record(seconds, labels);
      for (const measured of unbound) record(...measured);
      unbound = [];
    },
  });
  return { record: (seconds, labels) => record?.(seconds, labels) };
}

/** One value of a gauge, with its labels. */
export type Reading<Labels extends Attributes> = { value: number; labels: Labels };
type Read<Labels extends Attributes> = () =>
  | Promise<ReadonlyArray<Reading<Labels>>>
  | ReadonlyArray<Reading<Labels>>;
export type Gauge<Labels extends Attributes> = {
  /** Adds a source that is read at each scrape. */
  from(read: Read<Labels>): void;
};

/** A value that is read at each scrape. If a source fails, its last label sets report NaN. */
export function gauge<Labels extends Attributes = Record<string, never>>({
  name,
  about: description,
}: Options): Gauge<Labels> {
  const sources: Array<() => Promise<ReadonlyArray<Reading<Labels>>>> = [];
  const observe = async (result: ObservableResult): Promise<void> => {
    const readings = await Promise.all(sources.map((read) => read()));
    for (const { value, labels } of readings.flat()) result.observe(value, labels);
  };
  declare({
    bind: (bound) => bound.createObservableGauge(name, { description }).addCallback(observe),
  });
  return {
    from(read) {
      // The SDK repeats the last value of a missing observation: a lag of 0 while the database is
      // away.
      let last: ReadonlyArray<Reading<Labels>> = [];
      sources.push(
        async () =>
          (last =
            (await withinLimit(read)) ?? last.map(({ labels }) => ({ value: Number.NaN, labels }))),
      );
    },
  };
}

export type Total = { from(read: () => number): void };

/** A counter kept elsewhere: its value is read at each scrape. */
export function total({ name, about: description }: Options): Total {
  const sources: Array<() => number> = [];
  declare({
    bind: (bound) =>
      bound.createObservableCounter(name, { description }).addCallback((result) => {
        for (const read of sources) result.observe(read());
      }),
  });
  return { from: (read) => void sources.push(read) };
}

/** Limit for one source: with the database away the other metrics matter most. */
const readLimitMs = 1000;

async function withinLimit<T>(read: () => Promise<T> | T): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), readLimitMs);
  });
  try {
    return await Promise.race([read(), late]);
  } catch {
    return undefined; // the log and /readyz report the outage
  } finally {
    clearTimeout(timer);
  }
}
