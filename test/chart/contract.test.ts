import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingTables } from '@bailiwick/deploy/settings.ts';
import { namesOf, readSettings, type Setting, type SettingTable } from '@bailiwick/process';
import { parse } from 'yaml';
import { chartDir, openChart, readScenario, scenarios, valueFiles } from './helm.ts';
import {
  configuredPods,
  containerOf,
  environmentNames,
  materialise,
  objectsOf,
  type Pod,
  podOf,
  secretsIn,
  workloads,
} from './manifests.ts';
import { sampleSecret } from './secrets.ts';

// The chart renders the settings that the processes read, and no others.

const chart = await openChart();
/** The pods of every scenario with separate processes. */
const apart = chart.skip ? [] : scenarios.filter((file) => readScenario(file).mode === 'services');
const installed = await Promise.all(
  apart.map(async (file) => ({ file, pods: configuredPods(await chart.render({ file })) })),
);
const isGiven = (pod: Pod, setting: Setting) =>
  environmentNames(pod).some((name) => namesOf(setting).includes(name));

/** The settings that `config` can set, from the schema, because `config` itself is empty. */
const schema = JSON.parse(readFileSync(join(chartDir, 'values.schema.json'), 'utf8')) as {
  properties: { config: { properties: Record<string, { type: string }> } };
};
const passedOn = schema.properties.config.properties;
const fullValues = parse(readFileSync(join(chartDir, valueFiles.full), 'utf8')) as {
  config: Record<string, unknown>;
  defaults: { extraEnv: Array<{ name: string }> };
};

test('every variable that the chart renders is a setting of its process, in every scenario', {
  skip: chart.skip,
}, () => {
  // Variables of Node and of OpenTelemetry's SDK.
  const standard = /^(NODE_EXTRA_CA_CERTS|OTEL_\w+|POD_NAME)$/;
  const extra = fullValues.defaults.extraEnv.map(({ name }) => name);
  for (const { file, pods } of installed) {
    for (const { name, table, pod } of pods) {
      const names = [
        ...Object.values(table).flatMap(namesOf),
        ...(file === valueFiles.full ? extra : []),
      ];
      const rendered = environmentNames(pod);
      assert.deepEqual(
        rendered.filter((variable) => !names.includes(variable) && !standard.test(variable)),
        [],
        `${name}, ${file}`,
      );
      assert.equal(new Set(rendered).size, rendered.length, `${name}, ${file}: a variable twice`);
    }
  }
});

test('the chart renders every required setting of a process, in every scenario', {
  skip: chart.skip,
}, () => {
  assert.ok(installed.length > 15);
  for (const { file, pods } of installed) {
    assert.equal(
      pods.some(({ name }) => name === 'migrations'),
      readScenario(file).migrations !== 'external',
      file,
    );
    for (const { name, table, pod } of pods) {
      for (const setting of Object.values<Setting>(table)) {
        if (setting.fallback === undefined)
          assert.ok(isGiven(pod, setting), `${name}, ${file}: ${setting.env} is missing`);
      }
    }
  }
});

/**
 * A pod of the gateway has no folder of the database and the broker, and a service no replica of its
 * database without a Secret.
 */
const absent: readonly string[] = ['dataDir', 'databaseReadUrl'];

test('every setting with a default is rendered or a value of `config`, and `config` has no others', {
  skip: chart.skip,
}, async () => {
  const pods = configuredPods(await chart.render({ file: 'minimal' }));
  const unset = pods.flatMap(({ table, pod }) =>
    Object.entries<Setting>(table)
      .filter(([, setting]) => !isGiven(pod, setting))
      .map(([key]) => key)
      .filter((key) => !absent.includes(key)),
  );
  assert.deepEqual(
    Object.keys(passedOn).sort(),
    [...new Set(unset)].sort(),
    'deploy/docs/chart/constraints.ts, config',
  );
  assert.deepEqual(
    Object.keys(fullValues.config).sort(),
    Object.keys(passedOn).sort(),
    'ci/full-values.yaml, config',
  );
});

test('a value of `config` has the type of its setting', () => {
  const types: Partial<Record<Setting['kind'], string>> = {
    int: 'integer',
    flag: 'boolean',
    list: 'array',
    text: 'string',
    url: 'string',
  };
  for (const [key, setting] of Object.values<SettingTable>(settingTables).flatMap((table) =>
    Object.entries(table),
  )) {
    const schema = passedOn[key];
    if (schema) assert.equal(schema.type, types[setting.kind], key);
  }
});

