import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { audience, type Issuer, newSigner, startIssuer } from '@bailiwick/server/testing/issuer.ts';
import { ask, createApp, exchange, relyOn, signInWith } from '../../sso/issuer/stage.ts';
import { startVisitor } from '../../sso/issuer/visitor.ts';
import { bodyOf } from '../../support/answers.ts';
import { type Stack, startStack } from '../../support/harness.ts';
import { createTenant, login, signUp } from '../../support/people.ts';
import { takePort } from '../../support/ports.ts';
import { rowsOf } from '../../support/store.ts';
import { findLanguages, goVersions, type Programs } from './languages.ts';
import { startProgram, visitProgram } from './program.ts';

// Runs the programs of the guides to Python and Go: stock libraries against the real product.

const languages = await findLanguages();
for (const { reason } of languages) if (reason !== undefined) process.stderr.write(`\n${reason}\n`);

test('the Go guide names the versions that are tested', () => {
  const { page, module } = goVersions();
  assert.deepEqual(page, module);
});

for (const { name, make, reason } of languages)
  describe(`the guide to ${name}`, { skip: reason ?? false }, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-guide-'));
    const endings: Array<() => void> = [];
    let programs: (address: string) => Programs;
    let stack: Stack;
    let issuer: Issuer;
    let ada: Awaited<ReturnType<typeof signUp>>;
    before(async () => {
      // A stack of its own, whose refresh tokens it counts.
      [stack, issuer, programs] = await Promise.all([
        startStack('one process', { BAILIWICK_LIMITS: 'off' }),
        startIssuer({ after: (end) => endings.push(end as () => void) }),
        make(folder),
      ]);
      ada = await signUp(stack);
    });
    after(async () => {
      for (const end of endings) end();
      rmSync(folder, { recursive: true, force: true });
      await stack?.stop();
    });

    /** Starts the application that signs people in. Its tokens always expire within a minute. */
    async function startApplication() {
      const port = await takePort();
      const url = `http://127.0.0.1:${port}`;
      const app = await createApp(stack, {
        RedirectURIs: [`${url}/callback`],
        PostLogoutRedirectURIs: [`${url}/`],
        Scopes: ['openid', 'profile', 'email', 'offline_access'],
        TokenLifetimeSeconds: 60,
      });
      const environment = {
        ISSUER: stack.url,
        APP_URL: url,
        CLIENT_ID: app.ID,
        CLIENT_SECRET: app.secret,
        COOKIE_KEY: 'a key of this test',
      };
      const program = await startProgram(programs, 'signIn', environment, port);
      endings.push(program.stop);
      return program;
    }

    /** Begins a sign-in in the application, and stops where the browser returns to it. */
    async function begin(program: { url: string }, session = ada.token) {
      const visit = visitProgram(program);
      const visitor = startVisitor(stack, session);
      const { url } = await visitor.open((await visit('/login')).location);
      assert.ok(url.href.startsWith(`${program.url}/callback?`), url.href);
      return { visit, visitor, callback: url };
    }

    const tokensSaved = async () => {
      const query = "select count(*)::int as n from sso.issuer_record where model = 'RefreshToken'";
      return (await rowsOf<{ n: number }>(stack, query))[0]?.n ?? 0;
    };

    test('the application signs a person in, refreshes, and signs them out of Bailiwick', async () => {
      const program = await startApplication();
      const session = String(bodyOf(await login(stack, ada.email))['Token']);
      const { visit, visitor, callback } = await begin(program, session);
      const back = await visit(callback);
      assert.equal(back.location, '/me', back.text);
      const before = await tokensSaved();
      for (const _ of [1, 2]) {
        const me = await visit('/me');
        assert.equal(me.status, 200, me.text);
        const { sub, email } = JSON.parse(me.text) as Record<string, unknown>;
        assert.deepEqual([sub, email], [ada.id, ada.email]);
      }
      assert.equal(await tokensSaved(), before + 2);
      const out = await visit('/logout', 'POST');
      const arrival = await visitor.sendForm(await visitor.open(out.location));
      assert.ok(arrival.url.href.startsWith(`${program.url}/`), arrival.url.href);
      assert.equal((await stack.call('Account_Get', {}, session)).status, 401);
      assert.equal((await visit('/me')).status, 401);
    });

    test('of 20 requests at once after the token has expired, all succeed', async () => {
      const { visit, callback } = await begin(await startApplication());
      await visit(callback);
      const answers = await Promise.all(Array.from({ length: 20 }, () => visit('/me')));
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    });

    test('the application signs a person out whose session has ended', async () => {
      const session = String(bodyOf(await login(stack, ada.email))['Token']);
      const { visit, callback } = await begin(await startApplication(), session);
      await visit(callback);
      bodyOf(await stack.call('Account_Logout', {}, session));
      assert.equal((await visit('/me')).status, 401);
    });

    test('the application refuses answers of another browser, issuer or sign-in', async () => {
      const program = await startApplication();
      const { visit, callback } = await begin(program);
      assert.equal((await visitProgram(program)(callback)).status, 401);
      for (const [parameter, value] of Object.entries({
        iss: issuer.issuer,
        state: 'x',
        code: 'x',
      })) {
        const one = await begin(program);
        const changed = new URL(one.callback);
        changed.searchParams.set(parameter, value);
        assert.equal((await one.visit(changed)).status, 401, parameter);
      }
      const without = await begin(program);
      without.callback.searchParams.delete('iss');
      assert.equal((await without.visit(without.callback)).status, 401);
      assert.equal((await visit(callback)).location, '/me');
      assert.equal((await visit(callback)).status, 401);
    });

    test('the API accepts a token for it, and none for another resource or of another issuer', async () => {
      const [other, tenant] = [`${audience}/other`, await createTenant(stack, ada.token)];
      const Permissions = ['app.reports.read'];
      const Role = { Tenant: tenant, Slug: 'readers', Permissions };
      bodyOf(await stack.call('Roles_Save', { Role }, ada.token));
      const Grant = { Tenant: tenant, UserID: ada.id, Role: 'readers' };
      bodyOf(await stack.call('Grants_Add', { Grant }, ada.token));
      const Scopes = ['openid', 'app.reports.read', 'app.reports.write'];
      const app = await createApp(stack, { Scopes, Resources: [audience, other] });
      const config = await relyOn(stack, app);
      const api = await startProgram(programs, 'api', { ISSUER: stack.url, AUDIENCE: audience });
      endings.push(api.stop);
      const sign = async (resource: string, scope: string) => {
        const request = await ask(config, { resource, tenant, scope: `openid ${scope}` });
        const arrival = await startVisitor(stack, ada.token).open(request.url);
        return exchange(config, request, arrival, { resource });
      };
      const tokens = await sign(audience, 'app.reports.read');
      const call = (authorization?: string) => callApi(api.url, authorization);
      const answer = await call(`Bearer ${tokens.access_token}`);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(JSON.parse(answer.text), { sub: ada.id, tenant });
      const elsewhere = await sign(other, 'app.reports.read');
      const opaque = (await signInWith(stack, config, ada.token, { tenant, scope: 'openid' }))
        .tokens;
      for (const token of [
        elsewhere.access_token,
        opaque.access_token,
        tokens.id_token ?? '',
        await issuer.sign(),
      ])
        assert.equal((await call(`Bearer ${token}`)).challenge, 'Bearer error="invalid_token"');
      const writing = await sign(audience, 'app.reports.write');
      assert.equal((await call(`Bearer ${writing.access_token}`)).status, 403);
    });

    test('the API refuses expired, foreign, bound and forged tokens', async () => {
      const environment = { ISSUER: issuer.issuer, AUDIENCE: audience };
      const api = await startProgram(programs, 'api', environment);
      endings.push(api.stop);
      const call = (token: string) => callApi(api.url, `Bearer ${token}`);
      const now = issuer.now();
      const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
      const [head = '', payload = ''] = (await issuer.sign()).split('.');
      const refused = {
        expired: await issuer.sign({ exp: now - 10 }),
        'without an end': await issuer.sign({ exp: undefined }),
        'of another audience': await issuer.sign({ aud: 'https://other.example.com' }),
        'of another issuer': await issuer.sign({ iss: stack.url }),
        'an ID token': await issuer.sign({}, { typ: 'JWT' }),
        'without a type': await issuer.sign({}, { typ: undefined }),
        bound: await issuer.sign({ cnf: { jkt: 'x' } }),
        'without a client': await issuer.sign({ client_id: undefined }),
        'of a foreign key': await issuer.sign({}, {}, await newSigner(issuer.own.kid)),
        'of an unknown key': await issuer.sign({}, {}, await newSigner('unknown')),
        'without a signature': `${none}.${payload}.`,
        'with an empty signature': `${head}.${payload}.`,
        'no token': 'x',
        empty: '',
      };
      for (const [what, token] of Object.entries(refused)) {
        const { status } = await call(token);
        assert.equal(status, 401, what);
      }
      assert.equal((await callApi(api.url)).challenge, 'Bearer');
      for (const claims of [
        { permissions: ['app.reports.readers'] },
        { permissions: undefined, permissions_omitted: true },
        { tenant: undefined },
      ])
        assert.equal((await call(await issuer.sign(claims))).status, 403, JSON.stringify(claims));
      for (const permissions of [['app.reports.read'], ['app.reports.*'], ['*']])
        assert.equal((await call(await issuer.sign({ permissions }))).status, 200);
    });
  });

async function callApi(url: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization };
  const response = await fetch(`${url}/reports`, { headers });
  return {
    status: response.status,
    challenge: response.headers.get('www-authenticate'),
    text: await response.text(),
  };
}
