import { cpuMicrosOf } from '@bailiwick/test/support/numbers.ts';
import { type Bench, compare, interleave, withErrors } from './bench.ts';
import { closedLoop, openPool } from './driver.ts';
import { startPeer } from './peer.ts';
import { createPeople, pidsOf, reads, startMeasured } from './stack.ts';

/** More and shorter turns than elsewhere, because the difference is a few hundredths. */
const roundsEach = 3;

/**
 * G9, the cost of telemetry: the CPU time of a read in one process, with everything off, with
 * metrics, and with traces.
 */
export const telemetry: Bench = async ({ seconds, rounds }) => {
  const collector = await startPeer<{ url: string }>('collector.ts');
  const OTEL_EXPORTER_OTLP_ENDPOINT = collector.ready.url;
  const off = await start({ OTEL_METRICS_EXPORTER: 'none' }, seconds);
  const metrics = await start({}, seconds);
  const few = await start({ OTEL_EXPORTER_OTLP_ENDPOINT }, seconds);
  const all = await start(
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: 'always_on' },
    seconds,
  );
  const results = await interleave(
    { off: off.turn, metrics: metrics.turn, few: few.turn, all: all.turn },
    roundsEach * rounds,
  );
  const cpuOf = (name: keyof typeof results) => results[name].map(({ cpu }) => cpu);
  const row = { id: 'G9', unit: 'µs', against: 'telemetry off' };
  const rows = [
    compare({ ...row, what: 'CPU of a read with metrics' }, cpuOf('metrics'), cpuOf('off')),
    compare(
      { ...row, what: 'CPU of a read with metrics, and traces at 1 %', target: { most: 1.08 } },
      cpuOf('few'),
      cpuOf('off'),
    ),
    compare(
      { ...row, what: 'CPU of a read with metrics, and traces at 100 %' },
      cpuOf('all'),
      cpuOf('off'),
    ),
  ].map((each) => withErrors(each, ...Object.values(results)));
  await Promise.all([...[off, metrics, few, all].map((each) => each.stop()), collector.stop()]);
  return rows;
};

async function start(environment: Record<string, string>, seconds: number) {
  const stack = await startMeasured('one process', environment);
  const target = { pool: openPool(stack.url), next: reads(await createPeople(stack, 10)) };
  return {
    async turn() {
      const before = cpuMicrosOf(...pidsOf(stack));
      const result = await closedLoop(target, 8, seconds / 2);
      return { ...result, cpu: (cpuMicrosOf(...pidsOf(stack)) - before) / result.calls };
    },
    async stop() {
      await target.pool.close();
      await stack.stop();
    },
  };
}
