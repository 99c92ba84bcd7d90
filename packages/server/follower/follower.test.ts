import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { InvalidTokenError, UnavailableError } from '../errors.ts';
import { credential, leaseMs, startGateway } from '../testing/gateway.ts';
import type { VerifiedToken } from '../verifier.ts';
import { createFollower, type FollowerOptions, follower } from './follower.ts';
import { hostPlatform, type Platform } from './platform.ts';

const token: VerifiedToken = {
  sub: 'usr_1',
  client_id: 'app_1',
  sid: 'ses_1',
  tenant: 'tnt_1',
  aud: 'https://reports.example.com',
  scope: 'openid app.reports.*',
  exp: 1,
  iat: 1,
  keyId: 'key_1',
};
const state = {
  Scopes: ['openid', 'app.reports.*'],
  Sets: [['app.reports.*'], ['app.reports.read', 'app.notes.read']],
  Grants: { '': [1], 'report:7': [0] },
};

/** The host's platform with clocks that the test moves. */
function movablePlatform(changes: Partial<Platform> = {}) {
  const passed = { monotonicMs: 0, wallMs: 0 };
  const host = hostPlatform();
  const platform: Platform = {
    ...host,
    clock: {
      monotonicMs: () => host.clock.monotonicMs() + passed.monotonicMs,
      wallMs: () => host.clock.wallMs() + passed.wallMs,
    },
    ...changes,
  };
  return { platform, passed };
}

type Start = Partial<FollowerOptions> & { platform?: Partial<Platform> };

async function start(
  t: TestContext,
  script: Parameters<typeof startGateway>[1] = { answer: () => ({ Value: state }) },
  { platform: changes, ...options }: Start = {},
) {
  const gateway = await startGateway(t, script);
  const { platform, passed } = movablePlatform(changes);
  const messages: string[] = [];
  const log = (message: string) => void messages.push(message);
  const started = createFollower({ url: gateway.url, credential, log, ...options }, platform);
  t.after(() => started.close());
  return { gateway, follower: started, passed, messages, platform };
}

const isUnavailable = (error: unknown) => error instanceof UnavailableError;

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => setImmediate(resolve));
}

test('the rights of a token are its grants within its scope and the scopes of its app', async (t) => {
  const { follower: own, gateway } = await start(t, undefined, { tenants: ['tnt_1'] });
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
  const value = { ...state, Scopes: ['openid'] };
  const { follower: own } = await start(t, { answer: () => ({ Value: value }) });
  assert.equal((await own.rights(token)).can('app.reports.read'), false);
});

test('the token of a service is decided by its scope and the scopes of its app', async (t) => {
  const answer = () => ({ Value: { Scopes: ['app.reports.read'] } });
  const { follower: own } = await start(t, { answer });
  const service = { ...token, sub: 'app_1', sid: undefined };
  const rights = await own.rights(service);
  assert.equal(rights.can('app.reports.read'), true);
  assert.equal(rights.can('app.reports.read', 'report:7'), true);
  assert.equal(rights.can('app.reports.write'), false);
  // A person without grants has no rights.
  assert.equal((await own.rights(token)).can('app.reports.read'), false);
});

test('rightsOf are all rights of a subject, without a scope', async (t) => {
  const { Sets, Grants } = state;
  const { follower: own, gateway } = await start(t, {
    answer: () => ({ Value: { Sets, Grants } }),
  });
  const rights = await own.rightsOf('usr_2', 'tnt_1');
  assert.equal(rights.can('app.notes.read'), true);
  assert.equal(rights.can('app.reports.write'), false);
  const { ID: _, ...ask } = await (await gateway.connection(0)).read('ask');
  assert.deepEqual(ask, { Type: 'ask', Subject: 'usr_2', Tenant: 'tnt_1' });
});

test('after a drop a permission is unknown until refresh, and the drop is acknowledged after it', async (t) => {
  const { follower: own, gateway } = await start(t);
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
  const { follower: own, gateway } = await start(t, undefined, { onUnavailable: 'deny' });
  const rights = await own.rights(token);
  await (await gateway.connection(0)).drop(1);
  assert.equal(rights.can('app.reports.read'), false);
  await rights.refresh();
  assert.equal(rights.can('app.reports.read'), true);
});

