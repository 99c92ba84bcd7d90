import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { audience, type Issuer, startIssuer } from '@bailiwick/server/testing/issuer.ts';
import { deliver, makeEndpoint, newestAt, rawOf } from '../delivery/endpoints.ts';
import { createApp } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { bodyOf } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// Compiles and runs the programs of docs/protect-an-application.md, with tokens of a test issuer.

const root = path.resolve(import.meta.dirname, '../..');
// test/follow/guide.test.ts runs `memory`.
const programs = [
  'signin',
  'hono',
  'express',
  'fastify',
  'current',
  'memory',
  'bare',
  'hooks',
] as const;

type Fetch = (request: Request) => Response | Promise<Response>;
type Modules = {
  signin: { app: { fetch: Fetch } };
  hono: { app: { fetch: Fetch } };
  express: { app: RequestListener };
  fastify: {
    app: {
      inject(request: object): Promise<{ statusCode: number; headers: object; body: string }>;
      close(): Promise<void>;
    };
  };
  current: { app: { fetch: Fetch } };
  bare: { handle: Fetch };
  hooks: { app: { fetch: Fetch } };
};

describe('docs/protect-an-application.md', () => {
  // Hidden, so that no check of the workspace sees it; in this workspace, to find its packages.
  const folder = mkdtempSync(path.join(import.meta.dirname, '.examples-'));
  let stack: Stack;
  let issuer: Issuer;
  let owner: Awaited<ReturnType<typeof signUp>>;
  let tenant: string;
  const endings: Array<() => void> = [];

  before(async () => {
    stack = await sharedStack('one process');
    issuer = await startIssuer({ after: (end) => endings.push(end as () => void) });
    owner = await signUp(stack);
    tenant = await createTenant(stack, owner.token);
    const guide = readFileSync(path.join(root, 'docs/protect-an-application.md'), 'utf8');
    const blocks = Array.from(guide.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = '']) => code);
    assert.equal(blocks.length, programs.length);
    for (const [index, name] of programs.entries())
      writeFileSync(
        path.join(folder, `${name}.ts`),
        // In the workspace the packages are not compiled.
        (blocks[index] ?? '').replace(/'@bailiwick\/(server|client)'/g, "'@bailiwick/$1/$1.ts'"),
      );
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    for (const end of endings) end();
    await stack?.stop();
  });

  /** Loads a program as it starts with this environment. */
  async function load<Name extends keyof Modules>(
    name: Name,
    environment: Record<string, string> = {},
  ): Promise<Modules[Name]> {
    Object.assign(process.env, { ISSUER: issuer.issuer, AUDIENCE: audience, ...environment });
    return (await import(path.join(folder, `${name}.ts`))) as Modules[Name];
  }

  /** Requests with a valid token, another one, one without the permission, and none. */
  const requests = async () => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    return [
      [200, bearer(await issuer.sign())],
      [401, bearer(await issuer.sign({ aud: 'https://other.example.com' }))],
      [403, bearer(await issuer.sign({ permissions: ['app.reports.write'] }))],
      [401, {}],
    ] as ReadonlyArray<[number, Record<string, string>]>;
  };
  const caller = { sub: 'usr_01arz3ndektsv4rrffq69g5fav', tenant: 'tnt_1' };

  test('a project of `npm init -y` starts as the guide says, and listens', async () => {
    const guide = readFileSync(path.join(root, 'docs/protect-an-application.md'), 'utf8');
    const [, commands = ''] = /^```sh\n(npm init -y\n.*?)^```$/ms.exec(guide) ?? [];
    const [, main = ''] = /^```ts main\n(.*?)^```$/ms.exec(guide) ?? [];
    const project = mkdtempSync(path.join(tmpdir(), 'bailiwick-guide-'));
    // The packages of the workspace in place of those that npm would install.
    symlinkSync(path.join(root, 'test/node_modules'), path.join(project, 'node_modules'));
    for (const command of commands
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('npm install ')))
      execFileSync('sh', ['-c', command], { cwd: project });
    writeFileSync(path.join(project, 'main.ts'), main);
    copyFileSync(path.join(folder, 'express.ts'), path.join(project, 'app.ts'));
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const PORT = String((probe.address() as AddressInfo).port);
    probe.close();
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    const started = spawn(process.execPath, ['main.ts'], {
      cwd: project,
      env: { ...environment, PORT, ISSUER: issuer.issuer, AUDIENCE: audience },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(started.stdout, 'data');
      assert.equal((await fetch(`http://127.0.0.1:${PORT}/reports`)).status, 401);
    } finally {
      started.kill();
      rmSync(project, { recursive: true, force: true });
    }
  });

  test('its programs compile', () => {
    const config = {
      extends: path.join(root, 'tsconfig.json'),
      compilerOptions: { lib: ['es2024', 'dom'] },
      include: ['*.ts'],
      exclude: [],
    };
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
    const args = ['--noEmit', '-p', folder];
    try {
      execFileSync(path.join(root, 'node_modules/.bin/tsc'), args, { encoding: 'utf8' });
    } catch (error) {
      assert.fail((error as { stdout: string }).stdout);
    }
  });

  test('a person signs in and out', async () => {
    const ORIGIN = 'http://localhost:3000';
    const { ID: APP, secret: SECRET } = await createApp(stack, {
      RedirectURIs: [`${ORIGIN}/callback`],
      PostLogoutRedirectURIs: [`${ORIGIN}/`],
      Scopes: ['openid', 'profile', 'email'],
      Resources: [],
    });
    const { app } = await load('signin', { ISSUER: stack.url, APP, SECRET, ORIGIN });
    let cookies = '';
    const send = async (at: string, method = 'GET') => {
      const response = await app.fetch(
        new Request(`${ORIGIN}${at}`, { method, headers: { cookie: cookies } }),
      );
      for (const line of response.headers.getSetCookie()) cookies = line.split(';')[0] ?? '';
      return response;
    };
    const locationOf = (response: Response) => response.headers.get('location') ?? '';
    assert.equal(locationOf(await send('/')), '/login');
    assert.equal((await send('/callback?code=x&state=y')).status, 400);
    const browser = startVisitor(stack, owner.token);
    const { url } = await browser.open(locationOf(await send('/login')));
    assert.equal(url.origin, ORIGIN);
    const forged = new URL(url);
    forged.searchParams.set('state', 'of-another-browser');
    const own = cookies;
    assert.equal((await send(forged.pathname + forged.search)).status, 400);
    cookies = own;
    assert.equal(locationOf(await send(url.pathname + url.search)), '/');
    assert.deepEqual(await (await send('/')).json(), { sub: owner.id, name: '', tenant });
    const end = new URL(locationOf(await send('/logout', 'POST')));
    assert.equal(end.pathname, '/oauth/logout');
    assert.equal(locationOf(await send('/')), '/login');
  });

  test('Hono answers requests with the permission, and refuses others', async () => {
    const { app } = await load('hono');
    for (const [status, headers] of await requests()) {
      const response = await app.fetch(new Request('http://x/reports', { headers }));
      assert.equal(response.status, status);
      if (status === 200) assert.deepEqual(await response.json(), caller);
      else assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    }
  });

  test('Express answers requests with the permission, and refuses others', async () => {
    const { app } = await load('express');
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/reports`;
    for (const [status, headers] of await requests()) {
      const response = await fetch(url, { headers });
      assert.equal(response.status, status);
      if (status === 200) assert.deepEqual(await response.json(), caller);
      else assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    }
    server.closeAllConnections();
    server.close();
  });

  test('Fastify answers requests with the permission, and refuses others', async () => {
    const { app } = await load('fastify');
    for (const [status, headers] of await requests()) {
      const response = await app.inject({ method: 'GET', url: '/reports', headers });
      assert.equal(response.statusCode, status);
      if (status === 200) assert.deepEqual(JSON.parse(response.body), caller);
      else assert.ok('www-authenticate' in response.headers);
    }
    await app.close();
  });

  test('the program without a framework answers requests with the permission', async () => {
    const { handle } = await load('bare');
    for (const [status, headers] of await requests()) {
      const response = await handle(new Request('http://x/reports', { headers }));
      assert.equal(response.status, status);
    }
  });

  test('a current decision is Bailiwick’s, also where the token has the permission', async () => {
    const call = async (name: string, body: object) =>
      bodyOf(await stack.call(name, body, owner.token));
    const user = await signUp(stack);
    bodyOf(
      await stack.call('TenantMembers_Add', { Tenant: tenant, UserID: user.id }, stack.platformKey),
    );
    const Permissions = ['app.access', 'app.reports.*'];
    await call('Roles_Save', { Role: { Tenant: tenant, Slug: 'reporter', Permissions } });
    const bot = await createBot(stack, tenant, owner.token);
    await call('BotGrants_Add', { Grant: { Tenant: tenant, Bot: bot.ID, Role: 'auditor' } });
    const { Secret: KEY } = await createKey(stack, bot, owner.token);
    const { app } = await load('current', { BAILIWICK: stack.url, KEY });

    const signed = (scope: string) =>
      issuer.sign({ sub: user.id, tenant, permissions: Permissions, scope });
    const [token, narrow] = [await signed(Permissions.join(' ')), await signed('app.access')];
    const statusOf = async (method: string, at: string, bearer = token) => {
      const headers = { authorization: `Bearer ${bearer}` };
      return (await app.fetch(new Request(`http://x/${at}`, { method, headers }))).status;
    };
    assert.equal(await statusOf('DELETE', 'reports'), 403);
    assert.equal(await statusOf('GET', 'reports/7'), 404);
    const Grant = { Tenant: tenant, UserID: user.id, Role: 'reporter' };
    await call('Grants_Add', { Grant: { ...Grant, Resource: 'report:8' } });
    assert.equal(await statusOf('GET', 'reports/8'), 200);
    assert.equal(await statusOf('GET', 'reports/8', narrow), 404);
    await call('Grants_Add', { Grant });
    // An answer is used again for two seconds.
    await sleep(2100);
    assert.equal(await statusOf('DELETE', 'reports'), 204);
    assert.equal(await statusOf('DELETE', 'reports', narrow), 403);
    await call('Grants_Remove', { Grant });
    await sleep(2100);
    assert.equal(await statusOf('DELETE', 'reports'), 403);
  });

  test('the receiver accepts a delivery, during a rotation with either secret, and no other', async () => {
    const place = { stack, tenant, token: owner.token };
    const { id, secret: WEBHOOK_SECRET } = await makeEndpoint(place, 'protected');
    bodyOf(await stack.call('Webhooks_RotateSecret', { Tenant: tenant, ID: id }, owner.token));
    await deliver(place, id, JSON.stringify({ id: 'evt_1', type: 'group.created' }));
    const request = await newestAt(stack, 'protected');
    const { app } = await load('hooks', { WEBHOOK_SECRET });
    const send = (body: string) =>
      app.fetch(new Request('http://x/hooks', { method: 'POST', headers: request.Headers, body }));
    const body = rawOf(request).toString();
    const accepted = await send(body);
    assert.deepEqual([accepted.status, await accepted.json()], [200, { type: 'group.created' }]);
    assert.equal((await send(`${body} `)).status, 401);
  });
});
