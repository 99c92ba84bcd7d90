import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findTool, run } from '../tools/go.ts';
import { kubernetes, objectsIn, openChart, readScenario, scenarios, valueFiles } from './helm.ts';
import { objectsOf, podsIn } from './manifests.ts';
import { assertRestricted } from './restricted.ts';
import { findSchemas } from './schemas.ts';

// Every value file of the chart, validated against Kubernetes and by a second linter.

const chart = await openChart();
const conform = await findTool('kubeconform');
const score = await findTool('kube-score');
const schemas = {
  oldest: await findSchemas(kubernetes.oldest),
  newest: await findSchemas(kubernetes.newest),
};

const folder = mkdtempSync(join(tmpdir(), 'bailiwick-scenarios-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const texts = chart.skip
  ? []
  : await Promise.all(scenarios.map((scenario) => chart.template({ file: scenario })));
const rendered = texts.map((text, index) => {
  const name = scenarios[index] ?? '';
  const file = join(folder, name.replaceAll('/', '-'));
  writeFileSync(file, text);
  return { file, name, text, objects: objectsIn(text) };
});

test('helm lint finds nothing in any scenario', { skip: chart.skip }, async () => {
  assert.ok(scenarios.length > 15);
  await Promise.all(scenarios.map((file) => chart.lint({ file })));
});

const validate = (schemaFolder: string, ...files: string[]) =>
  run(
    conform.command ?? '',
    [
      '-strict',
      '-output',
      'json',
      '-summary',
      '-schema-location',
      `${schemaFolder}/{{.ResourceKind}}{{.KindSuffix}}.json`,
      ...files,
    ],
    {
      maxBuffer: 1 << 26,
    },
  );

for (const version of ['oldest', 'newest'] as const) {
  const { folder: schemaFolder = '', reason } = schemas[version];
  const skip = chart.skip || conform.reason || reason || false;

  test(`every object of every scenario is valid in Kubernetes ${kubernetes[version]}`, {
    skip,
  }, async () => {
    const { stdout } = await validate(schemaFolder, ...rendered.map(({ file }) => file)).catch(
      (error: { stdout: string }) => error,
    );
    const { resources, summary } = JSON.parse(stdout) as {
      resources?: unknown[];
      summary: Record<string, number>;
    };
    assert.deepEqual(resources ?? [], []);
    assert.equal(summary['skipped'], 0);
    assert.ok((summary['valid'] ?? 0) > 30 * scenarios.length);
  });

  test(`the schemas of Kubernetes ${kubernetes[version]} are strict`, { skip }, async () => {
    const wrong = join(folder, 'wrong.json');
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'a', imgae: 'b' }] },
    };
    const scaled = {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: { name: 'a' },
      spec: { scaleTargetRef: { name: 'a' }, triggers: [], foo: 1 },
    };
    for (const object of [pod, scaled]) {
      writeFileSync(wrong, JSON.stringify(object));
      const { stdout } = await validate(schemaFolder, wrong).catch(
        (error: { stdout: string }) => error,
      );
      assert.match(stdout, /additional properties '(imgae|foo)' not allowed/);
    }
  });
}

/** The scenarios whose pods sign in to Vault themselves. */
const signingIn: readonly string[] = [valueFiles.full, 'ci/vault-values.yaml'];

const leastPods: Record<string, number> = { compact: 6, single: 4 };

test('every pod of every scenario fulfils the profile `restricted`', {
  skip: chart.skip,
}, () => {
  for (const { name: scenario, objects } of rendered) {
    const pods = podsIn(objects);
    assert.ok(pods.length >= (leastPods[readScenario(scenario).mode] ?? 10), scenario);
    const own = scenario === valueFiles.full ? { user: 1000650000 } : {};
    for (const { name, pod } of pods)
      assertRestricted(
        pod,
        `${name}, ${scenario}`,
        name.endsWith('-postgres') ? { user: 70, group: 70 } : own,
      );
  }
});

test('no pod of any scenario gets a ServiceAccount token, except the one to sign in to Vault', {
  skip: chart.skip,
}, () => {
  for (const { name: scenario, objects } of rendered) {
    const sources = podsIn(objects).flatMap(({ pod }) =>
      pod.spec.volumes.flatMap(({ projected }) => projected?.sources ?? []),
    );
    const tokens = sources.flatMap(({ serviceAccountToken }) => serviceAccountToken?.path ?? []);
    assert.deepEqual(
      [...new Set(tokens)],
      signingIn.includes(scenario) ? ['vault-jwt'] : [],
      scenario,
    );
  }
});

