import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { findBroker } from '@bailiwick/deploy/local/broker.ts';
import { startTestServer } from './database.ts';

// npm test: one PostgreSQL and one nats-server program for the run, then node's own test runner over every test file.
//
//   npm test                          all of them
//   npm test -- test/operations       those below a folder, or single files

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['proto', 'services', 'gateway', 'deploy', 'test'];

async function main(): Promise<number> {
  const chosen = process.argv.slice(2);
  const files = globSync((chosen.length > 0 ? chosen : folders).map(pattern), { cwd: root, exclude: (name) => name.includes('node_modules') }).sort();
  if (files.length === 0) throw new Error(`no test file in ${chosen.join(', ')}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-tests-'));
  const broker = await findBroker((line) => process.stderr.write(`${line}\n`));
  const database = await startTestServer(path.join(folder, 'postgres'));
  try {
    return await runTests(files, { BAILIWICK_TEST_DATABASE: database.url, BAILIWICK_TEST_BROKER: JSON.stringify(broker) });
  } finally {
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const pattern = (target: string) => (target.endsWith('.ts') ? target : `${target.replace(/\/$/, '')}/**/*.test.ts`);

function runTests(files: readonly string[], environment: Record<string, string>): Promise<number> {
  const concurrency = Math.max(2, availableParallelism());
  const args = ['--test', `--test-concurrency=${concurrency}`, '--test-timeout=300000', ...files];
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } });
  // The tests end by themselves on Ctrl-C, since they are in the same process group; then the database is stopped.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => child.once('error', reject).once('exit', (code) => resolve(code ?? 1)));
}

process.exit(await main());