test('values.yaml lists every value of `config` with the default of the process', () => {
  const lines = readFileSync(join(chartDir, 'values.yaml'), 'utf8').split('\n');
  const block = lines.slice(lines.indexOf('config: {}') + 1);
  const commented = block.slice(0, block.indexOf('')).map((line) => line.replace(/^# /, ''));
  const defaults = parse(commented.join('\n')) as Record<string, unknown>;
  const settings = Object.assign({}, ...Object.values(settingTables)) as SettingTable;
  assert.deepEqual(Object.keys(defaults).sort(), Object.keys(passedOn).sort());
  for (const [key, value] of Object.entries(defaults)) {
    assert.equal(String(value), settings[key]?.fallback, key);
  }
});

test('every process accepts the rendered environment and files', {
  skip: chart.skip,
}, async (t) => {
  for (const file of ['minimal', 'evaluation'] as const) {
    const objects = await chart.render({ file });
    const read = file === 'evaluation' ? secretsIn(objects) : sampleSecret;
    for (const { table, pod } of configuredPods(objects))
      readSettings(table, materialise(t, pod, read));
  }
});

test('`config` reaches every process that reads the setting, and a workload’s own value takes precedence', {
  skip: chart.skip,
}, async (t) => {
  let count = 0;
  for (const { name, table, pod } of configuredPods(await chart.render({ file: 'full' }))) {
    const environment = materialise(t, pod, sampleSecret);
    const settings = readSettings(table, environment) as Record<string, unknown>;
    for (const [key, setting] of Object.entries(fullValues.config)) {
      if (!Object.hasOwn(table, key)) continue;
      const isOverridden = name === 'notifications-delivery' && key === 'deliveryConcurrency';
      assert.deepEqual(settings[key], isOverridden ? 128 : setting, `${name}: ${key}`);
      count += 1;
    }
  }
  assert.ok(count > Object.keys(fullValues.config).length);
});

test('notifications runs each role in a workload of its own, and callers reach the one that serves calls', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  const valueOf = (workload: string, variable: string) => {
    const { pod } =
      configuredPods(objects).find(({ name }) => name === workload) ?? assert.fail(workload);
    return pod.spec.containers[0]?.env?.find(({ name }) => name === variable)?.value;
  };
  const roles = ['notifications-api', 'notifications-delivery', 'notifications-email'].map((name) =>
    valueOf(name, 'BAILIWICK_NOTIFICATIONS_ROLES'),
  );
  assert.deepEqual(roles, ['api', 'fanout,delivery', 'email']);
  const all: string = settingTables.notifications.roles.fallback;
  assert.deepEqual(
    roles.join(',').split(',').sort(),
    all.split(',').sort(),
    'every role runs in a workload',
  );
  assert.equal(
    valueOf('gateway', 'BAILIWICK_NOTIFICATIONS_URL'),
    'http://bailiwick-notifications-api.test.svc.cluster.local:8080',
  );
});

test('a stopping process accepts calls for another 5 s, and the gateway for 15 s', {
  skip: chart.skip,
}, async () => {
  const objects = await chart.render({ file: 'minimal' });
  for (const name of Object.keys(workloads)) {
    const waits = containerOf(podOf(objects, 'Deployment', name)).env?.filter(
      (variable) => variable.name === 'BAILIWICK_PRE_DRAIN_MS',
    );
    assert.deepEqual(
      waits,
      [{ name: 'BAILIWICK_PRE_DRAIN_MS', value: name === 'gateway' ? '15000' : '5000' }],
      name,
    );
  }
});

test('`rpc.mode` sets the protocol of all calls between processes, through existing Services', {
  skip: chart.skip,
}, async () => {
  for (const [mode, url] of [
    ['http', /^http:\/\/(bailiwick-[a-z-]+)\.test\.svc\.cluster\.local:8080$/],
    ['grpc', /^dns:\/\/\/(bailiwick-[a-z-]+-grpc)\.test\.svc\.cluster\.local:8081$/],
  ] as const) {
    const objects = await chart.render({ file: 'minimal', set: [`rpc.mode=${mode}`] });
    const services = objectsOf(objects, 'Service').map(({ metadata }) => metadata.name);
    for (const { name, pod } of configuredPods(objects)) {
      const variables = pod.spec.containers[0]?.env ?? [];
      const urls = variables.filter(({ name }) =>
        /^BAILIWICK_(IDENTITY|ACCESS|SSO|NOTIFICATIONS)_URL$/.test(name),
      );
      for (const { value = '' } of urls)
        assert.ok(services.includes(url.exec(value)?.[1] ?? ''), `${name}: ${value}`);
      if (urls.length > 0)
        assert.equal(
          variables.find((variable) => variable.name === 'BAILIWICK_RPC')?.value,
          mode,
          name,
        );
    }
  }
});
