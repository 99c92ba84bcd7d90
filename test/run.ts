import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findBroker } from '@bailiwick/deploy/local/broker.ts';
import { startBrokerContainer } from '@bailiwick/deploy/local/containers.ts';
import { findDeno } from '@bailiwick/deploy/local/deno.ts';
import { readOptions } from '@bailiwick/deploy/local/options.ts';
import { firstProvider } from '@bailiwick/deploy/local/providers.ts';
import { batchesOf, writePrograms } from './batches.ts';
import { withoutChromium } from './browser/chromium.ts';
import { startTestServer } from './support/database.ts';
import { keepStacks } from './support/shared.ts';

// npm test: starts one PostgreSQL and finds nats-server, then runs node's test runner.
//
//   npm run test:unit                       the tests beside the code, without servers
//   npm test                                these, and the operations on running stacks
//   npm test -- --long                      only the long tests: races, kills, browsers, charts, …
//   npm run test:scale                      only the proofs at scale: *.scale.test.ts
//   npm test -- --long --minutes=30         those of the long tests that begin within that time
//   npm test -- test/operations             the tests below a folder, or single files
//   npm test -- --shard=1/2 test/operations the first half of the files
//   npm run test:unit -- --coverage         with a report of the covered lines
//   npm test -- --deno test/operations      with the product's processes on Deno
//   BAILIWICK_INFRA=containers npm test     with databases and brokers in containers
//
// Named tests save screenshots of the pages in test/artifacts; all tests do in the folder of BAILIWICK_ARTIFACTS.

const root = fileURLToPath(new URL('..', import.meta.url));
/** All tests beside the code, in four processes: they wait as much as they compute. */
const unit = ['packages', 'published', 'services', 'ends'].map((name) =>
  path.join('test', `beside-${name}.ts`),
);
/** Folders of test/ whose tests are all long, whatever they are called. */
const longFolders = ['browser', 'chart', 'cluster', 'deno', 'local'].map((name) =>
  path.join('test', name, path.sep),
);
/** Most tests wait more than they compute, so more files run at the same time. */
const cores = Math.max(2, availableParallelism());
/** Long tests that compare times. */
const comparing = new Set(
  [
    'contention-access.long.test.ts',
    'conformance/connect.long.test.ts',
    'contention-others.long.test.ts',
    'delivery/hostile.long.test.ts',
    'operations/identity/timing.long.test.ts',
  ].map((name) => path.join('test', name)),
);
/** Tests that compare times, or use a browser, which needs a core for itself. */
const isTimed = (file: string): boolean =>
  comparing.has(file) || file.startsWith(path.join('test', 'browser', path.sep));
