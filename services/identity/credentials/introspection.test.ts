import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RightsKey } from '@bailiwick/broker';
import { createToken, durationOf } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import {
  type EffectiveRequest,
  EffectiveResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { TokensIntrospectRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { tokensHandlers } from './introspection.ts';

type Deps = Parameters<typeof tokensHandlers>[0];
type Loaded = { value: unknown; keys: readonly RightsKey[]; lastsMs?: number };
type Effective = MessageInitShape<typeof EffectiveResponseSchema>;

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();

/** Relative to now: a constant would be minutes old when this test of the process runs. */
const sessionNow = () => ({
  id: 'ses_1',
  user_id: 'usr_1',
  sso_place: 'tnt_sso',
  limited_to: '',
  created_at: inMinutes(-60),
  last_seen_at: inMinutes(-10),
  expires_at: inMinutes(1000),
  idle_minutes: 100,
  expires_in_ms: 1000 * 60_000,
  idle_in_ms: 90 * 60_000,
});

/** Introspects the session in a tenant, with this answer of access about its user. */
async function introspect(answerOf: (request: EffectiveRequest) => Effective) {
  const token = createToken('session');
  const loads: Loaded[] = [];
  const { introspect: handler } = tokensHandlers({
    database: { query: async () => [sessionNow()] },
    authority: {
      effective: async (request: EffectiveRequest) =>
        create(EffectiveResponseSchema, answerOf(request)),
    },
    rightsCache: {
      async getOrLoad(name: string, load: () => Promise<Loaded>) {
        assert.ok(!name.includes(token), 'the plain token is no key of the cache');
        loads.push(await load());
        return loads[0]?.value;
      },
    },
  } as unknown as Deps);
  const request = { token, tenant: 'tnt_1', ip: '' };
  const answer = await handler(request as TokensIntrospectRequest, {} as Call);
  const { keys = [], lastsMs = 0 } = loads[0] ?? {};
  return {
    active: answer.active === true,
    keys,
    minutes: Math.round(lastsMs / 60_000),
  };
}

/** An answer of access about the session, which ends there in so many minutes. */
const answer =
  (refusal: string, minutes = 1000, idleMinutes = 100, unchangedMs = Infinity) =>
  (): Effective => ({
    session: { refusal, endsAt: timestampFromMs(Date.now() + minutes * 60_000), idleMinutes },
    cacheKeys: ['user:usr_2'],
    unchangedFor: durationOf(unchangedMs),
  });

test('Tokens_Introspect asks access with the times of the session', async () => {
  const requests: EffectiveRequest[] = [];
  await introspect((request) => {
    requests.push(request);
    return {};
  });
  const { signedInAt, expiresAt, idleMinutes } = requests[0]?.session ?? {};
  assert.ok(signedInAt && expiresAt);
  const lasts = timestampDate(expiresAt).getTime() - timestampDate(signedInAt).getTime();
  assert.deepEqual([Math.round(lasts / 60_000), idleMinutes], [1060, 100]);
});

test('an active session is cached under the keys of its rights, and until it can end by itself', async () => {
  const keys = ['user:usr_1', 'credential:ses_1', 'tenant:tnt_sso', 'tenant:tnt_1', 'user:usr_2'];
  assert.deepEqual(await introspect(answer('none')), {
    active: true,
    keys,
    minutes: 90,
  });
  assert.equal((await introspect(answer('none', 30, 30))).minutes, 20);
  assert.equal((await introspect(answer('none', 30))).minutes, 30);
  assert.equal((await introspect(answer('none', 1000, 100, 5 * 60_000))).minutes, 5);
});

test('an inactive token has ended, so that it is not cached', async () => {
  const inactive = { active: false, keys: [], minutes: 0 };
  // The last two are no answers of this version.
  for (const refusal of ['sso_required', 'not_member', 'other_tenant', '', 'of_tomorrow'])
    assert.deepEqual(await introspect(answer(refusal)), inactive, refusal);
  assert.deepEqual(await introspect(answer('none', -1)), inactive);
  assert.deepEqual(await introspect(answer('none', 1000, 5)), inactive);
});

test('a previous version of access answers with flags and limits', async () => {
  // Such an answer does not say when it changes.
  const isActive = async (flags: Effective) => (await introspect(() => flags)).active;
  const member = { activeMember: true };
  const limited = { ...member, sessionIdleMinutes: 30, sessionMaxMinutes: 90 };
  for (const flags of [member, limited, { ...limited, sessionIdleMinutes: 0 }])
    assert.equal(await isActive(flags), true, JSON.stringify(flags));
  for (const flags of [
    {},
    { activeMember: false },
    { ...member, ssoRequired: true },
    { ...member, factorRequired: true },
    { ...member, providerUnconfirmed: true },
    { ...member, sessionMaxMinutes: 30 },
    { ...member, sessionIdleMinutes: 5 },
  ])
    assert.equal(await isActive(flags), false, JSON.stringify(flags));
});
