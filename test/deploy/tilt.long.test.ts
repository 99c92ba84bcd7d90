import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { kubernetes, objectsIn } from '../chart/helm.ts';
import { findTool, run } from '../tools/go.ts';
import { copiesOf, read, readDockerfile, stageIn } from './dockerfile.ts';

// Evaluates the Tiltfile with a Starlark interpreter. tilt.star defines Tilt's functions, which
// record their arguments.

type Call = { name: string; args: unknown[]; kwargs: Record<string, unknown> };

const starlark = await findTool('starlark');
const helm = await findTool('helm');
const skip = starlark.reason ?? false;

async function evaluate(t: TestContext, context = 'kind-kind'): Promise<Call[]> {
  const file = join(temporaryFolder(t), 'Tiltfile');
  writeFileSync(
    file,
    `CONTEXT = '${context}'\n${read('test/deploy/tilt.star')}\n${read('Tiltfile')}`,
  );
  // As in Tilt, statements are allowed at top level and a name can be assigned again.
  const { stderr } = await run(starlark.command ?? '', ['-globalreassign', file]);
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Call);
}

const named = (calls: readonly Call[], name: string) => calls.filter((call) => call.name === name);
const onlyOne = (calls: readonly Call[], name: string): Call => {
  const found = named(calls, name);
  assert.equal(found.length, 1, name);
  return found[0] as Call;
};

test('the Tiltfile accepts local clusters, and rejects all others', {
  skip,
}, async (t) => {
  const [allowed] = onlyOne(await evaluate(t), 'allow_k8s_contexts').args as [string[]];
  for (const context of ['kind-kind', 'minikube', 'docker-desktop', 'k3d-bailiwick'])
    assert.ok(allowed.includes(context), context);
  for (const context of ['production', 'kind', 'gke_project_region_kind-kind', '']) {
    await assert.rejects(
      evaluate(t, context),
      ({ stderr = '' }: { stderr?: string }) =>
        stderr.includes('is not a local cluster') && !stderr.includes('"docker_build"'),
    );
  }
});

test('the Tiltfile loads nothing from elsewhere', { skip }, () => {
  assert.doesNotMatch(
    read('Tiltfile'),
    /\bload\(|\bload_dynamic\(|\binclude\(|ext:\/\/|https?:\/\/(?!localhost)/,
  );
});

test('a saved file is synced to its place in the image, and a changed dependency rebuilds the image', {
  skip,
}, async (t) => {
  const { args, kwargs } = onlyOne(await evaluate(t), 'docker_build');
  assert.deepEqual(args, ['bailiwick']);
  const { stages } = readDockerfile();
  assert.equal(kwargs['dockerfile'], 'deploy/Dockerfile');
  assert.ok(stages.has(kwargs['target'] as string), 'the target of the image');
  const updates = kwargs['live_update'] as Call[];
  assert.equal(updates[0]?.name, 'fall_back_on', 'Tilt requires it to be first');
  const [causes] = updates[0].args as [string[]];
  const copied = (stage: string) =>
    copiesOf(stageIn(stages, stage)).flatMap(({ sources }) => sources);
  assert.deepEqual(
    [...causes].sort(),
    copied('install').sort(),
    'the files that the packages are installed from',
  );
  const synced = updates.slice(1).map(({ name, args: [from, to] }) => [name, from, to] as const);
  for (const [name, from, to] of synced) {
    assert.equal(name, 'sync');
    assert.ok(existsSync(join(root, String(from))), String(from));
    assert.equal(to, `/app/${String(from).replace('./', '')}`);
  }
  assert.deepEqual(
    synced.map(([, from]) => String(from).replace('./', '')).sort(),
    [...new Set(copied('sources').map((source) => source.replace(/\/.*/, '')))].sort(),
  );
  for (const path of kwargs['only'] as string[]) assert.ok(existsSync(join(root, path)), path);
});

test('the Tiltfile deploys the chart with its evaluation part, and lists every workload', {
  skip: skip || (helm.reason ?? false),
}, async (t) => {
  const calls = await evaluate(t);
  const [command] = onlyOne(calls, 'local').args as [string[]];
  assert.deepEqual(onlyOne(calls, 'k8s_yaml').args, [{ name: 'local', args: [command] }]);
  assert.deepEqual(command.slice(0, 4), ['helm', 'template', 'bailiwick', 'helm/bailiwick']);
  assert.ok(command.includes('evaluation.enabled=true'));
  assert.deepEqual(onlyOne(calls, 'watch_file').args, ['helm/bailiwick']);
  // Rendering with a cluster would ask it for its version too, and keep its secrets.
  const template = [
    ...command.slice(1).filter((argument) => argument !== '--dry-run=server'),
    '--kube-version',
    kubernetes.newest,
    '--set',
    'evaluation.newSecrets=true',
  ];
  const { stdout } = await run(helm.command ?? '', template, { cwd: root, maxBuffer: 1 << 26 });
  const workloads = objectsIn(stdout).filter(
    ({ kind }) => kind === 'Deployment' || kind === 'StatefulSet',
  );
  for (const { metadata, spec } of workloads.filter(
    ({ metadata: { name } }) => !/-(postgres|nats)$/.test(name),
  )) {
    assert.match(
      spec?.template?.spec.containers[0]?.image ?? '',
      /^bailiwick:/,
      `Tilt replaces the image of ${metadata.name}`,
    );
  }
  for (const { kind, metadata, spec } of objectsIn(stdout).filter(
    ({ kind }) => kind === 'Deployment' || kind === 'Job',
  )) {
    const { command } = spec?.template?.spec.containers[0] ?? assert.fail(metadata.name);
    const isRestarted = kind === 'Deployment' && metadata.name !== 'bailiwick-inbox';
    assert.equal(command?.includes('--watch'), isRestarted, `${kind} ${metadata.name}`);
  }
  const resources = named(calls, 'k8s_resource');
  assert.deepEqual(
    resources.map(({ args: [name] }) => String(name)).sort(),
    workloads.map(({ metadata }) => metadata.name).sort(),
  );
  const forwards = Object.fromEntries(
    resources.flatMap(({ args: [name], kwargs }) =>
      ((kwargs['port_forwards'] ?? []) as string[]).map((port) => [port, name]),
    ),
  );
  assert.deepEqual(forwards, { '8080:8080': 'bailiwick-gateway', '8025:8025': 'bailiwick-inbox' });
  const names = resources.map(({ args: [name] }) => String(name));
  for (const { kwargs } of resources)
    for (const needed of (kwargs['resource_deps'] ?? []) as string[])
      assert.ok(names.includes(needed), needed);
});

test('the checks are available: generated code, types, lint and tests', { skip }, async (t) => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const checks = named(await evaluate(t), 'local_resource');
  assert.deepEqual(checks.map(({ args: [name] }) => String(name)).sort(), [
    'check',
    'generate',
    'lint',
    'test',
    'types',
  ]);
  for (const { args, kwargs } of checks) {
    const [, command] = args as [string, string];
    const [, script] = /^npm run (\S+)$/.exec(command) ?? [];
    const [program = ''] = command.split(' ');
    assert.ok(script === undefined ? existsSync(join(root, program)) : scripts[script], command);
    for (const path of (kwargs['deps'] ?? []) as string[])
      assert.ok(existsSync(join(root, path)), path);
    // The whole suite must not run at every saved file.
    if (['check', 'test'].includes(String(args[0])))
      assert.deepEqual([kwargs['trigger_mode'], kwargs['auto_init']], ['manual', false]);
  }
});
