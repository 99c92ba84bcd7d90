import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { InvalidTokenError, UnavailableError } from '../errors.ts';
import { expressGuard } from '../express.ts';
import { fastifyGuard } from '../fastify.ts';
import { callerOf, createGuard } from '../guard.ts';
import { honoGuard } from '../hono.ts';
import { startFollowing, state, token } from '../testing/following.ts';
import { audience, startIssuer } from '../testing/issuer.ts';
import { type Verifier, verifier } from '../verifier.ts';
import type { Rights } from './rights.ts';

// The guards and the verifier with a follower.

const verify: Verifier = () => Promise.resolve(token);
const permission = 'app.reports.write';
const authorization = 'Bearer x';

const rights: Rights = {
  can: () => true,
  isCurrent: () => true,
  refresh: () => Promise.resolve(),
};
const guardWith = (changes: Partial<Rights>) =>
  createGuard(verify, { follower: { rights: () => Promise.resolve({ ...rights, ...changes }) } });

/** An issuer's token that Bailiwick's answer lets write `report:7` only. */
async function startVerifying(t: TestContext) {
  const issuer = await startIssuer(t);
  const following = await startFollowing(t);
  const verifyNow = verifier({ issuer: issuer.issuer, audience, follower: following.follower });
  const sign = (claims = {}) => issuer.sign({ scope: 'app.*', sid: 'ses_1', ...claims });
  return { ...following, sign, verify: verifyNow };
}

test('a verifier with a follower refuses a token as soon as it has ended', async (t) => {
  const { gateway, sign, verify: verifyNow } = await startVerifying(t);
  const signed = await sign();
  const verified = await verifyNow(signed);
  assert.equal(verified.keyId, 'first');
  const connection = await gateway.connection(0);
  const { Token } = await connection.read('ask');
  assert.equal((Token as { KeyID: string }).KeyID, 'first');
  await verifyNow(signed);
  assert.ok(connection.frames.every(({ Type }) => Type !== 'ask'));
  const Error = { Code: 'unauthenticated', Message: 'no' };
  gateway.script.answer = () => ({ Error, Handle: undefined, Value: undefined });
  await connection.drop(1);
  await assert.rejects(verifyNow(signed), InvalidTokenError);
  // A token that is not the issuer's causes no question.
  const asks = () => connection.frames.filter(({ Type }) => Type === 'ask').length;
  const before = asks();
  await assert.rejects(verifyNow(`${signed}x`), InvalidTokenError);
  await connection.drop();
  assert.equal(asks(), before);
});

test('a verifier whose follower is closed is unavailable, and a guard answers 503', async (t) => {
  const { follower, sign, verify: verifyNow } = await startVerifying(t);
  const signed = await sign();
  follower.close();
  await assert.rejects(verifyNow(signed), UnavailableError);
  const guard = createGuard(verifyNow, { follower });
  const refused = await guard({}, `Bearer ${signed}`, permission, {});
  assert.deepEqual([refused?.status, refused?.headers], [503, { 'retry-after': '1' }]);
});

test('a guard decides by the rights of the token as they are now, on the resource of the request', async (t) => {
  const { follower, gateway, sign, verify: verifyNow } = await startVerifying(t);
  const guard = createGuard(verifyNow, { follower });
  // The token itself has more and fewer permissions than there are now.
  const bearer = `Bearer ${await sign({ permissions: ['app.old.read'] })}`;
  const statusOf = async (required: string, resource?: string) =>
    (await guard({}, bearer, required, { resource: resource ? () => resource : undefined }))
      ?.status;
  assert.equal(await statusOf('app.reports.read'), undefined);
  assert.equal(await statusOf('app.old.read'), 403);
  assert.equal(await statusOf(permission), 403);
  assert.equal(await statusOf(permission, 'report:7'), undefined);
  gateway.script.answer = () => ({ Value: { ...state, Grants: { '': [1] } } });
  await (await gateway.connection(0)).drop(1);
  assert.equal(await statusOf(permission, 'report:7'), 403);
});

test('a guard asks once more, and then answers 503', async () => {
  let isKnown = false;
  const statusOf = async (changes: Partial<Rights>) =>
    (await guardWith(changes)({}, authorization, permission, {}))?.status;
  const refresh = () => {
    isKnown = true;
    return Promise.resolve();
  };
  assert.equal(await statusOf({ isCurrent: () => isKnown, refresh }), undefined);
  const away = () => Promise.reject(new UnavailableError('away'));
  assert.equal(await statusOf({ isCurrent: () => false, refresh: away }), 503);
  assert.equal(await statusOf({ isCurrent: () => false }), 503);
  const ended = () => Promise.reject(new InvalidTokenError('it has ended'));
  assert.equal(await statusOf({ refresh: ended }), 401);
  const broken = () => Promise.reject(new Error('broken'));
  await assert.rejects(statusOf({ refresh: broken }), /broken/);
});

test('a token without a tenant is refused, and no question is asked', async () => {
  const guard = createGuard(() => Promise.resolve({ ...token, tenant: undefined as never }), {
    follower: { rights: () => Promise.reject(new Error('asked')) },
  });
  assert.equal((await guard({}, authorization, permission, {}))?.status, 403);
});

test('without a follower the resource is a question to checked, within the scope', async () => {
  const questions: object[] = [];
  const checked = (question: object) => Promise.resolve(questions.push(question) > 0);
  const claims = { ...token, permissions: ['app.reports.read'] };
  const guard = createGuard(() => Promise.resolve(claims), { checked });
  const statusOf = async (required: string) =>
    (await guard({}, authorization, required, { resource: () => 'report:7' }))?.status;
  assert.equal(await statusOf('app.reports.read'), undefined);
  assert.deepEqual(questions, []);
  assert.equal(await statusOf(permission), undefined);
  assert.deepEqual(questions, [
    { tenant: 'tnt_1', subject: 'usr_1', permission, resource: 'report:7' },
  ]);
  assert.equal(await statusOf('app.notes.read'), 403);
  assert.equal(questions.length, 1);
});

test('each framework passes its request to the resource', async () => {
  const resources: string[] = [];
  const can = (_: string, resource = '') => resources.push(resource) > 0;
  const options = { follower: { rights: () => Promise.resolve({ ...rights, can }) } };
  const raw = new Request('http://x', { headers: { authorization } });
  const header = (name: string) => raw.headers.get(name) ?? undefined;
  const context = { req: { raw, header }, id: '1' };
  const hono = honoGuard(verify, options)(permission, {
    resource: ({ id }: typeof context) => `hono:${id}`,
  });
  await hono(context, () => Promise.resolve());

  const request = {
    headers: { authorization },
    method: 'GET',
    url: '/',
    originalUrl: '/',
    id: '2',
  };
  const express = expressGuard(verify, options)(permission, {
    resource: ({ id }: typeof request) => `express:${id}`,
  });
  const response = { statusCode: 0, setHeader: () => {}, end: () => {} };
  await express(request, response, () => {});
  assert.equal(callerOf(request).sub, 'usr_1');

  const fastify = fastifyGuard(verify, options)(permission, {
    resource: ({ id }: typeof request) => `fastify:${id}`,
  });
  const reply = { code: () => reply, headers: () => reply, send: () => reply };
  await fastify(request, reply);
  assert.deepEqual(resources, ['hono:1', 'express:2', 'fastify:2']);
});
