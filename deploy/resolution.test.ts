import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';

/** Prints the modules that all services and the gateway load, sooner or later. */
const program = `
  import { registerHooks } from 'node:module';
  const urls = [];
  registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
  for (const name of ['identity', 'access', 'sso', 'notifications'])
    await import('./services/' + name + '/service.ts');
  await import('./gateway/gateway.ts');
  const { loadDeferred } = await import('./packages/process/mod.ts');
  await loadDeferred();
  process.stdout.write(JSON.stringify(urls.toSorted()), () => process.exit());`;

function modulesWith(...options: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...options, '--input-type=module', '--eval', program],
    { cwd: new URL('..', import.meta.url), encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 },
  );
  assert.ok(stdout.startsWith('['), stderr);
  return JSON.parse(stdout) as string[];
}

test('the same modules are loaded with the short resolution as by Node alone', () => {
  const modules = modulesWith();
  assert.ok(modules.length > 1500);
  assert.deepEqual(modulesWith('--import=./deploy/resolution.ts'), modules);
});
