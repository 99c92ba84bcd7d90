import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { openChart } from '../chart/helm.ts';
import { containerOf, type PodSpec, podOf, podsIn, workloads } from '../chart/manifests.ts';
import { assertRestricted } from '../chart/restricted.ts';
import { run } from '../tools/go.ts';
import { assertCapacity, freeCpu, milliCpu, neededCpu } from './capacity.ts';
import { lastIn } from './client-pod.ts';
import { curve } from './curve.ts';
import { neededBy } from './edges.ts';
import { loadPod, noCounts } from './load.ts';
import {
  evaluationValues,
  readOptions,
  refusal,
  rollingValue,
  smallRequests,
  transferFor,
} from './options.ts';
import { storesCpu } from './outside-stores.ts';
import { spreadOf, sumOf } from './spread.ts';
import { type Cluster, untilNothing } from './tools.ts';

// Tests of `npm run test:cluster` that need no cluster.

const chart = await openChart();
const nothing = { image: undefined, context: undefined };

test('local clusters are recognised by their contexts, and each kind gets the image its own way', () => {
  const transferOf = (context: string) => {
    const transfer = transferFor(context, 'b:1');
    return typeof transfer === 'string' ? transfer : [transfer.command, ...transfer.args].join(' ');
  };
  assert.equal(transferOf('kind-kind'), 'kind load docker-image b:1 --name kind');
  assert.equal(transferOf('kind-my-own'), 'kind load docker-image b:1 --name my-own');
  assert.equal(transferOf('k3d-test'), 'k3d image import b:1 --cluster test');
  assert.equal(transferOf('minikube'), 'minikube image load b:1');
  assert.equal(transferOf('docker-desktop'), 'shared');
  assert.equal(transferOf('production'), 'pulled');
  assert.equal(transferOf('not-kind-kind'), 'pulled');
});

test('a remote cluster is only used if it is named, with an image that it can pull', () => {
  assert.equal(refusal('kind-kind', nothing), undefined);
  assert.match(refusal('production', nothing) ?? '', /--context production/);
  assert.match(refusal('production', { ...nothing, image: 'b:1' }) ?? '', /--context production/);
  assert.match(refusal('staging', { ...nothing, context: 'staging' }) ?? '', /--image/);
  assert.equal(refusal('staging', { context: 'staging', image: 'example.com/b:1' }), undefined);
});

test('the arguments name images, a context and scenarios, and nothing else', () => {
  const read = (...args: string[]) => readOptions(args, ['evaluation', 'stores']);
  const none = { ...nothing, previousImage: undefined, denoImage: undefined, scenarios: [] };
  assert.deepEqual(read(), none);
  assert.deepEqual(read('--image', 'b:1', '--context', 'test', 'stores'), {
    ...none,
    image: 'b:1',
    context: 'test',
    scenarios: ['stores'],
  });
  assert.deepEqual(read('--previous-image', 'b:0', '--deno-image', 'b:2'), {
    ...none,
    previousImage: 'b:0',
    denoImage: 'b:2',
  });
  assert.throws(() => read('--imgae', 'b:1'), /imgae/);
  assert.throws(() => read('b:1'), /there is no scenario b:1, but evaluation, stores/);
});

test('the counts of a pod come from its last line', () => {
  assert.deepEqual(lastIn('', noCounts), noCounts);
  const lines = [
    { ...noCounts, requests: 1 },
    { ...noCounts, requests: 2, failed: 1, failures: ['a'], awaited: 1 },
  ];
  const logs = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  assert.deepEqual(lastIn(logs, noCounts), lines[1]);
});

test('the table of the policies says which connections of an evaluation are open', () => {
  assert.deepEqual(neededBy('access').sort(), [
    'identity:8080',
    'identity:8081',
    'nats:4222',
    'postgres:5432',
  ]);
  assert.deepEqual(neededBy('notifications-email').sort(), [
    'access:8080',
    'access:8081',
    'inbox:1025',
    'nats:4222',
    'postgres:5432',
    'sso:8080',
    'sso:8081',
  ]);
});

test('the spread of a load is its range as a share of its mean', () => {
  const metrics =
    'calls_total{operation="A"} 3\ncalls_total{operation="B"} 4\nother_calls_total 5\n';
  assert.equal(sumOf(metrics, 'calls_total'), 7);
  const at = (one: number, two: number) =>
    new Map([
      [
        'access',
        new Map([
          ['one', one],
          ['two', two],
        ]),
      ],
    ]);
  assert.deepEqual(spreadOf(at(0, 10), at(900, 1110)), [
    { workload: 'access', loads: [900, 1100], spread: 0.2 },
  ]);
  assert.deepEqual(spreadOf(at(0, 0), at(9, 11)), []);
});

test('the pod with the load fulfils the namespace’s profile', () => {
  const { spec } = loadPod({
    image: 'bailiwick:test',
    gateway: 'http://bailiwick-gateway:8080',
    token: 'token',
    tenant: 'ten_1',
  });
  const containers = spec.containers.map((container) => ({ ...container, volumeMounts: [] }));
  assertRestricted(
    { metadata: {}, spec: { ...spec, serviceAccountName: 'default', containers, volumes: [] } },
    'load',
  );
});

test('untilNothing waits until nothing is found, and fails with the remaining objects', async () => {
  const answers = ['pod/a\npod/b\n', 'pod/b\n', '\n'];
  await untilNothing('left', async () => answers.shift() ?? assert.fail('asked too often'), {
    pauseMs: 1,
  });
  await assert.rejects(
    untilNothing('left', async () => 'pod/b\n', { limitMs: 5, pauseMs: 1 }),
    /^Error: left: pod\/b$/,
  );
});

