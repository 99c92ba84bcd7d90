import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { natsVersion } from '../versions.ts';
import { findBroker, isAtLeast } from './nats-server.ts';
import { temporaryFolder } from './testing.ts';

const answering = (version: string): string => `#!/bin/sh\necho 'nats-server: v${version}'\n`;
const writing = (file: string): string =>
  `printf '%s' "#!/bin/sh\necho nats-server: v2.10.29\n" > ${file}; chmod +x ${file}`;

/** A host with only these programs. */
function host(t: TestContext, programs: Record<string, string>) {
  const dir = temporaryFolder(t);
  mkdirSync(join(dir, 'bin'));
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(dir, 'bin', name), script, { mode: 0o755 });
  const said: string[] = [];
  return {
    said,
    dir,
    find: () =>
      findBroker((line) => said.push(line), { path: join(dir, 'bin'), cache: join(dir, 'cache') }),
  };
}

const go = `#!/bin/sh\necho "$@" >> "$GOBIN/../../../go-calls"\n${writing('$GOBIN/nats-server')}\n`;
const apt = '#!/bin/sh\n[ "$1" = download ] && touch nats-server_2.10.29_amd64.deb\n';
const dpkg = `#!/bin/sh\nmkdir -p $3/usr/sbin && ${writing('$3/usr/sbin/nats-server')}\n`;
const docker = '#!/bin/sh\necho nats:1.4\necho nats:2.11-alpine\n';

test('findBroker prefers the PATH', async (t) => {
  const { find, dir } = host(t, { 'nats-server': answering('2.10.29'), go });
  assert.deepEqual(await find(), { command: join(dir, 'bin/nats-server'), version: '2.10.29' });
});

test('findBroker builds with Go once if the PATH has none or an old one', async (t) => {
  const { find, dir, said } = host(t, { 'nats-server': answering('2.9.10'), go });
  const expected = {
    command: join(dir, `cache/bin/nats-server-${natsVersion}`),
    version: '2.10.29',
  };
  assert.deepEqual(await find(), expected);
  assert.deepEqual(await find(), expected);
  assert.equal(
    readFileSync(join(dir, 'go-calls'), 'utf8'),
    `install github.com/nats-io/nats-server/v2@v${natsVersion}\n`,
  );
  assert.match(said[0] ?? '', /is 2\.9\.10; nats-server 2\.10\.0 or newer is needed/);
});

test("findBroker takes Debian's package or Go's, whichever is ready first, and ends the other", async (t) => {
  const never = '#!/bin/sh\nexec sleep 1000\n';
  for (const [programs, name] of [
    [{ go: never, 'apt-get': apt, 'dpkg-deb': dpkg }, 'nats-server-debian'],
    [{ go, 'apt-get': never, 'dpkg-deb': dpkg }, `nats-server-${natsVersion}`],
  ] as const) {
    const { find, dir, said } = host(t, programs);
    assert.equal((await find()).command, join(dir, 'cache/bin', name));
    assert.ok(!said.some((line) => line.startsWith('failed')));
    // Nothing of the other attempt stays.
    assert.deepEqual(readdirSync(join(dir, 'cache/bin')), [name]);
  }
});

test("findBroker unpacks Debian's package if Go fails, and reports the failure", async (t) => {
  const { find, dir, said } = host(t, {
    go: '#!/bin/sh\necho no network >&2\nexit 1\n',
    'apt-get': apt,
    'dpkg-deb': dpkg,
    docker,
  });
  assert.deepEqual(await find(), {
    command: join(dir, 'cache/bin/nats-server-debian'),
    version: '2.10.29',
  });
  assert.ok(said.includes('failed: no network'));
});

test('findBroker uses a local Docker image', async (t) => {
  const { find, dir } = host(t, { docker });
  assert.deepEqual(await find(), {
    command: join(dir, 'bin/docker'),
    version: natsVersion,
    image: 'nats:2.11-alpine',
  });
});

test('findBroker lists the choices if it finds none', async (t) => {
  const { find } = host(t, { docker: '#!/bin/sh\necho no engine >&2\nexit 1\n' });
  await assert.rejects(find(), /NATS_URL[^]*PATH[^]*Go[^]*Docker/);
});

test('isAtLeast compares numbers, not text', () => {
  assert.equal(isAtLeast('2.10.0', '2.9.0'), true);
  assert.equal(isAtLeast('2.9.0', '2.9.0'), true);
  assert.equal(isAtLeast('2.8.4', '2.9.0'), false);
});
