import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { Checked } from './checked.ts';
import { InvalidTokenError } from './errors.ts';
import { expressGuard } from './express.ts';
import { fastifyGuard } from './fastify.ts';
import { callerOf, createGuard } from './guard.ts';
import { honoGuard } from './hono.ts';
import { holds, inScope } from './permissions.ts';
import type { VerifiedToken, Verifier } from './verifier.ts';

const permission = 'app.reports.read';
const claims: VerifiedToken = {
  sub: 'usr_1',
  exp: 1,
  iat: 1,
  client_id: 'app_1',
  tenant: 'tnt_1',
  permissions: [permission],
  keyId: 'first',
};

/** Verifies tokens that are JSON of changes to the claims. Null leaves a claim out. */
const verify: Verifier = (token) => {
  if (token === 'broken') return Promise.reject(new Error('no keys'));
  if (!token.startsWith('{')) return Promise.reject(new InvalidTokenError('invalid'));
  const changed = Object.entries({ ...claims, ...(JSON.parse(token) as object) });
  return Promise.resolve(
    Object.fromEntries(changed.filter(([, value]) => value !== null)) as VerifiedToken,
  );
};

/** A token has no spaces, so those of a scope are escaped. */
const bearer = (changes: object = {}) =>
  `Bearer ${JSON.stringify(changes).replaceAll(' ', String.raw`\u0020`)}`;

/** The status of a request with these changes to the claims; 200 = it may go on. */
async function statusOf(changes: object, check?: Checked, options = {}): Promise<number> {
  const guard = createGuard(verify, { checked: check });
  const refused = await guard({}, bearer(changes), permission, options);
  return refused?.status ?? 200;
}

test('a request may go on with a permission of its token, in the tenant of its token', async () => {
  assert.equal(await statusOf({}), 200);
  assert.equal(await statusOf({ permissions: ['app.*'] }), 200);
  assert.equal(await statusOf({ permissions: ['app.reports.readers', 'app.report', 'app'] }), 403);
  assert.equal(await statusOf({ permissions: [] }), 403);
  assert.equal(await statusOf({ tenant: null }), 403);
});

test('a wildcard includes no permission of the platform', () => {
  assert.equal(holds(['*'], 'iam.users.read'), true);
  for (const platformOnly of ['iam.platform.users.read', 'iam.internal.deliver']) {
    assert.equal(holds(['*', 'iam.*', 'iam.platform.*', 'iam.internal.*'], platformOnly), false);
    assert.equal(holds([platformOnly], platformOnly), true);
  }
  assert.equal(holds(['app.notes.*'], 'app.notes'), false);
});

test('without permissions in the token, Bailiwick decides, and without checked() the request is refused', async () => {
  const questions: object[] = [];
  const answers = (allowed: boolean): Checked => {
    return (question) => {
      questions.push(question);
      return Promise.resolve(allowed);
    };
  };
  const omitted = { scope: 'app.*', permissions: null, permissions_omitted: true };
  assert.equal(await statusOf(omitted), 403);
  assert.equal(await statusOf(omitted, answers(true)), 200);
  assert.equal(await statusOf(omitted, answers(false)), 403);
  assert.deepEqual(questions[0], { tenant: 'tnt_1', subject: 'usr_1', permission });
  assert.equal(questions.length, 2);
  // A token without a tenant is never asked about.
  assert.equal(await statusOf({ ...omitted, tenant: null }, answers(true)), 403);
  // The token decides by itself.
  assert.equal(await statusOf({}, answers(false)), 200);
  assert.equal(await statusOf({ permissions: [] }, answers(true)), 403);
  assert.equal(questions.length, 2);
});

test('current asks Bailiwick even if the token has the permission', async () => {
  const current = { current: true };
  assert.equal(await statusOf({}, () => Promise.resolve(false), current), 403);
  assert.equal(await statusOf({}, () => Promise.resolve(true), current), 200);
  assert.equal(await statusOf({}, undefined, current), 403);
});

test('a token never uses a right of its person that its scope or permissions leave out', async () => {
  const questions: object[] = [];
  const check: Checked = (question) => Promise.resolve(questions.push(question) > 0);
  const omitted = { permissions: null, permissions_omitted: true };
  const narrow = [
    { permissions: [] },
    { permissions: ['app.reports.write'] },
    { permissions: ['app.*'], scope: 'app.notes.* app.reports.write' },
    { permissions: [], scope: 'app.reports.read' },
    omitted,
    { ...omitted, scope: '' },
    { ...omitted, scope: 'app.notes.* app.reports.readers app.report' },
  ];
  for (const claim of narrow)
    for (const options of [{}, { current: true }])
      assert.equal(await statusOf(claim, check, options), 403, JSON.stringify(claim));
  assert.deepEqual(questions, []);
  for (const scope of ['app.reports.read', 'app.x app.reports.*', '*']) {
    assert.equal(await statusOf({ scope }, check, { current: true }), 200);
    assert.equal(await statusOf({ ...omitted, scope }, check), 200);
  }
  assert.equal(questions.length, 6);
});

