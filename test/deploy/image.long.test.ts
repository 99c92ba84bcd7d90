import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { denoVersion } from '@bailiwick/deploy/versions.ts';
import { isIgnored, read, readDockerfile, stageIn, textsOf, variablesOf } from './dockerfile.ts';
import { holdsPrivateKey } from './image-files.ts';

// What the Dockerfile says and no build shows. container.long.test.ts builds the image.

const { defaults, stages } = readDockerfile();
const stageOf = (name: string) => stageIn(stages, name);
const install = stageOf('install');

test('an engine gets no tests, packages and history of the repository', () => {
  for (const path of ['test/run.ts', 'gateway/node_modules', '.git'])
    assert.ok(isIgnored(path), path);
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

test('the check for private keys finds every PEM type, also inside a string literal', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  for (const type of ['pkcs8', 'sec1'] as const) {
    const pem = privateKey.export({ type, format: 'pem' }).toString();
    assert.ok(holdsPrivateKey(pem) && holdsPrivateKey(JSON.stringify(pem)), type);
  }
  // The header alone, in code that writes PEM.
  assert.ok(!holdsPrivateKey('`-----BEGIN PRIVATE KEY-----\\n${key}`'));
});
