// 40 s: starts three applications, one of them in a browser.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { parse } from 'yaml';
import { openBrowser } from '../browser/browser.ts';
import { withoutChromium } from '../browser/chromium.ts';
import { signIn as signInOnPage } from '../browser/sign-in.ts';
import { createApp } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { createTenant, login, password, signUp } from '../support/people.ts';
import { takePort } from '../support/ports.ts';
import { sharedStack } from '../support/shared.ts';
import { type Program, startCommand, visitProgram } from './guides/program.ts';

// Runs the programs of docs/add-sign-in.md as they stand, and signs people in to them.

const page = readFileSync(path.join(root, 'docs/add-sign-in.md'), 'utf8');
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
);

const folders: string[] = [];
const programs: Program[] = [];
let stack: Stack;
let ada: Awaited<ReturnType<typeof signUp>>;
let tenant: string;

before(async () => {
  stack = await sharedStack('one process');
  ada = await signUp(stack);
  tenant = await createTenant(stack, ada.token);
});
after(async () => {
  for (const program of programs) program.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await stack?.stop();
});

/** A project with the files of a section, and the packages of the workspace. */
function makeProject(heading: string): string {
  const text = sections.get(heading) ?? assert.fail(`the page has no section ${heading}`);
  const cwd = mkdtempSync(path.join(tmpdir(), 'bailiwick-add-sign-in-'));
  folders.push(cwd);
  writeFileSync(path.join(cwd, 'package.json'), '{"type":"module"}');
  const files = text.matchAll(/^```\w+\n((?:\/\/|<!--) (\S+)(?: -->)?\n.*?)^```$/gms);
  for (const [, code = '', name = ''] of files) {
    mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    writeFileSync(path.join(cwd, name), code);
  }
  for (const name of packagesOf(text).keys()) link(cwd, name);
  return cwd;
}

/** The packages that a section installs, with their versions. */
const packagesOf = (text: string): Map<string, string> =>
  new Map(
    [...text.matchAll(/^npm install (.+)$/gm)].flatMap(([, list = '']) =>
      list
        .split(' ')
        .filter((word) => !word.startsWith('--'))
        .map((word): [string, string] => [
          word.slice(0, word.lastIndexOf('@')),
          word.slice(word.lastIndexOf('@') + 1),
        ]),
    ),
  );

function link(cwd: string, name: string): void {
  const place = ['@vitejs/plugin-react', 'react', 'react-dom', 'vite'].includes(name)
    ? 'console'
    : 'test';
  const target = path.join(cwd, 'node_modules', name);
  mkdirSync(path.dirname(target), { recursive: true });
  symlinkSync(path.join(root, place, 'node_modules', name), target);
}

async function start(heading: string, main: string, environment: Record<string, string>) {
  const port = await takePort();
  const url = `http://127.0.0.1:${port}`;
  const Addresses = { RedirectURIs: [`${url}/callback`], PostLogoutRedirectURIs: [`${url}/`] };
  const Scopes = ['openid', 'profile', 'email'];
  const fields = { Tenant: tenant, ...Addresses, Scopes, Resources: [] };
  const app = await createApp(stack, fields, ada.token);
  const cwd = makeProject(heading);
  if (!main.endsWith('server.js')) writeFileSync(path.join(cwd, 'main.js'), main);
  const args = [main.endsWith('server.js') ? main : 'main.js'];
  const program = await startCommand(
    heading,
    { command: process.execPath, args, cwd },
    `127.0.0.1:${port}`,
    {
      ISSUER: stack.url,
      CLIENT_ID: app.ID,
      CLIENT_SECRET: app.secret,
      APP_URL: url,
      PORT: String(port),
      ...environment,
    },
  );
  programs.push(program);
  return program;
}

