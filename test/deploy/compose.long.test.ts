import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { ensureComposeSecrets } from '@bailiwick/deploy/compose-secrets.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { temporaryFolder } from '@bailiwick/deploy/local/testing.ts';
import { migrateSettings } from '@bailiwick/deploy/settings.ts';
import { shapes } from '@bailiwick/deploy/shapes.ts';
import { images } from '@bailiwick/deploy/versions.ts';
import { namesOf, readSettings, type Setting, type SettingTable } from '@bailiwick/process';
import { findTool, run } from '../tools/go.ts';

// Validates deploy/compose.yaml with Compose's own library and schema, and against the settings
// that the processes read.

type Mount = { source: string; target: string; type?: string; read_only?: boolean };
type Service = {
  image: string;
  command?: string[];
  user?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  restart?: string;
  environment?: Record<string, string>;
  secrets?: Array<{ source: string; target?: string }>;
  volumes?: Mount[];
  ports?: Array<{ host_ip?: string; target: number }>;
  networks: Record<string, unknown>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
  profiles?: string[];
};
type Project = {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
};

const file = join(root, 'deploy/compose.yaml');
const { command, reason } = await findTool('compose-spec');
const skip = reason ?? false;
/** Paths in the file are relative to its folder. */
const cwd = join(root, 'deploy');
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^((BAILIWICK|COMPOSE)_|(BIND|PORT|IMAGE)$)/.test(name),
  ),
);
/** With the file for two processes laid over it, or without. */
const compactFile = join(root, 'deploy/compose-compact.yaml');
const both = [[file], [file, compactFile]] as const;
async function project(files: readonly string[] = [file]): Promise<Project> {
  const { stdout } = await run(command ?? '', ['--format', 'json', ...files], {
    cwd,
    env: { ...env, COMPOSE_PROFILES: 'evaluation' },
    maxBuffer: 1 << 24,
  });
  const read = JSON.parse(stdout) as Project;
  // Merged variables are a list.
  for (const service of Object.values(read.services))
    if (Array.isArray(service.environment))
      service.environment = Object.fromEntries(
        service.environment.map((line: string) => line.split(/=(.*)/s, 2)),
      ) as Record<string, string>;
  return read;
}

/** Bailiwick's own processes, each with the settings it reads. */
function processes({
  services,
}: Project): Array<{ name: string; service: Service; table: SettingTable }> {
  return Object.entries(services).flatMap(([name, service]) => {
    const script = service.command?.[1] ?? '';
    const plan = Object.values(shapes)
      .flat()
      .find((one) => one.script === script);
    const table = script === 'deploy/migrate.ts' ? migrateSettings : plan?.settings;
    return table ? [{ name, service, table }] : [];
  });
}

test('Compose accepts the file, and it has every process of Bailiwick', { skip }, async () => {
  const { services } = await project();
  const ours = [
    'gateway',
    'identity',
    'access',
    'sso',
    'notifications-api',
    'notifications-delivery',
    'notifications-email',
    'migrations',
  ];
  assert.deepEqual(Object.keys(services).sort(), [...ours, 'inbox', 'nats', 'postgres'].sort());
  assert.deepEqual(
    processes(await project())
      .map(({ name }) => name)
      .sort(),
    ours.sort(),
  );
  for (const { service } of processes(await project()))
    assert.ok(existsSync(join(root, service.command?.[1] ?? '')), service.command?.[1]);
  assert.deepEqual(services['inbox']?.profiles, ['evaluation']);
});

test('with the file for two processes, Compose runs two, which call each other', {
  skip,
}, async () => {
  const { services } = await project(both[1]);
  assert.deepEqual(
    Object.keys(services).sort(),
    ['gateway', 'inbox', 'migrations', 'nats', 'notifications-api', 'postgres'].sort(),
  );
  assert.deepEqual(services['gateway']?.command, ['node', shapes.compact[0].script]);
  const { environment = {} } = services['notifications-api'] ?? {};
  const { rpcPort } = shapes.compact[0].settings;
  for (const name of ['BAILIWICK_ACCESS_URL', 'BAILIWICK_SSO_URL'])
    assert.equal(environment[name], `http://gateway:${rpcPort?.fallback}`);
  assert.equal(environment['BAILIWICK_NOTIFICATIONS_ROLES'], undefined);
});

const inBoth = async () =>
  (await Promise.all(both.map((files) => project(files)))).flatMap(processes);

test('every variable of a process is one of its settings, and every required setting is set', {
  skip,
}, async () => {
  for (const { name, service, table } of await inBoth()) {
    const given = Object.keys(service.environment ?? {});
    const known = Object.values<Setting>(table).flatMap(namesOf);
    assert.deepEqual(
      given.filter((variable) => !known.includes(variable)),
      [],
      name,
    );
    const missing = Object.values<Setting>(table).filter(
      (setting) =>
        setting.fallback === undefined && !namesOf(setting).some((one) => given.includes(one)),
    );
    assert.deepEqual(
      missing.map(({ env: variable }) => variable),
      [],
      name,
    );
  }
});

