import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidTokenError, UnavailableError } from '../errors.ts';
import { isUnavailable, startFollowing, state, token } from '../testing/following.ts';
import { credential } from '../testing/gateway.ts';
import { follower } from './follower.ts';

const user = 'usr_01arz3ndektsv4rrffq69g5fav';
const tenant = 'tnt_01arz3ndektsv4rrffq69g5fav';

test('the rights of a token are its grants within its scope and the scopes of its app', async (t) => {
  const { follower: own, gateway } = await startFollowing(t, undefined, { tenants: ['tnt_1'] });
  const rights = await own.rights(token);
  assert.equal(rights.can('app.reports.read'), true);
  assert.equal(rights.can('app.reports.write'), false);
  assert.equal(rights.can('app.reports.write', 'report:7'), true);
  assert.equal(rights.can('app.reports.write', 'report:8'), false);
  // Outside of the scope.
  assert.equal(rights.can('app.notes.read'), false);
  const connection = await gateway.connection(0);
  assert.deepEqual(await connection.read('hello'), {
    Type: 'hello',
    Credential: credential,
    Tenants: ['tnt_1'],
  });
  const { ID: _, ...ask } = await connection.read('ask');
  assert.deepEqual(ask, {
    Type: 'ask',
    Token: {
      Subject: 'usr_1',
      Client: 'app_1',
      Session: 'ses_1',
      Credential: '',
      Tenant: 'tnt_1',
      Audience: ['https://reports.example.com'],
      KeyID: 'key_1',
    },
  });
  await own.confirm(token);
  assert.equal((await own.rights({ ...token, scope: 'openid' })).can('app.reports.read'), false);
  assert.equal((await own.rights({ ...token, scope: undefined as never })).can('openid'), false);
  // All of it was one question.
  assert.ok(connection.frames.every(({ Type }) => Type !== 'ask'));
});

test('an app that lost a scope cannot use it with an older token', async (t) => {
  const narrower = { ...state, Scopes: ['openid'] };
  const { follower: own } = await startFollowing(t, { answer: () => ({ Value: narrower }) });
  assert.equal((await own.rights(token)).can('app.reports.read'), false);
});

test('the token of a service is decided by its scope and the scopes of its app', async (t) => {
  const answer = () => ({ Value: { Scopes: ['app.reports.read'] } });
  const { follower: own } = await startFollowing(t, { answer });
  const service = { ...token, sub: 'app_1', sid: undefined };
  const rights = await own.rights(service);
  assert.equal(rights.can('app.reports.read'), true);
  assert.equal(rights.can('app.reports.read', 'report:7'), true);
  assert.equal(rights.can('app.reports.write'), false);
  // A person or bot without grants has no rights.
  const bot = { ...service, sub: 'bot_1', client_id: 'bot_1', credential: 'bky_1' };
  assert.equal((await own.rights(bot)).can('app.reports.read'), false);
  assert.equal((await own.rights(token)).can('app.reports.read'), false);
});

test('rightsOf are all rights of a subject, without a scope', async (t) => {
  const { Sets, Grants } = state;
  const { follower: own, gateway } = await startFollowing(t, {
    answer: () => ({ Value: { Sets, Grants } }),
  });
  const rights = await own.rightsOf(user, tenant);
  assert.equal(rights.can('app.notes.read'), true);
  assert.equal(rights.can('app.reports.write'), false);
  const { ID: _, ...ask } = await (await gateway.connection(0)).read('ask');
  assert.deepEqual(ask, { Type: 'ask', Subject: user, Tenant: tenant });
});

