import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { denoVersion } from '../versions.ts';
import { denoRuntime, findDeno } from './deno.ts';
import { root } from './paths.ts';
import { temporaryFolder } from './testing.ts';

const answering = (version: string): string => `#!/bin/sh\necho 'deno ${version} (stable)'\n`;
/** A fake `npm install --prefix <folder> … deno@<version>`, which records its calls. */
const npm = `#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/../npm-calls"
mkdir -p "$3/node_modules/@deno/linux" && cp "$here/fresh" "$3/node_modules/@deno/linux/deno"
`;

/** A host with only these programs. */
function host(t: TestContext, programs: Record<string, string>) {
  const dir = temporaryFolder(t);
  mkdirSync(join(dir, 'bin'));
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(dir, 'bin', name), script, { mode: 0o755 });
  const said: string[] = [];
  const path = `${join(dir, 'bin')}:${process.env['PATH']}`;
  const find = async () => {
    const before = process.env['PATH'];
    process.env['PATH'] = path; // findDeno looks for npm here
    return findDeno((line) => said.push(line), {
      path: join(dir, 'bin'),
      cache: join(dir, 'cache'),
    }).finally(() => (process.env['PATH'] = before));
  };
  return { said, dir, find };
}

test('findDeno prefers a Deno on the PATH that is new enough', async (t) => {
  const { find, dir, said } = host(t, {
    deno: answering('2.9.7'),
    npm,
    fresh: answering(denoVersion),
  });
  assert.equal(await find(), join(dir, 'bin/deno'));
  assert.deepEqual(said, []);
});

for (const version of ['1.46.3', '2.0.0', '3.0.0']) {
  test(`findDeno fetches its own Deno once if the PATH has ${version}`, async (t) => {
    const { find, dir, said } = host(t, {
      deno: answering(version),
      npm,
      fresh: answering(denoVersion),
    });
    const expected = join(dir, `cache/deno-${denoVersion}/node_modules/@deno/linux/deno`);
    assert.equal(await find(), expected);
    assert.equal(await find(), expected);
    assert.match(said[0] ?? '', /Deno 2, 2\.\d+\.0 or newer, is needed/);
    const calls = readFileSync(join(dir, 'npm-calls'), 'utf8').trim().split('\n');
    assert.equal(calls.length, 1);
    assert.match(calls[0] ?? '', new RegExp(`--ignore-scripts .*deno@${denoVersion}$`));
    assert.deepEqual(readdirSync(join(dir, 'cache')), [`deno-${denoVersion}`]);
  });
}

test('findDeno says what to do if it finds and fetches none', async (t) => {
  const { find, dir } = host(t, { npm: '#!/bin/sh\necho no network >&2\nexit 1\n' });
  await assert.rejects(
    find(),
    /fetching Deno failed: no network\nPut Deno 2\.\d+\.0 or newer on the PATH, or start without --deno/,
  );
  assert.deepEqual(readdirSync(join(dir, 'cache')), []);
});

test('a process on Deno may connect to this host and the hosts of its settings, and read its folder, packages and files', (t) => {
  const file = join(temporaryFolder(t), 'url');
  writeFileSync(file, 'http://identity.example:8081\n');
  const env = {
    DATABASE_URL: 'postgres://u:p@db.example:5432/d',
    BAILIWICK_SSO_URL: 'dns:///sso.example:8081',
    BAILIWICK_IDENTITY_URL_FILE: file,
    BAILIWICK_KEY_RING_FILE: '/keys/a,b',
    SOMEBODY_ELSES_URL: 'https://elsewhere.example',
    HOME: '/home/ada',
  };
  const { args } = denoRuntime('deno', {
    services: ['access'],
    env,
  });
  const allowed = args.filter((argument) => argument.startsWith('--allow-')).sort();
  assert.deepEqual(allowed, [
    '--allow-env',
    '--allow-net=127.0.0.1,localhost,db.example,sso.example,identity.example',
    `--allow-read=${root}/services/access,${root}/node_modules,${root}/packages/texts/locales,${file},/keys/a,,b`,
  ]);
});