/** Calls the route handlers as a framework does that has such files. */
const framework = `
import { createServer } from 'node:http';
createServer(async (request, response) => {
  const url = new URL(request.url, process.env.APP_URL);
  const route = await import('./app' + url.pathname + '/route.js').catch(() => undefined);
  const handler = route?.[request.method];
  if (!handler) return response.writeHead(404).end();
  const { cookie = '' } = request.headers;
  const answer = await handler(new Request(url, { method: request.method, headers: { cookie } }));
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'set-cookie'));
  response.writeHead(answer.status, { ...headers, 'set-cookie': answer.headers.getSetCookie() });
  response.end(await answer.text());
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

/** Signs in with a session of Bailiwick, and returns the callback without opening it. */
async function begin(program: Program, session: string) {
  const visit = visitProgram(program);
  const visitor = startVisitor(stack, session);
  const { url } = await visitor.open((await visit('/login')).location);
  assert.ok(url.href.startsWith(`${program.url}/callback?`), url.href);
  return { visit, visitor, callback: url };
}

const servers = [
  {
    heading: 'Express',
    main: 'server.js',
    home: '/',
    environment: () => ({ SESSION_SECRET: randomBytes(32).toString('hex') }),
  },
  {
    heading: 'Route handlers: Next.js and others',
    main: framework,
    home: '/me',
    environment: () => ({ SESSION_KEY: randomBytes(32).toString('base64') }),
  },
] as const;

for (const { heading, main, home, environment } of servers)
  describe(`docs/add-sign-in.md: ${heading}`, () => {
    test('signs a person in and out, here and at Bailiwick', async () => {
      const program = await start(heading, main, environment());
      const session = String(bodyOf(await login(stack, ada.email))['Token']);
      const { visit, visitor, callback } = await begin(program, session);
      const back = await visit(callback);
      assert.equal(back.location, home, back.text);
      const {
        sub,
        email,
        tenant: signedInTo,
      } = JSON.parse((await visit(home)).text) as Record<string, unknown>;
      assert.deepEqual([sub, email, signedInTo], [ada.id, ada.email, tenant]);
      const out = await visit('/logout', 'POST');
      assert.ok(out.location.startsWith(`${stack.url}/oauth/logout?`), out.location);
      await visitor.sendForm(await visitor.open(out.location));
      assert.equal((await stack.call('Account_Get', {}, session)).status, 401);
      assert.equal((await visit(home)).location, '/login');
    });

    test('refuses the answer of another browser, of another sign-in, and one that it has used', async () => {
      const program = await start(heading, main, environment());
      const { visit, callback } = await begin(program, ada.token);
      assert.equal((await visitProgram(program)(callback)).status, 400);
      const other = await begin(program, ada.token);
      const changed = new URL(other.callback);
      changed.searchParams.set('state', 'x');
      assert.equal((await other.visit(changed)).status, 400);
      assert.equal((await visit(callback)).location, home);
      assert.equal((await visit(callback)).status, 400);
    });
  });

test('docs/add-sign-in.md: React with Vite signs a person in, in a browser, and keeps no token in storage', {
  skip: withoutChromium,
}, async () => {
  const port = await takePort();
  const url = `http://127.0.0.1:${port}`;
  const fields = { RedirectURIs: [`${url}/`], PostLogoutRedirectURIs: [`${url}/`] };
  const Scopes = ['openid', 'profile', 'email'];
  const app = { Tenant: tenant, Kind: 'spa', ...fields, Scopes, Resources: [] };
  const { ID } = await createApp(stack, app, ada.token);
  const cwd = makeProject('React with Vite');
  const vite = path.join(cwd, 'node_modules/vite/bin/vite.js');
  const args = [vite, '--host', '127.0.0.1', '--port', String(port), '--strictPort'];
  const environment = { VITE_ISSUER: stack.url, VITE_CLIENT_ID: ID };
  const command = { command: process.execPath, args, cwd };
  programs.push(await startCommand('vite', command, `127.0.0.1:${port}`, environment));
  const sessions = async () => {
    const { Items } = bodyOf(await stack.call('Sessions_List', {}, ada.token))['Page'] as {
      Items: Array<{ ID: string }>;
    };
    return Items.map(({ ID }) => ID).sort();
  };
  const earlier = await sessions();
  const browser = await openBrowser();
  try {
    const tab = await browser.newPage();
    await tab.goto(url);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.waitForURL(`${stack.url}/**`);
    await signInOnPage(tab, ada.email, password);
    await tab.getByRole('heading', { name: `Hello ${ada.email}` }).waitFor();
    assert.equal(tab.url(), `${url}/`);
    assert.equal(await tab.evaluate('sessionStorage.length + localStorage.length'), 0);
    assert.equal((await sessions()).length, earlier.length + 1);
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await eventually('the session to end', async () =>
      isDeepStrictEqual(await sessions(), earlier),
    );
    await tab.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.equal(tab.url(), `${url}/`);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByLabel('E-mail address').waitFor();
  } finally {
    await browser.close();
  }
});

test('docs/add-sign-in.md installs the versions of the workspace', () => {
  const workspace = readFileSync(path.join(root, 'pnpm-workspace.yaml'), 'utf8');
  const { catalog } = parse(workspace) as { catalog: Record<string, string> };
  const installed = packagesOf(page);
  assert.ok(installed.size >= 8, [...installed.keys()].join(' '));
  for (const [name, version] of installed) assert.equal(version, catalog[name], name);
});