test('every process accepts its environment with the generated secrets', {
  skip,
}, async (t) => {
  const folder = temporaryFolder(t);
  ensureComposeSecrets(folder);
  const { secrets } = await project();
  const placeOf = (path: string) => join(folder, path.slice(join(root, 'deploy/secrets').length));
  for (const { service, table } of await inBoth()) {
    const mounted = new Map(
      (service.secrets ?? []).map(({ source, target }) => [
        `/run/secrets/${basename(target ?? source)}`,
        placeOf(secrets[source]?.file ?? ''),
      ]),
    );
    // A place that the operator has not filled has the empty device.
    const volumes = (service.volumes ?? []).filter(({ source }) => source !== '/dev/null');
    for (const { source, target, read_only: isReadOnly } of volumes) {
      assert.ok(isReadOnly, `${source} is mounted writable`);
      mounted.set(target, placeOf(source));
    }
    const environment = Object.fromEntries(
      Object.entries(service.environment ?? {}).map(([name, value]) => [
        name,
        mounted.get(value) ?? value,
      ]),
    );
    readSettings(table, environment);
    const files = Object.entries(service.environment ?? {})
      .filter(([name]) => /_(FILE|DIR)$/.test(name))
      .map(([, value]) => value);
    assert.deepEqual(
      [...mounted.keys()].filter((path) => !files.includes(path)),
      [],
      'a process gets no secret that it does not read',
    );
  }
});

test('the breached passwords of the host are mounted where identity reads them', () => {
  // The library does not fill in the host's variables.
  const text = readFileSync(file, 'utf8');
  const [, target] = /\$\{BREACHED_PASSWORDS:-\/dev\/null\}:(.+):ro$/m.exec(text) ?? [];
  const [, read] = /_BREACHED_PASSWORDS: \$\{BREACHED_PASSWORDS:\+(.+)\}$/m.exec(text) ?? [];
  assert.ok(target);
  assert.equal(read, target);
});

test('existing secrets stay, and other users of the host cannot read them', (t) => {
  const folder = temporaryFolder(t);
  ensureComposeSecrets(folder);
  const read = () =>
    ['keyring', 'postgres-password', 'database-url', 'keys/gateway.key'].map((name) =>
      readFileSync(join(folder, name), 'utf8'),
    );
  const before = read();
  ensureComposeSecrets(folder);
  assert.deepEqual(read(), before);
  assert.ok(before[2]?.includes(`:${before[1]?.trim()}@postgres:5432/`));
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'keyring')).mode & 0o777, 0o644);
});

test('no container has more privileges than it needs', { skip }, async () => {
  const { services, networks } = await project();
  assert.equal(networks['inner']?.internal, true);
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service.read_only, true, name);
    assert.deepEqual(service.cap_drop, ['ALL'], name);
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    const isOurs = service.image.startsWith('bailiwick:');
    if (isOurs) assert.equal(service.user, '65532:65532', name);
    assert.ok(service.healthcheck?.test || name === 'migrations', `${name} has no health check`);
    assert.ok(service.restart, name);
  }
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => `${name} ${port.host_ip}:${port.target}`),
  );
  assert.deepEqual(published.sort(), ['gateway 127.0.0.1:8080', 'inbox 127.0.0.1:8025']);
  const outside = Object.entries(services)
    .filter(([, one]) => Object.hasOwn(one.networks, 'outer'))
    .map(([name]) => name);
  assert.deepEqual(outside.sort(), [
    'gateway',
    'inbox',
    'notifications-api',
    'notifications-delivery',
    'notifications-email',
    'sso',
  ]);
});

test('no process starts before the migrations, and the images are those of this release', {
  skip,
}, async () => {
  const parsed = await project();
  for (const { name, service } of processes(parsed)) {
    const conditions = Object.fromEntries(
      Object.entries(service.depends_on ?? {}).map(([one, { condition }]) => [one, condition]),
    );
    const wanted =
      name === 'migrations'
        ? { postgres: 'service_healthy' }
        : { migrations: 'service_completed_successfully', nats: 'service_healthy' };
    assert.deepEqual(conditions, wanted, name);
  }
  assert.equal(parsed.services['postgres']?.image, images.postgres);
  assert.equal(parsed.services['nats']?.image, images.nats);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  for (const { service } of processes(parsed)) assert.equal(service.image, `bailiwick:${version}`);
});

test('Compose rejects a misspelt key', { skip }, async (t) => {
  const wrong = join(temporaryFolder(t), 'compose.yaml');
  writeFileSync(wrong, readFileSync(file, 'utf8').replaceAll('read_only:', 'readonly:'));
  await assert.rejects(run(command ?? '', [wrong], { env }), /readonly/);
});