test('every installed pod has the named image', { skip: chart.skip }, async () => {
  for (const [image, expected] of [
    ['bailiwick:test', 'bailiwick:test'],
    ['bailiwick', 'bailiwick:latest'],
    ['localhost:5000/team/bailiwick:1.2', 'localhost:5000/team/bailiwick:1.2'],
    [`example.com/b@sha256:${'ab'.repeat(32)}`, `example.com/b@sha256:${'ab'.repeat(32)}`],
  ] as const) {
    const objects = await chart.render({ set: evaluationValues(image, 'http://127.0.0.1:18080') });
    for (const name of Object.keys(workloads))
      assert.equal(containerOf(podOf(objects, 'Deployment', name)).image, expected);
    assert.equal(objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').length, 0);
  }
});

test('the upgrade replaces the pods of every workload, but not those of database and broker', {
  skip: chart.skip,
}, async () => {
  const podsWith = async (...more: string[]) => {
    const objects = await chart.render({
      set: [...evaluationValues('bailiwick:test', 'http://127.0.0.1:18080'), ...more],
    });
    // On a cluster, lookups keep the evaluation's random secrets.
    const pods = podsIn(objects).map(
      ({ name, pod }) => [name, JSON.stringify(pod).replaceAll(/"checksum[^,}]*/g, '')] as const,
    );
    return new Map(pods);
  };
  const [before, after] = [await podsWith(), await podsWith(rollingValue)];
  const replaced = [...before]
    .filter(([name, pod]) => after.get(name) !== pod)
    .map(([name]) => name);
  for (const name of Object.keys(workloads))
    assert.ok(
      replaced.some((one) => one.endsWith(name)),
      `${name} of ${replaced.join()}`,
    );
  assert.ok(!replaced.some((name) => /postgres|nats|inbox/.test(name)), replaced.join());
});

test('a run needs the CPU of two replicas, a third one in an upgrade, their servers and the load', {
  skip: chart.skip,
}, async () => {
  const pods = podsIn(
    await chart.render({ file: 'minimal', set: [...smallRequests, 'defaults.replicas=2'] }),
  );
  const cpuOf = ({ containers }: Pick<PodSpec, 'containers'>) =>
    containers.reduce((sum, { resources }) => sum + milliCpu(resources?.requests?.['cpu']), 0);
  const copiesOf = (name: string) =>
    Object.keys(workloads).some((workload) => name.endsWith(workload)) ? 3 : 1;
  const load = loadPod({ image: 'b', gateway: 'g', token: 't', tenant: 'n' }).spec.containers[0];
  const tests = pods.filter(({ name }) => !name.includes('-test-'));
  const needed =
    tests.reduce((sum, { name, pod }) => sum + copiesOf(name) * cpuOf(pod.spec), 0) +
    storesCpu +
    milliCpu(load?.resources.requests.cpu);
  assert.equal(neededCpu, needed);
});

test('a run on a cluster without enough CPU ends at once and reports how much is missing', async () => {
  const pod = (cpu: string, phase = 'Running', nodeName = 'a') => ({
    spec: { nodeName, containers: [{ resources: { requests: { cpu } } }, {}] },
    status: { phase },
  });
  const node = (cpu: string, unschedulable = false) => ({
    spec: { unschedulable },
    status: { allocatable: { cpu } },
  });
  assert.equal(
    freeCpu(
      [node('2'), node('500m'), node('8', true)],
      [pod('0.5'), pod('100m'), pod('1', 'Succeeded')],
    ),
    1900,
  );
  const answers: Record<string, unknown> = { nodes: [node('2')], pods: [pod('700m')] };
  const kubectl = async (_get: string, resource: string) =>
    JSON.stringify({ items: answers[resource] });
  await assert.rejects(
    assertCapacity({ kubectl } as unknown as Cluster),
    /1300m of CPU left to request, and the test needs 1450m/,
  );
  answers['pods'] = [];
  await assertCapacity({ kubectl } as unknown as Cluster);
});

test('a run without a cluster reports that in one line and does not fail', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-cluster-'));
  try {
    const script = path.join(import.meta.dirname, 'run.ts');
    const without = await run(process.execPath, [script], { env: { PATH: folder } });
    assert.equal(
      without.stderr,
      'NOT TESTED ON KUBERNETES: no cluster answers (kubectl is not on the PATH)\n',
    );
    writeFileSync(
      path.join(folder, 'kubectl'),
      '#!/bin/sh\necho "The connection to the server was refused" >&2\nexit 1\n',
      { mode: 0o755 },
    );
    const silent = await run(process.execPath, [script], {
      env: { PATH: `${folder}:/bin:/usr/bin` },
    });
    assert.equal(
      silent.stderr,
      'NOT TESTED ON KUBERNETES: no cluster answers (The connection to the server was refused)\n',
    );
    assert.equal(without.stdout + silent.stdout, '');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the curve of a scaling says in words when the number of pods changed', () => {
  const at = (seconds: number, backlog: number, workers: number) => ({
    seconds,
    backlog,
    pods: { gateway: 1, workers },
  });
  const svg = curve([at(0, 0, 1), at(5, 20_000, 1), at(65, 9000, 4), at(600, 0, 1)], 'A title');
  assert.ok(
    svg.includes(
      '<desc id="d">gateway: 1 pod at 0 s. workers: 1 pod at 0 s, 4 pods at 65 s, 1 pod at 600 s. The backlog has 20000 deliveries at most, and 0 at the end.</desc>',
    ),
    svg,
  );
  assert.match(svg, />20,000</);
});
