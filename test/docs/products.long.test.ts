import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { answerConsent, createApp } from '../sso/issuer/stage.ts';
import { startVisitor, type Visitor } from '../sso/issuer/visitor.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, login, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { headings, readSection } from './connect-page.ts';

// Registers the apps of docs/connect-applications.md, and signs in as Grafana, Argo CD and kubelogin
// do with the page's configurations. products/main.go has their libraries and their parameters.

const run = promisify(execFile);
const sections = {
  grafana: readSection('Grafana'),
  argocd: readSection('Argo CD'),
  kubectl: readSection('kubectl'),
};

function findGo(): string | undefined {
  try {
    execFileSync('go', ['version']);
    return undefined;
  } catch {
    return 'NOT TESTED: the configurations of docs/connect-applications.md need Go 1.26';
  }
}
const reason = findGo();
if (reason !== undefined) process.stderr.write(`\n${reason}\n`);

type App = { ID: string; secret: string };
type Claims = Record<string, unknown>;

test('every section of docs/connect-applications.md with an app has a test', () => {
  // django.long.test.ts and passport.long.test.ts have the other three.
  const others = ['Django', 'Flask and others with Python Social Auth', 'Express with Passport'];
  assert.deepEqual(headings, ['Grafana', 'Argo CD', 'kubectl', ...others]);
});

