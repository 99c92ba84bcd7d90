import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { type Stack, startStack } from '../harness.ts';
import { signUp } from '../people.ts';
import { startCollector } from '../telemetry/collector.ts';

// What telemetry costs (G9): Account_Get in one process, with everything off, with metrics, and with traces at 1 % and
// at 100 %. The stacks run side by side and take short turns, so that whatever else the machine does meets all of them
// alike; a round's CPU time a call is compared with that of the same round.
//
//   node test/bench/telemetry.ts [rounds] [seconds]

const [rounds = 30, seconds = 1] = process.argv.slice(2).map(Number);
const connections = 8;

type Variant = { name: string; environment: Record<string, string> };
type Round = { perSecond: number; cpuMicros: number };

// The collector has a process of its own: what it does with spans is not our cost.
if (process.send) {
  const { environment } = await startCollector();
  process.on('disconnect', () => process.exit());
  process.send(environment.OTEL_EXPORTER_OTLP_ENDPOINT);
} else {
  await main();
}

async function main(): Promise<void> {
  const collector = fork(fileURLToPath(import.meta.url));
  const OTEL_EXPORTER_OTLP_ENDPOINT = await new Promise<string>((resolve) => collector.once('message', (url) => resolve(url as string)));
  const variants: Variant[] = [
    { name: 'off', environment: { OTEL_METRICS_EXPORTER: 'none' } },
    { name: 'metrics', environment: {} },
    { name: 'traces 1 %', environment: { OTEL_EXPORTER_OTLP_ENDPOINT } },
    { name: 'traces 100 %', environment: { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER: 'always_on' } },
  ];
  const runs = [];
  for (const variant of variants) {
    const stack = await startStack('one process', { BAILIWICK_LIMITS: 'off', ...variant.environment });
    const { token } = await signUp(stack);
    runs.push({ ...variant, stack, pool: new Pool(stack.url, { connections }), token, results: [] as Round[] });
  }
  for (const run of runs) await load(run, 2);
  for (let round = 0; round < rounds; round++) for (const run of runs) run.results.push(await load(run, seconds));
  const [base] = runs;
  for (const { name, results } of runs) {
    const [perSecond, cpu] = [median(results.map((round) => round.perSecond)), median(results.map((round) => round.cpuMicros))];
    const ratios = results.map((round, index) => round.cpuMicros / (base?.results[index]?.cpuMicros ?? Number.NaN));
    console.log(`${name.padEnd(14)} ${perSecond.toFixed(0).padStart(6)}/s  ${cpu.toFixed(0).padStart(6)} µs CPU  × ${median(ratios).toFixed(3)} of off`);
  }
  for (const { stack, pool } of runs) {
    await pool.close();
    await stack.stop();
  }
  collector.kill();
}

type Target = { stack: Stack; pool: Pool; token: string };

async function load({ stack, pool, token }: Target, forSeconds: number): Promise<Round> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const pid = stack.pid('gateway');
  const [started, cpuBefore] = [performance.now(), cpuMicrosOf(pid)];
  let done = 0;
  const client = async (): Promise<void> => {
    while (performance.now() - started < forSeconds * 1000) {
      const { statusCode, body } = await pool.request({ method: 'POST', path: '/Account_Get', headers, body: '{}' });
      await body.dump();
      if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
      done++;
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return { perSecond: (done * 1000) / (performance.now() - started), cpuMicros: (cpuMicrosOf(pid) - cpuBefore) / done };
}

/** The CPU time of a process: Linux's scheduler counts nanoseconds for each thread. */
function cpuMicrosOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  return threads.reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1000, 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
