import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureSecrets } from '@bailiwick/deploy/local/secrets.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { images } from '@bailiwick/deploy/versions.ts';
import { parse } from 'yaml';
import { chartDir, openChart, type Values, valueFiles } from './helm.ts';
import { configuredPods } from './manifests.ts';

const chart = await openChart();
const read = (file: string) => readFileSync(join(chartDir, file), 'utf8');

test('a rendering without references fails with one message that lists all of them', { skip: chart.skip }, async () => {
  const message = await chart.refusal({});
  const references = [
    'database.existingSecret',
    'nats.url or nats.existingSecret',
    'mail.smtpUrl or mail.existingSecret',
    'mail.from',
    'publicUrl',
    'secrets.existingSecret',
  ];
  for (const reference of references) assert.ok(message.includes(`  - ${reference}`), `${reference} in ${message}`);
  assert.match(message, /for access, identity, notifications, sso/);
  assert.match(message, /evaluation\.enabled=true/);
});

test('a rendering names just what is missing', { skip: chart.skip }, async () => {
  const message = await chart.refusal({
    file: 'minimal',
    set: ['database.existingSecret=', 'database.services.sso.existingSecret=sso', 'secrets.existingSecret=', 'secrets.keyRing.existingSecret=ring'],
  });
  assert.match(message, /database\.existingSecret: .*for access, identity, notifications\)/);
  assert.match(message, /secrets\.existingSecret: .*callerKeys, callerPublicKeys, platformKey, workerToken /);
  assert.equal(message.match(/^ {2}- /gm)?.length, 2);
});

test('an installation that would cut off calls in flight is refused', { skip: chart.skip }, async () => {
  const message = await chart.refusal({ file: 'minimal', set: ['services.gateway.preDrainSeconds=40'] });
  assert.match(message, /services\.gateway: terminationGracePeriodSeconds must be at least preDrainSeconds \+ 30/);
});

test('the schema refuses what nothing reads, and values of another kind', { skip: chart.skip }, async () => {
  const refused: ReadonlyArray<readonly [set: string, mentions: string]> = [
    ['publicUrI=https://example.com', 'publicUrI'],
    ['config.endpointlimit=3', 'endpointlimit'],
    ['config.endpointLimit=many', 'endpointLimit'],
    ['config.retrySchedule={soon}', 'retrySchedule'],
    ['services.gatway.replicas=2', 'gatway'],
    ['services.gateway.replica=2', 'replica'],
    ['defaults.resources.limit.memory=1Gi', 'limit'],
    ['defaults.extraEnv[0].name=BAILIWICK_HOST', 'extraEnv'],
    ['migrations.mode=never', 'mode'],
    ['nats.url=nats://user:password@nats:4222', 'url'],
    ['mail.smtpUrl=smtp://user:password@mail', 'smtpUrl'],
    ['image.digest=latest', 'digest'],
    ['evaluation.enable=true', 'enable'],
  ];
  for (const [set, mentions] of refused) {
    const message = await chart.refusal({ file: 'minimal', set: [set] });
    assert.match(message, /schema/, set);
    assert.ok(message.includes(mentions), `${set}: ${message}`);
  }
});

test('helm lint finds nothing in any of the chart’s own values', { skip: chart.skip }, async () => {
  for (const file of Object.keys(valueFiles)) await chart.lint({ file } as Values);
});

type Schema = { properties?: Record<string, Schema>; $ref?: string; additionalProperties?: unknown };

test('values.yaml and the schema name the same values, and the schema takes no others', () => {
  const schema = JSON.parse(read('values.schema.json')) as Schema & { definitions: Record<string, Schema> };
  const resolve = (one: Schema): Schema => (one.$ref?.startsWith('#/definitions/') ? resolve(schema.definitions[one.$ref.slice(14)] ?? {}) : one);
  const compare = (values: unknown, given: Schema, path: string) => {
    const { properties, additionalProperties } = resolve(given);
    if (properties === undefined) return;
    assert.equal(additionalProperties, false, `${path} takes anything`);
    // A workload and `config` name what differs; `enabled` is for a chart that has this one as a dependency.
    if (path === '.config' || path.startsWith('.services.')) return;
    const names = Object.keys(properties).filter((name) => `${path}.${name}` !== '.enabled');
    assert.deepEqual(Object.keys(values as object).sort(), names.sort(), path);
    for (const name of names) compare((values as Record<string, unknown>)[name], properties[name] ?? {}, `${path}.${name}`);
  };
  compare(parse(read('values.yaml')), schema, '');
});

test('every value has a line that explains it', () => {
  const lines = read('values.yaml').split('\n');
  // A comment above, or one for a group whose names say the rest.
  const unexplained = lines.filter((line, index) => /^\w+:/.test(line) && !/^ *#/.test(lines[index - 1] ?? ''));
  assert.deepEqual(unexplained, ['services:']);
});

test('an evaluation runs what the release is tested with', () => {
  const { evaluation } = parse(read('values.yaml')) as { evaluation: Record<'postgres' | 'nats', { image: string }> };
  assert.deepEqual({ postgres: evaluation.postgres.image, nats: evaluation.nats.image }, { postgres: images.postgres, nats: images.nats });
});

test('README.md makes every key that the least values ask for', { skip: chart.skip }, async (t) => {
  const made = Array.from(read('README.md').matchAll(/--from-file=(\S+)=bailiwick-keys\/(\S+)/g), ([, key = '', file = '']) => ({ key, file }));
  const folder = temporaryFolder(t);
  ensureSecrets(folder);
  for (const { file } of made) readFileSync(join(folder, file));
  const pods = configuredPods(await chart.render({ file: 'minimal' })).map(({ pod }) => pod);
  const sources = pods.flatMap(({ spec }) => spec.volumes.flatMap(({ projected }) => projected?.sources ?? []));
  assert.ok(sources.every(({ secret }) => secret?.name === 'bailiwick'));
  const asked = new Set(sources.flatMap(({ secret }) => (secret?.items ?? []).map(({ key }) => key)));
  assert.deepEqual(made.map(({ key }) => key).sort(), [...asked].sort());
});