const dayMs = 86_400_000;
let isStopped = false;
let runner: ChildProcess | undefined;
// Ctrl-C also reaches the tests, which share the process group. The database stops after them.
process.on('SIGINT', () => (isStopped = true));
process.on('SIGTERM', () => {
  isStopped = true;
  runner?.kill('SIGTERM');
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
  if (options.includes('--unit')) return runTests(unit, {}, unit.length);
  const onDeno = options.includes('--deno');
  const chosen = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const isLong = options.includes('--long');
  const isScale = options.includes('--scale');
  const files = chosen.length > 0 ? find(chosen) : isScale ? scaleFiles() : filesOf(isLong);
  if (files.length === 0) throw new Error(`no test files in ${chosen.join(', ')}`);
  // Prints a notice, so that skipped tests are noticed.
  if (withoutChromium && files.some((file) => file.startsWith(path.join('test', 'browser'))))
    say(`\n${withoutChromium}\n`);
  const { containers } = readOptions([], process.env);
  const deno =
    onDeno || files.some((file) => file.startsWith(path.join('test', 'deno')))
      ? await prepareDeno(onDeno)
      : {};
  const broker = await firstProvider(
    {
      own: async () => ({ BAILIWICK_TEST_BROKER: JSON.stringify(await findBroker(say)) }),
      container: tryBrokerContainer,
    },
    containers,
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-tests-'));
  const database = await startTestServer(path.join(folder, 'postgres'));
  Object.assign(process.env, { BAILIWICK_TEST_DATABASE: database.url, ...broker, ...deno });
  const stacks = await keepStacks();
  if (chosen.length > 0)
    process.env['BAILIWICK_ARTIFACTS'] ??= path.join(root, 'test', 'artifacts');
  const lane = { files, environment: { BAILIWICK_TEST_STACKS: stacks.url }, folder };
  try {
    return isLong ? await runLong(lane, minutesIn(options)) : await runBatches(lane, cores + 2);
  } finally {
    // Throws if the processes of a stack have logged a failure.
    try {
      await stacks.stop();
    } finally {
      await database.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Tests that depend on the time run with one file for each core, the others with one more. A lane
 * with a limit begins its short files elsewhere every day, so that each of them has its turn, and
 * names those that it did not run.
 */
async function runLong(lane: Lane, minutes: number | undefined): Promise<number> {
  const leftFile = path.join(lane.folder, 'left');
  writeFileSync(leftFile, '');
  const environment = {
    ...lane.environment,
    ...(minutes !== undefined && {
      BAILIWICK_TEST_DEADLINE: String(Date.now() + minutes * 60_000),
      BAILIWICK_TEST_LEFT: leftFile,
    }),
  };
  const timed = lane.files.filter(isTimed);
  const others = lane.files.filter((file) => !isTimed(file));
  const day = minutes === undefined ? 0 : Math.floor(Date.now() / dayMs);
  const status = await runBatches({ ...lane, environment, files: turned(timed, day) }, cores);
  const next = isStopped
    ? 0
    : await runBatches({ ...lane, environment, files: turned(others, day) }, cores + 1);
  const names = readFileSync(leftFile, 'utf8').trim().replaceAll('\n', ' ');
  if (names !== '') say(`NOT RUN WITHIN ${minutes} MINUTES: ${names}`);
  return status || next;
}

/** The files, beginning with another one every day. */
function turned(files: readonly string[], day: number): string[] {
  const first = (day * 10) % Math.max(files.length, 1);
  return [...files.slice(first), ...files.slice(0, first)];
}

/** The files of a run, with a folder for its programs. */
type Lane = { files: readonly string[]; environment: Record<string, string>; folder: string };

function runBatches({ files, environment, folder }: Lane, concurrency: number): Promise<number> {
  if (files.length === 0) return Promise.resolve(0);
  const programs = writePrograms(batchesOf(files), mkdtempSync(path.join(folder, 'programs-')));
  return runTests(programs, environment, concurrency);
}

/** Pulls the image by starting a container once, before the time limits of tests begin. */
async function tryBrokerContainer(): Promise<Record<string, string>> {
  await (await startBrokerContainer()).remove();
  return { BAILIWICK_INFRA: 'containers' };
}

/** Finds Deno. Without it, its tests are skipped with a notice. */
async function prepareDeno(isNeeded: boolean): Promise<Record<string, string>> {
  try {
    return {
      BAILIWICK_TEST_DENO: await findDeno(say),
      ...(isNeeded && { BAILIWICK_TEST_RUNTIME: 'deno' }),
    };
  } catch (error) {
    if (isNeeded) throw error;
    say(`\nNOT TESTED ON DENO: ${error instanceof Error ? error.message : String(error)}\n`);
    return { BAILIWICK_TEST_DENO: '' };
  }
}

/** Named files and folders include the tests of all lanes. */
const find = (targets: readonly string[]): string[] =>
  globSync(targets.map(pattern), {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  }).sort();

const isScaleFile = (file: string): boolean => file.endsWith('.scale.test.ts');
const scaleFiles = (): string[] => find(['test']).filter(isScaleFile);

/** The files of the short or the long lane. */
function filesOf(isLong: boolean): string[] {
  const files = find(['test']).filter(
    (file) =>
      !isScaleFile(file) &&
      isLong ===
        (file.endsWith('.long.test.ts') || longFolders.some((folder) => file.startsWith(folder))),
  );
  return isLong ? files : [...unit, ...files];
}

const pattern = (target: string) =>
  target.endsWith('.ts') ? target : `${target.replace(/\/$/, '')}/**/*.test.ts`;

/** The limit of `--minutes=30`. */
function minutesIn(options: readonly string[]): number | undefined {
  const option = options.find((one) => one.startsWith('--minutes'));
  if (option === undefined) return undefined;
  const minutes = /^--minutes=(\d+)$/.exec(option)?.[1];
  if (minutes === undefined) throw new Error(`${option} is not a limit such as --minutes=30`);
  return Number(minutes);
}

/** The flags of node's test runner for one of our arguments. */
function runnerFlags(argument: string): string[] {
  if (argument === '--coverage') return ['--experimental-test-coverage'];
  return argument.startsWith('--shard=') ? [`--test-${argument.slice(2)}`] : [];
}

function runTests(
  files: readonly string[],
  environment: Record<string, string>,
  concurrency: number,
): Promise<number> {
  // Without --test-force-exit, a file with a failed set-up would wait for its processes forever.
  const args = [
    '--test',
    '--test-force-exit',
    `--test-concurrency=${concurrency}`,
    ...process.argv.flatMap(runnerFlags),
    '--test-timeout=300000',
    ...files,
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
  });
  runner = child;
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1)),
  );
}

process.exit(await main());