test('only an evaluation renders a Secret, and only an evaluation has random values', {
  skip: chart.skip,
}, async () => {
  for (const { name: scenario, objects } of rendered) {
    assert.equal(
      objectsOf(objects, 'Secret').length,
      readScenario(scenario).isEvaluation ? 1 : 0,
      scenario,
    );
  }
  const full = rendered.find(({ name }) => name === valueFiles.full);
  assert.equal(await chart.template({ file: 'full' }), full?.text);
});

test('the only hooks are the pods of `helm test` and migrations in mode hook', {
  skip: chart.skip,
}, () => {
  for (const { name: scenario, objects } of rendered) {
    const hooks = objects.flatMap(({ kind, metadata: { annotations = {} } }) =>
      'helm.sh/hook' in annotations ? [`${kind} ${annotations['helm.sh/hook']}`] : [],
    );
    const migrations =
      readScenario(scenario).migrations === 'hook' ? ['Job pre-install,pre-upgrade'] : [];
    assert.deepEqual(
      hooks.sort(),
      [...migrations, ...Array.from({ length: 3 }, () => 'Pod test')],
      scenario,
    );
  }
});

test('every object has a unique name of at most 63 characters, and every named ServiceAccount exists', {
  skip: chart.skip,
}, () => {
  for (const { name: scenario, objects } of rendered) {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    assert.equal(new Set(names).size, names.length, scenario);
    for (const { metadata } of objects)
      assert.ok(
        metadata.name.length <= 63 && metadata.namespace === 'test',
        `${scenario}: ${metadata.name}`,
      );
    for (const { name, pod } of podsIn(objects)) {
      const account = pod.spec.serviceAccountName;
      assert.ok(
        ['default', 'sso'].includes(account) || names.includes(`ServiceAccount ${account}`),
        `${scenario}: ${name} as ${account}`,
      );
    }
  }
});

/** Findings of kube-score that are intended. */
const onPurpose: ReadonlyArray<readonly [check: string, reason: string]> = [
  [
    'container-security-context-user-group-id',
    'wants ids above 10000 in each container; they are set in the pod, and PostgreSQL’s image uses 70',
  ],
  [
    'container-image-pull-policy',
    'wants Always; a released tag is never pushed again, and a digest identifies one image',
  ],
  ['container-ephemeral-storage-request-and-limit', 'the only writable folder has a sizeLimit'],
  [
    'pod-probes',
    'wants a readiness probe that differs from the liveness probe; it uses the same port for both',
  ],
  ['deployment-has-host-podantiaffinity', 'topologySpreadConstraints spread the pods'],
  ['statefulset-has-host-podantiaffinity', 'an evaluation’s servers have one pod'],
  [
    'deployment-has-poddisruptionbudget',
    'created for two or more pods, which scaling.test.ts tests',
  ],
  ['statefulset-has-poddisruptionbudget', 'an evaluation’s servers have one pod'],
  [
    'deployment-strategy',
    'the inbox of an evaluation keeps its mails in memory, so the old pod must stop first',
  ],
  [
    'networkpolicy-targets-pod',
    'the migrations have a policy before a hook needs it; network.test.ts tests every pod',
  ],
  ['deployment-replicas', 'the minimal values and an evaluation have one pod for each workload'],
];

test('kube-score finds nothing unintended', {
  skip: chart.skip || score.reason || false,
}, async () => {
  const args = [
    'score',
    '--output-format',
    'ci',
    '--ignore-container-cpu-limit',
    '--kubernetes-version',
    'v1.29',
    ...onPurpose.flatMap(([check]) => ['--ignore-test', check]),
  ];
  // Without policies no pod has one.
  const guarded = rendered.filter(({ name }) => name !== 'ci/open-network-values.yaml');
  const complaints = await Promise.all(
    guarded.map(async ({ file }) => {
      const { stdout } = await run(score.command ?? '', [...args, file], {
        maxBuffer: 1 << 26,
      }).catch((error: { stdout: string }) => error);
      assert.match(stdout, /\[OK\]/, file);
      return stdout.split('\n').filter((line) => /^\[(CRITICAL|WARNING)\]/.test(line));
    }),
  );
  assert.deepEqual([...new Set(complaints.flat())], []);
});
