import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId, durationOf } from '@bailiwick/contract';
import { toConnectError, toServiceError, unauthenticated } from '@bailiwick/errors';
import {
  Authority,
  type DescribeRightsRequest,
  type DescribeRightsResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import {
  Credentials,
  type LimitSessionRequest,
  type ResolveResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import {
  Issuer,
  type IssuerConfirmClientRequest,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { createQuestions, type Question } from './questions.ts';

const [user, bot, app, session, key, tenant, other] = [
  createId('usr'),
  createId('bot'),
  createId('app'),
  createId('ses'),
  createId('bky'),
  createId('tnt'),
  createId('tnt'),
];

const minute = 60_000;
const signedInAt = timestampFromMs(Date.now());
const expiresAt = timestampFromMs(Date.now() + 60 * minute);
const sets = [{ permissions: ['app.*'] }, { permissions: ['app.read'] }];
const grants = [
  { resource: '', sets: [1] },
  { resource: 'report:7', sets: [0, 1] },
];

type Holder = MessageInitShape<typeof ResolveResponseSchema>;
type Described = MessageInitShape<typeof DescribeRightsResponseSchema>;
type Setup = {
  holder?: Holder;
  described?: Described;
  /** The errors of sso and access. */
  sso?: ConnectError;
  access?: ConnectError;
};

const ofUser: Holder = {
  type: 'user',
  id: user,
  credentialId: session,
  signedInAt,
  expiresAt,
  idleMinutes: 60,
  ssoTenant: other,
  unchangedFor: durationOf(30 * minute),
};
const ofBot: Holder = { type: 'bot', id: bot, credentialId: key, tenant, narrowedTo: ['app.*'] };

const effectiveWith = (refusal: string, endsAt = expiresAt): Described => ({
  effective: {
    tenant,
    cacheKeys: ['user:usr_voucher'],
    unchangedFor: durationOf(20 * minute),
    session: { refusal, endsAt, idleMinutes: 60 },
  },
  sets,
  grants,
});

function setUp({ holder = ofUser, described = effectiveWith('none'), ...failures }: Setup = {}) {
  const calls: string[] = [];
  const requests: { sso?: IssuerConfirmClientRequest; access?: DescribeRightsRequest } = {};
  const limits: LimitSessionRequest[] = [];
  function fail(failure: ConnectError | undefined): void {
    if (failure) throw failure;
  }
  const identity = createRouterTransport(({ rpc }) => {
    rpc(Credentials.method.resolveSession, (request) => {
      calls.push(`session ${request.sessionId} ${request.unused}`);
      return { principal: holder };
    });
    rpc(Credentials.method.resolveBot, (request) => {
      calls.push(`bot ${request.tenant} ${request.bot} ${request.credentialId} ${request.unused}`);
      return { principal: holder };
    });
    rpc(Credentials.method.limitSession, (request) => {
      limits.push(request);
      return {};
    });
  });
  const access = createRouterTransport(({ rpc }) => {
    rpc(Authority.method.describeRights, (request) => {
      calls.push('rights');
      requests.access = request;
      fail(failures.access);
      return described;
    });
  });
  const sso = createRouterTransport(({ rpc }) => {
    rpc(Issuer.method.confirmClient, (request) => {
      calls.push('client');
      requests.sso = request;
      fail(failures.sso);
      return { scopes: ['openid', 'app.*'] };
    });
  });
  return { answer: createQuestions({ identity, access, sso }), calls, requests, limits };
}

const token = (changes: Partial<Extract<Question, { kind: 'token' }>> = {}): Question => ({
  kind: 'token',
  subject: user,
  client: app,
  session,
  credential: '',
  tenant,
  audiences: ['https://reports.example.com'],
  keyId: 'k1',
  ...changes,
});
const ofBotToken = token({ subject: bot, client: bot, session: '', credential: key });
const ofServiceToken = token({ subject: app, session: '' });

const ofSubject: Question = { kind: 'subject', subject: user, tenant };

const Sets = [['app.*'], ['app.read']];
const Grants = { '': [1], 'report:7': [0, 1] };

test("a person's token has the scopes of its app and the grants of its session, and ends with each of them", async () => {
  const { answer, calls, requests, limits } = setUp();
  const { value, keys, lastsMs } = await answer(token());
  assert.deepEqual(value, { Scopes: ['openid', 'app.*'], Sets, Grants });
  assert.deepEqual(
    keys.toSorted(),
    [
      `app:${app}`,
      `credential:${session}`,
      'issuer:keys',
      'tenant:',
      `tenant:${tenant}`,
      `tenant:${other}`,
      `use:${user}:${app}`,
      `user:${user}`,
      'user:usr_voucher',
    ].toSorted(),
  );
  assert.equal(lastsMs, 20 * minute);
  assert.deepEqual(calls.toSorted(), ['client', 'rights', `session ${session} true`]);
  const { principal, withoutSession } = requests.access ?? {};
  assert.ok(principal && withoutSession === false);
  const { principalType, principalId, ssoTenant, limitedTo, narrowedTo } = principal;
  assert.deepEqual(
    [principalType, principalId, principal.tenant, ssoTenant, limitedTo, narrowedTo],
    ['user', user, tenant, other, tenant, []],
  );
  assert.equal(principal.session?.idleMinutes, 60);
  const { clientId, sessionId, subject, audiences, keyId } = requests.sso ?? {};
  assert.deepEqual(
    [clientId, sessionId, subject, audiences, keyId, requests.sso?.tenant],
    [app, session, user, ['https://reports.example.com'], 'k1', tenant],
  );
  assert.deepEqual(limits, []);
});

test('an answer ends with the session, and a limit of the tenant shortens the session', async () => {
  const holder = { ...ofUser, unchangedFor: durationOf(5 * minute) };
  assert.equal((await setUp({ holder }).answer(token())).lastsMs, 5 * minute);
  // Counted from the sign-in, which the file makes when it is loaded.
  const endsAt = timestampMs(signedInAt) + 10 * minute;
  const described = effectiveWith('none', timestampFromMs(endsAt));
  const limited = setUp({ described });
  const { lastsMs } = await limited.answer(token());
  assert.ok(lastsMs > 0 && lastsMs <= 10 * minute, String(lastsMs));
  assert.deepEqual(
    limited.limits.map(({ sessionId, maxMinutes }) => [sessionId, maxMinutes]),
    [[session, 10]],
  );
});

test("a person's token without a tenant has empty grants, and not those of a service", async () => {
  const { answer, calls } = setUp();
  const { value, keys, lastsMs } = await answer(token({ tenant: '' }));
  assert.deepEqual(value, { Scopes: ['openid', 'app.*'], Sets: [], Grants: {} });
  assert.ok(keys.includes(`credential:${session}`) && keys.includes(`use:${user}:${app}`));
  assert.equal(lastsMs, 30 * minute);
  assert.ok(!calls.includes('rights'));
});

test("a bot's token has the grants within its key, and no scopes of an app", async () => {
  // access refuses no bot: it has no session.
  const { answer, calls, requests } = setUp({
    holder: ofBot,
    described: effectiveWith('not_member'),
  });
  const { value, keys } = await answer(ofBotToken);
  assert.deepEqual(value, { Sets, Grants });
  assert.ok(calls.includes(`bot ${tenant} ${bot} ${key} true`));
  for (const one of [`bot:${bot}`, `credential:${key}`, `tenant:${tenant}`, 'issuer:keys'] as const)
    assert.ok(keys.includes(one), one);
  const { principalType, narrowedTo, botTenant } = requests.access?.principal ?? {};
  assert.deepEqual([principalType, narrowedTo, botTenant], ['bot', ['app.*'], tenant]);
});

test("a service's token has the scopes of its app alone", async () => {
  const { answer, calls } = setUp();
  const { value, keys, lastsMs } = await answer(ofServiceToken);
  assert.deepEqual(value, { Scopes: ['openid', 'app.*'] });
  assert.deepEqual(keys, [`app:${app}`, 'issuer:keys', `tenant:${tenant}`]);
  assert.equal(lastsMs, Number.POSITIVE_INFINITY);
  assert.deepEqual(calls, ['client']);
  const ofPlatform = await answer(token({ subject: app, session: '', tenant: '' }));
  assert.deepEqual(ofPlatform.keys, [`app:${app}`, 'issuer:keys']);
});

test('a token is refused if its session, its app or its tenant does not stand for it', async () => {
  const refusals: Array<[string, Setup]> = [
    ['the holder is another user', { holder: { ...ofUser, id: createId('usr') } }],
    ['the session is limited to another tenant', { holder: { ...ofUser, limitedTo: other } }],
    ['the user is no member', { described: effectiveWith('not_member') }],
    ['the tenant requires SSO', { described: effectiveWith('sso_required') }],
    ['access says something unknown', { described: effectiveWith('new') }],
    ['sso refuses the app', { sso: toConnectError(unauthenticated()) }],
  ];
  for (const [name, setup] of refusals)
    await assert.rejects(
      setUp(setup).answer(token()),
      (thrown) => toServiceError(thrown).code === 'unauthenticated',
      name,
    );
});

test('claims that no token has are refused without a call', async () => {
  const { answer, calls } = setUp();
  for (const changes of [
    { session: '' },
    { session: key },
    { session: 'ses_\u0000' },
    { subject: 'usr_1' },
    { credential: key },
    { tenant: 'tnt_\u0000' },
    { keyId: 'k\u0000' },
    { keyId: '' },
    { subject: bot },
    { client: user },
    { subject: bot, client: bot, credential: key },
    { subject: bot, client: bot, session: '', credential: 'bky_1' },
    { subject: bot, client: bot, session: '' },
    { subject: app },
    { subject: app, session: '', credential: key },
  ])
    await assert.rejects(
      answer(token(changes)),
      { code: 'unauthenticated' },
      JSON.stringify(changes),
    );
  assert.deepEqual(calls, []);
});

test('a question about a subject is one without a session', async () => {
  const effective = { tenant, cacheKeys: [`user:${user}`] };
  const described: Described = { effective, sets, grants };
  const { answer, calls, requests } = setUp({ described });
  const { value, keys, lastsMs } = await answer(ofSubject);
  assert.deepEqual([value, keys], [{ Sets, Grants }, [`user:${user}`]]);
  // access does not say how long.
  assert.equal(lastsMs, 2000);
  assert.deepEqual(calls, ['rights']);
  assert.equal(requests.access?.withoutSession, true);
  assert.equal(requests.access?.principal?.principalType, 'user');
  await answer({ kind: 'subject', subject: bot, tenant });
  assert.equal(requests.access?.principal?.principalType, 'bot');
  for (const [subject, place] of [
    [app, tenant],
    ['', tenant],
    [user, ''],
    [user, 'tnt_\u0000'],
  ] as const)
    await assert.rejects(answer({ kind: 'subject', subject, tenant: place }), {
      code: 'invalid_argument',
    });
});

test('the answer is unavailable while a service of the previous version does not know the question', async () => {
  const unknown = new ConnectError('the service does not know this method', Code.Unimplemented);
  for (const [setup, question] of [
    [{ sso: unknown }, token()],
    [{ access: unknown }, token()],
    [{ described: {} }, token()],
    [{ access: unknown }, ofSubject],
    [{ described: {} }, ofSubject],
  ] as const)
    await assert.rejects(
      setUp(setup).answer(question),
      (thrown) => toServiceError(thrown).code === 'unavailable',
    );
});