describe('docs/connect-applications.md', { skip: reason ?? false }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-products-'));
  const program = path.join(folder, 'products');
  let stack: Stack;
  let tenant: string;
  let ada: Awaited<ReturnType<typeof signUp>>;
  let grafana: App;
  let argocd: App;
  let argocdCli: App;
  let kubernetes: App;
  before(async () => {
    const cwd = path.join(import.meta.dirname, 'products');
    [stack] = await Promise.all([
      sharedStack('one process'),
      run('go', ['build', '-o', program, '.'], { cwd }),
    ]);
    assert.equal((await run('gofmt', ['-l', '.'], { cwd })).stdout, '');
    ada = await signUp(stack);
    tenant = await createTenant(stack, ada.token);
    const group = { Tenant: tenant, Path: 'engineering/platform' };
    const call = async (name: string, body: object) =>
      bodyOf(await stack.call(name, body, ada.token));
    await call('Groups_Save', { Group: group });
    await call('Groups_AddMember', { Tenant: tenant, Group: group.Path, UserID: ada.id });
    const register = (name: keyof typeof sections) =>
      Promise.all(
        sections[name].apps.map((fields) =>
          createApp(
            stack,
            { PostLogoutRedirectURIs: [], Resources: [], ...fields, Tenant: tenant },
            ada.token,
          ),
        ),
      );
    assert.deepEqual(
      Object.values(sections).map(({ apps }) => apps.length),
      [1, 2, 1],
    );
    [grafana] = (await register('grafana')) as [App];
    [argocd, argocdCli] = (await register('argocd')) as [App, App];
    [kubernetes] = (await register('kubectl')) as [App];
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stack?.stop();
  });

  /** The page's text with the address and the client of this installation. */
  const here = (text: string, { ID, secret }: App) =>
    text
      .replaceAll('https://id.example.com', stack.url)
      .replaceAll('app_…', ID)
      .replaceAll('bwka_…', secret);

  /** Signs in as a product does. Returns its data about the person. */
  async function signIn(product: string, settings: object, session = ada.token) {
    const child = spawn(program, { env: { ...process.env, NO_PROXY: '127.0.0.1,localhost' } });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => {
      const line = await lines.next();
      assert.ok(line.done !== true, errors);
      return line.value;
    };
    child.stdin.write(`${JSON.stringify({ Product: product, Settings: settings })}\n`);
    const visitor = startVisitor(stack, session);
    let arrival = await visitor.open(await next());
    if (arrival.url.origin === stack.url) arrival = await answerConsent(visitor, arrival, 'yes');
    assert.notEqual(arrival.url.origin, stack.url, arrival.text);
    child.stdin.end(`${arrival.url.href}\n`);
    return { visitor, at: arrival.url, report: JSON.parse(await next()) as Claims };
  }

  async function assertSignsOut(visitor: Visitor, address: unknown, to: string, session: string) {
    const arrival = await visitor.sendForm(await visitor.open(String(address)));
    assert.equal(arrival.url.href, to);
    assert.equal((await stack.call('Account_Get', {}, session)).status, 401);
  }

  const newSession = async () => String(bodyOf(await login(stack, ada.email))['Token']);

  test('Grafana signs a person in with their role and groups, refreshes, and signs them out', async () => {
    const [ini = ''] = sections.grafana.blocks('ini');
    const settings = Object.fromEntries(
      Array.from(here(ini, grafana).matchAll(/^(\w+) = (.*)$/gm), ([, key, value]) => [key, value]),
    );
    const session = await newSession();
    const { at, visitor, report } = await signIn('grafana', settings, session);
    assert.ok(at.href.startsWith('https://grafana.example.com/login/generic_oauth?'), at.href);
    const groups = ['engineering/platform'];
    const expected = { sub: ada.id, email: ada.email, login: ada.email, role: 'Admin', groups };
    for (const source of ['token', 'api']) {
      const { name: _, ...claims } = report[source] as Claims;
      assert.deepEqual(claims, expected, source);
    }
    await assertSignsOut(visitor, report['signOut'], 'https://grafana.example.com/login', session);
  });

  test('Argo CD signs a person in with their groups, refreshes, and signs them out', async () => {
    const session = await newSession();
    const { at, visitor, report } = await signIn('argocd', argocdSettings(), session);
    assert.ok(at.href.startsWith('https://argocd.example.com/auth/callback?'), at.href);
    assertClaims(report, argocd);
    await assertSignsOut(visitor, report['signOut'], 'https://argocd.example.com/', session);
  });

  test('the command line of Argo CD signs a person in, and refreshes', async () => {
    const { at, report } = await signIn('argocd-cli', argocdSettings());
    assert.equal(at.origin + at.pathname, 'http://localhost:8085/auth/callback');
    assertClaims(report, argocdCli);
  });

  test('kubelogin gets an ID token that the API server accepts', async () => {
    const [users = '', flags = ''] = sections.kubectl.blocks('yaml');
    const { args } = (
      parse(here(users, kubernetes)) as { users: [{ user: { exec: { args: string[] } } }] }
    ).users[0].user.exec;
    const extra = args.filter((arg) => arg.startsWith('--oidc-extra-scope='));
    const server = flagsOf(parse(here(flags, kubernetes)) as string[]);
    const { report } = await signIn('kubelogin', {
      ...flagsOf(args),
      'oidc-extra-scope': extra.map((arg) => arg.split('=')[1]).join(' '),
      'apiserver-client-id': server['oidc-client-id'],
    });
    const claims = assertClaims(report, kubernetes);
    assert.equal(server['oidc-issuer-url'], claims['iss']);
    // The API server requires it for the claim email.
    assert.equal(claims['email_verified'], true);
    assert.equal(claims[server['oidc-username-claim'] ?? ''], ada.email);
    assert.deepEqual(claims[server['oidc-groups-claim'] ?? ''], ['engineering/platform']);
  });

  function argocdSettings() {
    const [yaml = ''] = sections.argocd.blocks('yaml');
    const { url, 'oidc.config': config } = parse(here(yaml, argocd)) as Record<string, string>;
    const settings = parse(config ?? '') as Record<string, string | string[] | boolean>;
    assert.equal(settings['enablePKCEAuthentication'], true);
    return {
      url,
      issuer: settings['issuer'],
      logoutURL: settings['logoutURL'],
      requestedScopes: [settings['requestedScopes']].flat().join(' '),
      clientID: argocd.ID,
      clientSecret: argocd.secret,
      cliClientID: argocdCli.ID,
    };
  }

  function assertClaims(report: Claims, app: App): Claims {
    const claims = report['claims'] as Claims;
    const { sub, aud, email, groups } = claims;
    assert.deepEqual(
      { sub, aud, email, groups },
      { sub: ada.id, aud: app.ID, email: ada.email, groups: ['engineering/platform'] },
    );
    return claims;
  }
});

/** The values of flags such as `--name=value`. */
const flagsOf = (args: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    args.flatMap((arg) => {
      const [, name, value] = /^--([\w-]+)=(.*)$/.exec(arg) ?? [];
      return name === undefined ? [] : [[name, value ?? '']];
    }),
  );