test('texts that no gateway takes are refused before they close the follower', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  const rights = await own.rights(token);
  const long = 'x'.repeat(2049);
  for (const subject of [
    '',
    long,
    'usr_',
    'usr_1',
    `app_${user.slice(4)}`,
    `${user}a`,
    {} as string,
  ])
    await assert.rejects(own.rightsOf(subject, tenant), TypeError);
  for (const id of ['', long, 'tnt_1', user])
    await assert.rejects(own.rightsOf(user, id), TypeError);
  for (const claims of [
    { keyId: '' },
    { keyId: long },
    { client_id: long },
    { client_id: 7 as never },
    { sid: long },
    { tenant: {} as never },
    { aud: [''] },
    { aud: long },
    { aud: Array.from({ length: 21 }, () => 'https://reports.example.com') },
  ]) {
    await assert.rejects(own.rights({ ...token, ...claims }), InvalidTokenError);
    await assert.rejects(own.confirm({ ...token, ...claims }), InvalidTokenError);
  }
  const connection = await gateway.connection(0);
  await connection.drop();
  assert.equal(connection.frames.filter(({ Type }) => Type === 'ask').length, 1);
  assert.equal(rights.can('app.reports.read'), true);
});

test('after a drop a permission is unknown until refresh, and the drop is acknowledged after it', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  const rights = await own.rights(token);
  const connection = await gateway.connection(0);
  await connection.drop(1);
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  assert.equal(rights.isCurrent(), false);
  gateway.script.answer = () => ({ Value: { ...state, Grants: {} } });
  await rights.refresh();
  assert.equal(rights.can('app.reports.read'), false);
});

test('with onUnavailable deny an unknown permission is refused', async (t) => {
  const { follower: own, gateway } = await startFollowing(t, undefined, { onUnavailable: 'deny' });
  const rights = await own.rights(token);
  await (await gateway.connection(0)).drop(1);
  assert.equal(rights.can('app.reports.read'), false);
  await rights.refresh();
  assert.equal(rights.can('app.reports.read'), true);
});

test('a token that has ended is invalid; any other error of the gateway leaves it unknown', async (t) => {
  const { follower: own, gateway } = await startFollowing(t);
  const errors = { unauthenticated: InvalidTokenError, permission_denied: UnavailableError };
  for (const [Code, type] of Object.entries(errors)) {
    const Error = { Code, Message: 'no' };
    gateway.script.answer = () => ({ Error, Handle: undefined, Value: undefined });
    await assert.rejects(own.confirm(token), type);
    await assert.rejects(own.rights(token), type);
  }
  // The errors were not kept.
  gateway.script.answer = () => ({ Value: state });
  await own.confirm(token);
});

test('concurrent questions about the same token are one', async (t) => {
  const { follower: own, gateway } = await startFollowing(t, {});
  const questions = [own.rights(token), own.confirm(token), own.rights({ ...token, iat: 2 })];
  const other = own.rights({ ...token, sid: 'ses_2' });
  const connection = await gateway.connection(0);
  const asks = [await connection.read('ask'), await connection.read('ask')];
  for (const { ID } of asks) connection.answer(ID, { Value: state });
  await Promise.all([...questions, other]);
  assert.deepEqual(
    asks.map(({ Token }) => (Token as { Session: string }).Session),
    ['ses_1', 'ses_2'],
  );
  assert.ok(connection.frames.every(({ Type }) => Type !== 'ask'));
});

test('the least recently used entry is evicted, and its handle forgotten', async (t) => {
  const { follower: own, gateway } = await startFollowing(t, undefined, { maxEntries: 2 });
  const of = (sid: string) => own.rights({ ...token, sid });
  const first = await of('ses_1');
  const second = await of('ses_2');
  await of('ses_1');
  await of('ses_3');
  assert.equal(first.isCurrent(), true);
  assert.throws(() => second.can('app.reports.read'), isUnavailable);
  const connection = await gateway.connection(0);
  assert.deepEqual((await connection.read('forget'))['Handles'], [2]);
});

test('options that cannot work are refused', () => {
  for (const options of [
    { url: 'ftp://x', credential },
    { url: 'https://user:password@x', credential },
    { url: 'https://x', credential: '' },
    { url: 'https://x', credential, maxEntries: 20_000 },
    { url: 'https://x', credential, maxEntries: 0 },
  ])
    assert.throws(() => follower(options), TypeError);
});
