import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TokensIntrospectRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import { type RightsKey } from '@bailiwick/revocation';
import { type Call } from '@bailiwick/rpc';
import { createToken } from '@bailiwick/values';
import { tokensHandlers } from './introspection.ts';

type Deps = Parameters<typeof tokensHandlers>[0];
type Loaded = { value: unknown; keys: readonly RightsKey[]; endsAt?: number };

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
});

/** Introspects the session in a tenant, with this answer of access about its user. */
async function introspect(effective: object, tenants: string[] = []) {
  const token = createToken('session');
  const loads: Loaded[] = [];
  const { introspect: handler } = tokensHandlers({
    database: { query: async () => [sessionNow()] },
    authority: {
      effective: async () => ({ sessionIdleMinutes: 0, sessionMaxMinutes: 0, ...effective }),
      listUserTenants: async () => ({ tenants: tenants.map((id) => ({ id })) }),
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
  const { keys = [], endsAt = 0 } = loads[0] ?? {};
  return {
    active: answer.active === true,
    keys,
    minutes: Math.round((endsAt - Date.now()) / 60_000),
  };
}

test('Tokens_Introspect asks a previous version of access for the tenants of the user', async () => {
  assert.equal((await introspect({}, ['tnt_1'])).active, true);
  assert.equal((await introspect({}, ['tnt_2'])).active, false);
  assert.equal((await introspect({ activeMember: false }, ['tnt_1'])).active, false);
});

test('an active session is cached under the keys of its rights, and until it can end by itself', async () => {
  const keys = ['user:usr_1', 'credential:ses_1', 'tenant:tnt_sso', 'tenant:tnt_1'];
  assert.deepEqual(await introspect({ activeMember: true }), { active: true, keys, minutes: 90 });
  const limited = { activeMember: true, sessionIdleMinutes: 30, sessionMaxMinutes: 90 };
  assert.equal((await introspect(limited)).minutes, 20);
  assert.equal((await introspect({ ...limited, sessionIdleMinutes: 0 })).minutes, 30);
});

test('an inactive token has ended, so that it is not cached', async () => {
  const refused = { active: false, keys: [], minutes: Math.round(-Date.now() / 60_000) };
  assert.deepEqual(await introspect({ activeMember: true, ssoRequired: true }), refused);
  assert.deepEqual(await introspect({ activeMember: true, sessionMaxMinutes: 30 }), refused);
});
