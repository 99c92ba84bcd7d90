import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { afterEach, describe, test } from 'node:test';
import { denoEnvironment, denoTest, unitTests } from '@bailiwick/deploy/local/deno.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { deno, skip } from './deno.ts';

// Deno on the code itself: its types, and the tests that need no running product.

const files = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') }).sort();

async function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  // Deno's tests must not report to this runner.
  const env = { ...process.env, ...denoEnvironment, NODE_TEST_CONTEXT: undefined };
  const child = spawn(deno, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += String(chunk)));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  return { code, output };
}

describe('Deno', { skip, concurrency: false }, () => {
  // If a package is missing, Deno moves parts of pnpm-workspace.yaml into the package.json.
  const manifests = files(
    'package.json',
    'pnpm-workspace.yaml',
    'pnpm-lock.yaml',
    'deno.jsonc',
  ).map((file) => path.join(root, file));
  const read = () => manifests.map((file) => readFileSync(file, 'utf8'));
  const before = skip === false ? read() : [];
  afterEach(() => {
    assert.deepEqual(read(), before, 'Deno has changed a manifest');
    assert.ok(!existsSync(path.join(root, 'deno.lock')));
  });

  test('the code has no type errors on Deno', async () => {
    const entries = files(
      'gateway/main.ts',
      'services/*/main.ts',
      'deploy/{serve,single,migrate}.ts',
    );
    assert.equal(entries.length, 8, entries.join());
    const { code, output } = await run(['check', ...entries]);
    assert.equal(code, 0, output);
  });

  test('the tests of the services, the gateway and proto pass on Deno', async (t) => {
    const { code, output } = await run([...denoTest, ...unitTests]);
    assert.equal(code, 0, output.slice(output.indexOf(' ERRORS ')));
    const [summary = '', passed] = /^ok \| (\d+) passed .*$/m.exec(output) ?? [];
    assert.ok(Number(passed) > 200, output);
    t.diagnostic(`under deno test: ${summary}`);
  });
});
