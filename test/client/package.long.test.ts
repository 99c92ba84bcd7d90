import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { hostNode } from './host-node.ts';

// @bailiwick/client as a user gets it: packed by npm, installed into an empty project, run on the
// host's own Node.

const root = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A consumer in TypeScript, and with the types stripped, in JavaScript. */
const consumer = `
import { createClient } from '@bailiwick/client';
import { BailiwickError, InvalidArgumentError } from '@bailiwick/client/errors';
import type { Group, GroupInput, Groups_SaveReq } from '@bailiwick/client/types';

const [url = '', token = '', tenant = ''] = process.argv.slice(2);
const client = createClient({ url, token });

const wanted: GroupInput = { Tenant: tenant, Path: 'eng/backend', Name: 'Backend' };
const request: Groups_SaveReq = { Group: wanted };
await client.call('Groups_Save', request);
const { Group: saved } = await client.call('Groups_Get', { Tenant: tenant, Path: 'eng/backend' });
// Records can be sent back as they were read.
if (saved !== null) await client.call('Groups_Save', { Group: saved, IfUpdatedAt: saved.UpdatedAt });

const paths: string[] = [];
for await (const group of client.list('Groups_List', { Tenant: tenant, Page: { Limit: 1 } })) paths.push(group.Path);
const exported: string = await (await client.stream('Audit_Export', { Tenant: tenant })).text();

let messages: readonly string[] = [];
try {
  await client.call('Webhooks_CreateEndpoint', { Endpoint: { Tenant: tenant, Name: '', URL: '' } });
} catch (error) {
  if (error instanceof InvalidArgumentError && error instanceof BailiwickError) messages = error.Messages;
}
const name: string | undefined = saved?.Name;
console.log(JSON.stringify({ name, paths, messages, lines: exported.trim().split('\\n').length }));
`;

/** Mistakes that the compiler must reject. */
const mistakes = `
import { createClient } from '@bailiwick/client';
import type { Group } from '@bailiwick/client/types';
const client = createClient({ url: 'http://127.0.0.1:1' });
export async function wrong(group: Group) {
  // @ts-expect-error there is no such operation
  await client.call('Groups_Sav', {});
  // @ts-expect-error Tenant is required
  await client.call('Groups_Get', { Path: 'eng' });
  // @ts-expect-error a number is no path
  await client.call('Groups_Get', { Tenant: '', Path: 1 });
  // @ts-expect-error it may be null
  (await client.call('Groups_Get', { Tenant: '', Path: '' })).Group.Name;
  // @ts-expect-error no list
  for await (const item of client.list('Groups_Get', { Tenant: '', Path: '' })) void item;
  // @ts-expect-error a long text, which is streamed
  await client.call('Audit_Export', { Tenant: '' });
  // @ts-expect-error the worker's own
  await client.call('Webhooks_Deliver', { Tenant: '' });
  // @ts-expect-error times are left out where they are unset
  return group.UpdatedAt.length;
}
`;

/** The examples of a document as one program. */
function examples(document: string, before: string): string {
  const blocks = readFileSync(path.join(root, document), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms);
  return [before, ...Array.from(blocks, ([, code = '']) => code), 'export {};'].join('\n');
}

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
};
const projects = {
  'tsconfig.json': {
    compilerOptions: { ...compilerOptions, outDir: 'out', types: ['node'], lib: ['es2023'] },
    files: ['consumer.ts', 'client-readme.ts', 'readme.ts'],
  },
  'tsconfig.browser.json': {
    compilerOptions: {
      ...compilerOptions,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      types: [],
      lib: ['es2023', 'dom'],
    },
    files: ['mistakes.ts'],
  },
};

/** Compiles a project with the workspace's compiler and an older one. */
async function tsc(folder: string, project: string): Promise<void> {
  for (const modules of ['node_modules', 'test/node_modules']) {
    const args = [path.join(root, modules, 'typescript/bin/tsc'), '-p', path.join(folder, project)];
    await run(process.execPath, args).catch((error: { stdout: string }) =>
      assert.fail(`${modules}: ${error.stdout}`),
    );
  }
}