test('a token that has ended is invalid; any other error of the gateway leaves it unknown', async (t) => {
  const { follower: own, gateway } = await start(t);
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

for (const clock of ['monotonicMs', 'wallMs'] as const)
  test(`a lease ends by the ${clock} clock, with all entries`, async (t) => {
    const { follower: own, gateway, passed } = await start(t);
    const rights = await own.rights(token);
    gateway.script.oks = false;
    passed[clock] += leaseMs;
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
    passed[clock] -= leaseMs;
    // What was dropped does not come back.
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  });

test('a wall clock that is set back ends the lease', async (t) => {
  const { follower: own, gateway, passed } = await start(t);
  const rights = await own.rights(token);
  gateway.script.oks = false;
  passed.wallMs -= 60_000;
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
});

for (const clock of ['monotonicMs', 'wallMs'] as const)
  test(`an entry ends by the ${clock} clock after LastsMs, counted from before the question`, async (t) => {
    const { follower: own, gateway, passed } = await start(t, { answer: () => undefined });
    const question = own.rights(token);
    const connection = await gateway.connection(0);
    const { ID } = await connection.read('ask');
    // The answer takes most of the time.
    passed[clock] += 900;
    connection.answer(ID, { LastsMs: 1000, Value: state });
    const rights = await question;
    assert.equal(rights.can('app.reports.read'), true);
    passed[clock] += 100;
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  });

test('the lease counts from before the beat, and an ok never makes it shorter', async (t) => {
  const { follower: own, gateway, passed } = await start(t, { oks: false });
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const first = await connection.read('beat');
  const second = await connection.read('beat');
  passed.monotonicMs += 1000;
  passed.wallMs += 1000;
  connection.ok(second.ID, 2000);
  connection.ok(first.ID, 10);
  connection.ok(second.ID, 60_000);
  const { ID } = await connection.read('ask');
  connection.answer(ID, { Value: state });
  const rights = await question;
  passed.wallMs += 800;
  assert.equal(rights.can('app.reports.read'), true);
  passed.wallMs += 200;
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
});

test('an answer without a lease is not kept: its handle is forgotten, and the question repeated', async (t) => {
  const { follower: own, gateway } = await start(t, { oks: false });
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const { ID } = await connection.read('ask');
  const { ID: beat } = await connection.read('beat');
  const handle = connection.answer(ID, { Value: state });
  assert.deepEqual((await connection.read('forget'))['Handles'], [handle]);
  connection.ok(beat);
  const again = await connection.read('ask');
  connection.answer(again.ID, { Value: state });
  assert.equal((await question).can('app.reports.read'), true);
});

test('an answer whose drop came first is not kept, and the question is repeated', async (t) => {
  const { follower: own, gateway } = await start(t, {});
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const { ID } = await connection.read('ask');
  await connection.drop(1);
  connection.answer(ID, { Handle: 1, Value: state });
  const again = await connection.read('ask');
  connection.answer(again.ID, { Handle: 2, Value: { ...state, Grants: {} } });
  assert.equal((await question).can('app.reports.read'), false);
});

test('concurrent questions about the same token are one', async (t) => {
  const { follower: own, gateway } = await start(t, {});
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
  const { follower: own, gateway } = await start(t, undefined, { maxEntries: 2 });
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

test('a lost connection drops all entries, and a question is asked again on the next one', async (t) => {
  const { follower: own, gateway } = await start(t);
  const rights = await own.rights(token);
  gateway.script.answer = () => undefined;
  const connection = await gateway.connection(0);
  const question = own.rights({ ...token, sid: 'ses_2' });
  await connection.read('ask');
  await connection.read('ask');
  connection.terminate();
  const next = await gateway.connection(1);
  const { ID } = await next.read('ask');
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  next.answer(ID, { Value: state });
  assert.equal((await question).can('app.reports.read'), true);
  await own.ready();
  assert.equal(own.state, 'following');
});

test('close drops the entries before it closes, and questions then fail', async (t) => {
  const { follower: own, gateway } = await start(t);
  const rights = await own.rights(token);
  own.close();
  assert.throws(() => rights.can('app.reports.read'), isUnavailable);
  assert.equal(own.state, 'closed');
  await assert.rejects(own.rights(token), isUnavailable);
  await assert.rejects(own.ready(), isUnavailable);
  assert.equal(await (await gateway.connection(0)).closed(), 1000);
});

test('a refused credential fails at once, without its text, and is tried again after a second', async (t) => {
  const waits: number[] = [];
  const host = hostPlatform();
  const {
    follower: own,
    gateway,
    messages,
  } = await start(
    t,
    { welcomes: false },
    {
      platform: {
        after(ms, run) {
          waits.push(ms);
          return host.after(ms >= 1000 && ms < 1300 ? 0 : ms, run);
        },
      },
    },
  );
  const isRefused = (error: unknown) => isUnavailable(error) && /4401 refused/.test(String(error));
  const failures = Promise.all([
    assert.rejects(own.rights(token), isRefused),
    assert.rejects(own.ready(), isRefused),
  ]);
  for (const [number, code] of [4401, 4403].entries()) {
    const connection = await gateway.connection(number);
    await connection.read('hello');
    connection.close(code, 'refused');
  }
  await failures;
  await until(() => own.state === 'refused' && messages.length === 2);
  await assert.rejects(own.confirm(token), isUnavailable);
  assert.ok(messages.every((message) => !message.includes(credential)));
  const retries = waits.filter((ms) => ms !== 3000 && ms !== 5000);
  assert.equal(retries.length, 2);
  assert.ok(
    retries.every((ms, index) => ms >= 1000 * 2 ** index),
    String(retries),
  );
});

test('a gateway that stops is replaced at once', async (t) => {
  const { follower: own, gateway, passed } = await start(t);
  await own.rights(token);
  passed.monotonicMs += 1000;
  (await gateway.connection(0)).close(1001, 'the gateway stops');
  await gateway.connection(1);
  assert.equal((await own.rights(token)).can('app.reports.read'), true);
});

test('a question without an answer fails after three seconds, and a late answer is not kept', async (t) => {
  const host = hostPlatform();
  let expire = () => {};
  const { follower: own, gateway } = await start(
    t,
    {},
    {
      platform: {
        after(ms, run) {
          if (ms === 3000) expire = run;
          return ms === 3000 ? () => {} : host.after(ms, run);
        },
      },
    },
  );
  const question = own.rights(token);
  const connection = await gateway.connection(0);
  const { ID } = await connection.read('ask');
  expire();
  await assert.rejects(question, isUnavailable);
  const handle = connection.answer(ID, { Value: state });
  assert.deepEqual((await connection.read('forget'))['Handles'], [handle]);
});

test('a gateway that is silent is left', async (t) => {
  const { follower: own, gateway, passed } = await start(t);
  await own.rights(token);
  gateway.script.oks = false;
  const connection = await gateway.connection(0);
  for (let beats = connection.frames.length; connection.frames.length === beats; )
    await new Promise<void>((resolve) => setImmediate(resolve));
  passed.monotonicMs += 4000;
  assert.equal(await connection.closed(), 4408);
});

const badFrames: Record<string, string | Uint8Array> = {
  'no JSON': '{',
  'no object': '[]',
  null: 'null',
  'no type': '{}',
  'an unknown type': '{"Type":"hello"}',
  'a second welcome': '{"Type":"welcome","BeatMs":500,"IdleBeatMs":20000}',
  'an ok without a lease': '{"Type":"ok","ID":1}',
  'an ok with a lease that is text': '{"Type":"ok","ID":1,"LeaseMs":"1500"}',
  'an ok with a negative lease': '{"Type":"ok","ID":1,"LeaseMs":-1}',
  'an ok with an endless lease': '{"Type":"ok","ID":1,"LeaseMs":1e999}',
  'a drop without handles': '{"Type":"drop","ID":1}',
  'a drop with a broken handle': '{"Type":"drop","ID":1,"Handles":[1.5]}',
  'an answer to a question that was not asked':
    '{"Type":"answer","ID":99,"Handle":5,"LastsMs":1,"Value":{}}',
  'a second answer with the same handle':
    '{"Type":"answer","ID":1,"Handle":1,"LastsMs":9000,"Value":{}}',
  'an answer without a value': '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1}',
  'an answer without a time': '{"Type":"answer","ID":1,"Handle":5,"Value":{}}',
  'an answer with a missing set':
    '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1,"Value":{"Sets":[],"Grants":{"":[0]}}}',
  'an answer with sets that are text':
    '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1,"Value":{"Sets":["*"]}}',
  'an answer with grants that are a list':
    '{"Type":"answer","ID":1,"Handle":5,"LastsMs":1,"Value":{"Grants":[]}}',
  'bytes that are no text': new Uint8Array([123, 125]),
  'a frame of ten megabytes': `{"Type":"drop","ID":1,"Handles":[],"X":"${'x'.repeat(10 << 20)}"}`,
};
for (const [what, frame] of Object.entries(badFrames))
  test(`${what} ends the connection, with all entries`, async (t) => {
    const { follower: own, gateway } = await start(t);
    const rights = await own.rights(token);
    const connection = await gateway.connection(0);
    connection.sendText(frame);
    assert.equal(await connection.closed(), 4400);
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
    await gateway.connection(1);
    await rights.refresh();
    assert.equal(rights.can('app.reports.read'), true);
  });

test('unknown fields, foreign oks and drops of unknown handles change nothing', async (t) => {
  const { follower: own, gateway } = await start(t);
  const rights = await own.rights(token);
  const connection = await gateway.connection(0);
  connection.sendText('{"Type":"ok","ID":99,"LeaseMs":60000,"More":1}');
  await connection.drop(77, 78);
  assert.equal(rights.can('app.reports.read'), true);
  assert.equal(gateway.connections.length, 1);
});

test('frames before the welcome end the connection', async (t) => {
  const { gateway } = await start(t, { welcomes: false });
  const connection = await gateway.connection(0);
  await connection.read('hello');
  connection.ok(1);
  assert.equal(await connection.closed(), 4400);
});

const plainAnswer = (body: object) => ({ status: 200, body });

for (const [what, connect] of [
  ['without a WebSocket', undefined],
  ['where the upgrade is refused', hostPlatform().connect],
] as const)
  test(`${what} each question is a plain call, whose answer serves for a second`, async (t) => {
    const {
      follower: own,
      gateway,
      messages,
      passed,
    } = await start(t, {}, { platform: { connect } });
    gateway.refusesUpgrades = true;
    await own.ready();
    assert.equal(own.state, 'plain');
    gateway.plain.splice(0);
    gateway.answerPlainly = () => plainAnswer({ Type: 'answer', LastsMs: 300_000, Value: state });
    const rights = await own.rights(token);
    assert.equal(rights.can('app.reports.write', 'report:7'), true);
    await own.confirm(token);
    assert.equal(gateway.plain.length, 2);
    assert.equal(gateway.plain[0]?.authorization, `Bearer ${credential}`);
    assert.deepEqual(Object.keys(gateway.plain[0]?.body as object), ['Token']);
    passed.monotonicMs += 1000;
    assert.throws(() => rights.can('app.reports.read'), isUnavailable);
    await rights.refresh();
    assert.equal(rights.can('app.reports.read'), true);
    const Error = { Code: 'unauthenticated', Message: 'no' };
    gateway.answerPlainly = () => plainAnswer({ Type: 'answer', Error });
    await assert.rejects(own.confirm(token), InvalidTokenError);
    assert.equal(messages.length, 1);
    assert.match(messages[0] ?? '', /each question is a call/);
    assert.ok(!messages[0]?.includes(credential));
  });

test('a plain call that is refused is unavailable, and never a token that has ended', async (t) => {
  const { follower: own, gateway } = await start(t, {}, { platform: { connect: undefined } });
  for (const [status, body] of [
    [401, { Code: 'unauthenticated', Messages: [] }],
    [200, {}],
    [200, []],
    [500, {}],
    [302, {}],
  ] as const) {
    gateway.answerPlainly = () => ({ status, body });
    await assert.rejects(own.confirm(token), isUnavailable);
  }
});

test('a WebSocket that opens later takes the place of plain calls', async (t) => {
  const { follower: own, gateway } = await start(t);
  gateway.refusesUpgrades = true;
  gateway.answerPlainly = () => plainAnswer({ Type: 'answer', LastsMs: 9, Value: state });
  await until(() => gateway.upgrades > 0);
  await own.confirm(token);
  gateway.refusesUpgrades = false;
  await gateway.connection(0);
  await until(() => own.state === 'following');
  await own.rights(token);
  const { length } = gateway.plain;
  await own.rights(token);
  assert.equal(gateway.plain.length, length);
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