test('inScope tells whether the scope covers a permission', () => {
  assert.equal(inScope({ scope: 'app.x app.reports.*' }, permission), true);
  assert.equal(inScope({ scope: 'app.x' }, permission), false);
  assert.equal(inScope({}, permission), false);
});

test('the token of a service decides by itself, and Bailiwick is not asked about an app', async () => {
  const questions: object[] = [];
  const check: Checked = (question) => Promise.resolve(questions.push(question) > 0);
  const service = { sub: 'app_1', permissions: null };
  for (const options of [{}, { current: true }]) {
    assert.equal(await statusOf({ ...service, scope: 'app.reports.*' }, check, options), 200);
    assert.equal(await statusOf({ ...service, permissions: [permission] }, check, options), 200);
    for (const refused of [
      {},
      { scope: 'app.notes.read' },
      { scope: permission, permissions: [] },
      { scope: permission, tenant: null },
    ])
      assert.equal(await statusOf({ ...service, ...refused }, check, options), 403);
  }
  assert.equal(await statusOf({ ...service, scope: permission }), 200);
  assert.deepEqual(questions, []);
});

test('a refusal has the challenge of RFC 6750', async () => {
  const guard = createGuard(verify);
  const challengeOf = async (authorization: string | undefined, required = permission) => {
    const refused = await guard({}, authorization, required, {});
    return [refused?.status, refused?.headers['www-authenticate']];
  };
  for (const absent of [undefined, '', 'Bearer', 'Bearer ', 'Basic eDp5', 'Bearer a b'])
    assert.deepEqual(await challengeOf(absent), [401, 'Bearer']);
  assert.deepEqual(await challengeOf('Bearer x'), [401, 'Bearer error="invalid_token"']);
  const refused = await guard({}, 'Bearer x', permission, {});
  assert.equal(refused?.body.message, 'the access token is not valid: invalid');
  assert.deepEqual(await challengeOf(bearer(), 'app.other.read'), [
    403,
    'Bearer error="insufficient_scope"',
  ]);
});

test('an error of the verifier or of checked() lets no request through', async () => {
  const guard = createGuard(verify);
  await assert.rejects(guard({}, 'Bearer broken', permission, {}), /no keys/);
  const away = () => Promise.reject(new Error('away'));
  await assert.rejects(statusOf({}, away, { current: true }), /away/);
});

test('callerOf returns the claims of requests that were let through, and throws for others', async () => {
  const guard = createGuard(verify);
  const [let_, refused] = [{}, {}];
  await guard(let_, bearer({ sub: 'usr_2' }), permission, {});
  await guard(refused, bearer({ permissions: [] }), permission, {});
  assert.equal(callerOf(let_).sub, 'usr_2');
  assert.throws(() => callerOf(refused), /requirePermission has not run/);
});

test('honoGuard answers a refusal, and calls next otherwise', async () => {
  const handler = honoGuard(verify)(permission);
  const run = async (authorization?: string) => {
    const raw = new Request('http://x', authorization ? { headers: { authorization } } : {});
    let went = false;
    const req = { raw, header: (name: string) => raw.headers.get(name) ?? undefined };
    const response = await handler({ req }, () => {
      went = callerOf(raw).sub === 'usr_1';
      return Promise.resolve();
    });
    return [response?.status, response?.headers.get('www-authenticate'), went];
  };
  assert.deepEqual(await run(bearer()), [undefined, undefined, true]);
  assert.deepEqual(await run(), [401, 'Bearer', false]);
  await assert.rejects(run('Bearer broken'), /no keys/);
});

test('expressGuard answers a refusal, calls next otherwise, and passes errors to next', async (t) => {
  const handler = expressGuard(verify)(permission);
  const server = createServer((request, response) => {
    void handler(request, response, (error) => {
      if (error === undefined) response.end(callerOf(request).sub);
      else response.writeHead(503).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const run = (authorization: string) =>
    fetch(`http://127.0.0.1:${port}/`, { headers: { authorization } });
  const passed = await run(bearer());
  assert.deepEqual([passed.status, await passed.text()], [200, 'usr_1']);
  const refused = await run(bearer({ permissions: [] }));
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer error="insufficient_scope"');
  assert.deepEqual(await refused.json(), {
    error: 'insufficient_scope',
    message: `${permission} is required`,
  });
  assert.equal((await run('Bearer broken')).status, 503);
});

test('fastifyGuard sends a refusal, and returns nothing otherwise', async () => {
  const hook = fastifyGuard(verify)(permission);
  const replies: unknown[] = [];
  const reply = {
    code: (status: number) => (replies.push(status), reply),
    headers: (values: object) => (replies.push(values), reply),
    send: (body: unknown) => (replies.push(body), reply),
  };
  const target = { method: 'GET', originalUrl: '/' };
  const request = { ...target, headers: { authorization: bearer() } };
  assert.equal(await hook(request, reply), undefined);
  assert.equal(callerOf(request).sub, 'usr_1');
  assert.deepEqual(replies, []);
  assert.equal(await hook({ ...target, headers: {} }, reply), reply);
  assert.deepEqual(replies.slice(0, 2), [401, { 'www-authenticate': 'Bearer' }]);
});
