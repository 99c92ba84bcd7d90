import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { kubernetes, objectsIn, openChart, readScenario, scenarios, valueFiles } from './helm.ts';
import { objectsOf, podsIn } from './manifests.ts';
import { assertRestricted } from './restricted.ts';
import { findSchemas } from './schemas.ts';
import { findTool, run } from './tools.ts';

// Every set of values that comes with the chart, as Kubernetes and a second reader see it.

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

  test(`every object of every scenario is one of Kubernetes ${kubernetes[version]}`, {
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

/** The scenarios in which pods sign in to Vault by themselves. */
const signingIn: readonly string[] = [valueFiles.full, 'ci/vault-values.yaml'];

test('every pod of every scenario is one that the namespace profile `restricted` takes', {
  skip: chart.skip,
}, () => {
  for (const { name: scenario, objects } of rendered) {
    const pods = podsIn(objects);
    assert.ok(pods.length >= (scenario.includes('single') ? 4 : 10), scenario);
    const own = scenario === valueFiles.full ? { user: 1000650000 } : {};
    for (const { name, pod } of pods)
      assertRestricted(
        pod,
        `${name}, ${scenario}`,
        name.endsWith('-postgres') ? { user: 70, group: 70 } : own,
      );
  }
});

test('no pod of any scenario gets a token of its ServiceAccount, but the one to sign in to Vault', {
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

test('a Secret is rendered for an evaluation alone, and nothing is random outside of one', {
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

test('nothing is a hook but what `helm test` runs, and migrations that are to go first', {
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

test('every object has a name of its own, within 63 characters, and every ServiceAccount that is named is there', {
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

/** What a second reader complains of and we do on purpose. */
const onPurpose: ReadonlyArray<readonly [check: string, reason: string]> = [
  [
    'container-security-context-user-group-id',
    'wants numbers above 10000 in each container; they are in the pod, and PostgreSQL’s image has 70',
  ],
  [
    'container-image-pull-policy',
    'wants Always; a released tag is never pushed again, and a digest names one image for ever',
  ],
  [
    'container-ephemeral-storage-request-and-limit',
    'the one place that can be written to has a sizeLimit',
  ],
  [
    'pod-probes',
    'wants a readiness probe that is not the liveness probe; it takes the same port for the same probe',
  ],
  ['deployment-has-host-podantiaffinity', 'topologySpreadConstraints spread the pods'],
  ['statefulset-has-host-podantiaffinity', 'an evaluation’s servers have one pod'],
  [
    'deployment-has-poddisruptionbudget',
    'made where there are two pods and more, which scaling.test.ts looks at',
  ],
  ['statefulset-has-poddisruptionbudget', 'an evaluation’s servers have one pod'],
  [
    'deployment-strategy',
    'the inbox of an evaluation keeps its mails in memory: one after the other',
  ],
  [
    'networkpolicy-targets-pod',
    'the migrations have theirs before a hook needs it; network.test.ts looks at every pod',
  ],
  ['deployment-replicas', 'the least values and an evaluation have one pod each'],
];

test('kube-score complains of nothing that is not on purpose', {
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
  // Without policies there is none for any pod.
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
