import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findBroker } from '@bailiwick/deploy/local/broker.ts';
import { startBrokerContainer } from '@bailiwick/deploy/local/containers.ts';
import { findDeno } from '@bailiwick/deploy/local/deno.ts';
import { readOptions } from '@bailiwick/deploy/local/options.ts';
import { firstWay } from '@bailiwick/deploy/local/ways.ts';
import { withoutChromium } from './browser/chromium.ts';
import { startTestServer } from './database.ts';

// npm test: one PostgreSQL and one nats-server program for the run, then node's own test runner over every test file.
//
//   npm test                                all of them but the long proofs
//   npm test -- --long                      the long proofs alone: races, kills, hostile receivers (*.long.test.ts)
//   npm test -- test/operations             those below a folder, or single files
//   npm test -- --deno test/operations      with the product's processes on Deno
//   BAILIWICK_INFRA=containers npm test     with databases and brokers in containers
//
// Photographs of the pages are left in test/artifacts, or in the folder that BAILIWICK_ARTIFACTS names.

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['proto', 'services', 'gateway', 'deploy', 'test'];
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const onDeno = process.argv.includes('--deno');
  const isLong = process.argv.includes('--long');
  const chosen = process.argv
    .slice(2)
    .filter((argument) => argument !== '--deno' && argument !== '--long');
  const found = globSync((chosen.length > 0 ? chosen : folders).map(pattern), {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  }).sort();
  // Whoever names files or folders means all that is there.
  const files =
    chosen.length > 0 ? found : found.filter((file) => file.endsWith('.long.test.ts') === isLong);
  if (files.length === 0) throw new Error(`no test file in ${chosen.join(', ')}`);
  // What is skipped nobody should overlook.
  if (withoutChromium && files.some((file) => file.startsWith(path.join('test', 'browser'))))
    say(`\n${withoutChromium}\n`);
  const { containers } = readOptions([], process.env);
  const deno =
    onDeno || files.some((file) => file.startsWith(path.join('test', 'deno')))
      ? await prepareDeno(onDeno)
      : {};
  const broker = await firstWay(
    {
      own: async () => ({ BAILIWICK_TEST_BROKER: JSON.stringify(await findBroker(say)) }),
      container: tryBrokerContainer,
    },
    containers,
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-tests-'));
  const database = await startTestServer(path.join(folder, 'postgres'));
  try {
    return await runTests(files, { BAILIWICK_TEST_DATABASE: database.url, ...broker, ...deno });
  } finally {
    await database.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Once, and for its image: it is fetched before any test's time runs. */
async function tryBrokerContainer(): Promise<Record<string, string>> {
  await (await startBrokerContainer()).remove();
  return { BAILIWICK_INFRA: 'containers' };
}

/** Its tests are skipped where there is none, which nobody should overlook. */
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

const pattern = (target: string) =>
  target.endsWith('.ts') ? target : `${target.replace(/\/$/, '')}/**/*.test.ts`;

function runTests(files: readonly string[], environment: Record<string, string>): Promise<number> {
  const concurrency = Math.max(2, availableParallelism());
  // A file whose set-up failed half-way would otherwise wait for ever for the processes that it has started.
  const args = [
    '--test',
    '--test-force-exit',
    `--test-concurrency=${concurrency}`,
    '--test-timeout=300000',
    ...files,
  ];
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: {
      BAILIWICK_ARTIFACTS: path.join(root, 'test', 'artifacts'),
      ...process.env,
      ...environment,
    },
  });
  // The tests end by themselves on Ctrl-C, since they are in the same process group; then the database is stopped.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1)),
  );
}

process.exit(await main());
