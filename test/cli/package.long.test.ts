import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { hostNode } from '../client/host-node.ts';
import { createCli } from './cli.ts';

// The tool as a user installs it, on the host's own Node.

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const catalog = parse(readFileSync(path.join(root, 'pnpm-workspace.yaml'), 'utf8')) as {
  catalog: Record<string, string>;
};

test('the packed tool runs without the workspace, with its two dependencies', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-tool-'));
  const cli = createCli('http://127.0.0.1:1');
  t.after(() => {
    rmSync(folder, { recursive: true, force: true });
    cli.remove();
  });
  await run('npm', ['pack', '--pack-destination', folder], {
    cwd: path.join(root, 'packages/cli'),
  });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const [tarball = ''] = globSync('*.tgz', { cwd: folder });
  const names = ['csv-parse', 'oauth4webapi', 'yaml'];
  const folders = names.map((name) =>
    realpathSync(path.join(root, 'packages/cli/node_modules', name)),
  );
  const offline = ['install', '--offline', '--no-audit', '--no-fund'];
  await run('npm', [...offline, `./${tarball}`, ...folders], { cwd: folder });
  const manifest = JSON.parse(
    readFileSync(path.join(folder, 'node_modules/@bailiwick/cli/package.json'), 'utf8'),
  ) as { dependencies: Record<string, string> };
  const versions = names.map((name) => [name, catalog.catalog[name]]);
  assert.deepEqual(manifest.dependencies, Object.fromEntries(versions));

  const program = [hostNode(), path.join(folder, 'node_modules/.bin/bailiwick')] as const;
  const help = await cli.run(['--help'], { program });
  assert.deepEqual([help.code, help.stdout.startsWith('bailiwick ')], [0, true], help.stderr);
  const { version } = JSON.parse(
    readFileSync(path.join(root, 'packages/cli/package.json'), 'utf8'),
  ) as { version: string };
  for (const one of [program, undefined])
    assert.equal((await cli.run(['--version'], one && { program: one })).stdout, `${version}\n`);
  assert.equal(
    (await cli.run(['Groups_List', '--Tenant', 'x'], { program, env: { BAILIWICK_TOKEN: 'x' } }))
      .code,
    5,
  );
  // The sign-in finds nothing to talk to, but its library.
  assert.equal((await cli.run(['login'], { program })).code, 5);
  assert.match(
    (await cli.run(['plan', '--file', '-'], { program, input: 'Roles: 1' })).stderr,
    /Roles must be a list/,
  );
  const schema = await cli.run(['schema'], { program });
  assert.deepEqual([schema.code, schema.stdout.startsWith('{')], [0, true], schema.stderr);
});

test('npx as README.md calls it runs the sources in the workspace, with their own options', async () => {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  const commands = [...readme.matchAll(/^\$ (npx .*bailiwick) /gm)].map(([, command]) => command);
  assert.ok(commands.length > 0);
  for (const command of new Set(commands)) {
    const { stdout } = await run('bash', ['-c', `${command} --version; ${command} --help`], {
      cwd: root,
    });
    assert.match(stdout, /^0\.1\.0\nbailiwick COMMAND/);
  }
});