describe('@bailiwick/client as a package', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-package-'));
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stack?.stop();
  });
  test('npm packs plain JavaScript and its types, and nothing else', async () => {
    await run('npm', ['pack', '--pack-destination', folder], {
      cwd: path.join(root, 'packages/client'),
    });
    writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const [tarball = ''] = globSync('*.tgz', { cwd: folder });
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`], {
      cwd: folder,
    });
    const installed = path.join(folder, 'node_modules/@bailiwick/client');
    const files = globSync('**/*.*', { cwd: installed }).sort();
    assert.ok(files.includes('dist/client.js') && files.includes('dist/gen/types.d.ts'));
    assert.deepEqual(
      files.filter(
        (file) =>
          !/^(package\.json|(README\.md|LICENSE)|dist\/(gen\/)?\w+\.(d\.ts|js))$/.test(file),
      ),
      [],
    );
    const manifest = JSON.parse(
      readFileSync(path.join(installed, 'package.json'), 'utf8'),
    ) as Record<string, unknown>;
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      assert.equal(manifest[kind], undefined, kind);
    for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
      const types = readFileSync(path.join(installed, file), 'utf8');
      assert.doesNotMatch(types.replaceAll(/\/\*[^]*?\*\//g, ''), /[:<|(,] *any\b/, file);
    }
  });

  test('a consumer and the documents’ examples pass tsc, with Node’s and with a browser’s types, and mistakes do not', async () => {
    for (const [file, project] of Object.entries(projects))
      writeFileSync(path.join(folder, file), JSON.stringify(project));
    writeFileSync(path.join(folder, 'consumer.ts'), consumer);
    writeFileSync(path.join(folder, 'mistakes.ts'), mistakes);
    writeFileSync(
      path.join(folder, 'client-readme.ts'),
      examples('packages/client/README.md', 'declare const tenant: string, user: string;'),
    );
    const prelude = `import { createClient } from '@bailiwick/client'; declare const api: string, token: string, tenant: string;`;
    writeFileSync(path.join(folder, 'readme.ts'), examples('README.md', prelude));
    mkdirSync(path.join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(
      path.join(root, 'node_modules/@types/node'),
      path.join(folder, 'node_modules/@types/node'),
      'dir',
    );
    await tsc(folder, 'tsconfig.json');
    await tsc(folder, 'tsconfig.browser.json');
  });

  test('it runs on the host’s own Node against the gateway', async () => {
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'eng' } }, token);
    const { stdout } = await run(
      hostNode(),
      [path.join(folder, 'out/consumer.js'), stack.url, token, tenant],
      { env: { ...process.env, NODE_OPTIONS: '' } },
    );
    const { lines, ...rest } = JSON.parse(stdout) as { lines: number };
    assert.deepEqual(rest, {
      name: 'Backend',
      paths: ['eng', 'eng/backend'],
      messages: ['endpoint name is required', 'endpoint url is required'],
    });
    assert.ok(lines >= 1);
  });
});

/** Runs without a framework, and with nothing but web standards. */
const service = `
import { holds, InvalidTokenError, verifier, verifyWebhook } from '@bailiwick/server';

const verify = verifier({ issuer: 'https://iam.example.com', audience: 'https://x.example.com', jwksUri: 'https://iam.example.com/jwks' });
const refused: boolean = await verify('x.y.z').then(() => false, (error: unknown) => error instanceof InvalidTokenError);
const signed: boolean = await verifyWebhook('whsec_AAAA', new Headers(), '');
console.log(JSON.stringify({ refused, signed, holds: holds(['app.*'], 'app.x') }));
`;

describe('@bailiwick/server as a package', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-server-'));
  const own = path.join(root, 'packages/server');
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('npm packs plain JavaScript and its types, which compile without and with a framework', async () => {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: own });
    const [tarball = ''] = globSync('*.tgz', { cwd: folder });
    const installed = path.join(folder, 'node_modules/@bailiwick/server');
    mkdirSync(installed, { recursive: true });
    const archive = path.join(folder, tarball);
    await run('tar', ['-xzf', archive, '-C', installed, '--strip-components=1']);
    const files = globSync('**/*.*', { cwd: installed });
    assert.ok(files.includes('dist/server.js') && files.includes('dist/server.d.ts'));
    assert.deepEqual(
      files.filter(
        (file) => !/^(package\.json|README\.md|dist\/(follower\/)?\w+\.(d\.ts|js))$/.test(file),
      ),
      [],
    );
    for (const [name, target] of [
      ['jose', path.join(own, 'node_modules/jose')],
      ['hono', path.join(root, 'test/node_modules/hono')],
      ['@types', path.join(root, 'node_modules/@types')],
    ] as const)
      symlinkSync(target, path.join(folder, 'node_modules', name), 'dir');
    writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
    writeFileSync(path.join(folder, 'service.ts'), service);
    writeFileSync(path.join(folder, 'readme.ts'), examples('packages/server/README.md', ''));
    const project = (file: string, lib: string[], types: string[]) => ({
      compilerOptions: { ...compilerOptions, outDir: 'out', lib, types, skipLibCheck: true },
      files: [file],
    });
    for (const [name, config] of Object.entries({
      'tsconfig.json': project('service.ts', ['es2023'], ['node']),
      'tsconfig.dom.json': project('readme.ts', ['es2023', 'dom'], []),
    })) {
      writeFileSync(path.join(folder, name), JSON.stringify(config));
      await tsc(folder, name);
    }
  });

  test('it runs on the host’s own Node', async () => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    const { stdout } = await run(hostNode(), [path.join(folder, 'out/service.js')], { env });
    assert.deepEqual(JSON.parse(stdout), { refused: true, signed: false, holds: true });
  });
});
