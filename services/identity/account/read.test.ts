import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RightsKey } from '@bailiwick/broker';
import type { Call } from '@bailiwick/pipeline';
import { readHandlers } from './read.ts';

type Deps = Parameters<typeof readHandlers>[0];
type Loaded = { value: unknown; keys: readonly RightsKey[] };

const now = new Date().toISOString();
const user = { id: 'usr_1', email: 'ada@example.com', metadata: {} };
const tenant = { id: 'tnt_1', slug: 'acme', name: 'Acme', requireFactor: 'off' };

/** Reads the account of the session, with these keys in the answer of access. */
async function read(cacheKeys: string[], session = {}) {
  const loads: Array<Loaded & { name: string }> = [];
  const { get } = readHandlers({
    database: {
      query: async () => [{ ...user, created_at: now, updated_at: now, last_login_at: null }],
    },
    authority: { listUserTenants: async () => ({ tenants: [tenant], suspended: [], cacheKeys }) },
    rightsCache: {
      async getOrLoad(name: string, load: () => Promise<Loaded>) {
        loads.push({ name, ...(await load()) });
        return loads[0]?.value;
      },
    },
  } as unknown as Deps);
  const caller = {
    id: 'usr_1',
    credentialId: 'ses_1',
    limitedTo: '',
    assurance: 'aal1',
    ...session,
  };
  const { tenants = [] } = await get({} as Parameters<typeof get>[0], { caller } as Call);
  assert.ok(loads[0]);
  return { ...loads[0], tenants: tenants.map(({ id }) => id) };
}

test('Account_Get is cached under the session, the user and the tenants', async () => {
  const { keys, tenants } = await read(['user:usr_1', 'tenant:tnt_1', 'tenant:tnt_2']);
  assert.deepEqual(tenants, ['tnt_1']);
  assert.deepEqual(keys, [
    'user:usr_1',
    'tenant:tnt_1',
    'tenant:tnt_2',
    'credential:ses_1',
    'account:usr_1',
  ]);
});

test('a limited session, or one of another assurance, has an answer of its own', async () => {
  const names = await Promise.all(
    [{}, { limitedTo: 'tnt_2' }, { assurance: 'aal2' }, { credentialId: 'ses_2' }].map(
      async (session) => (await read(['user:usr_1'], session)).name,
    ),
  );
  assert.equal(new Set(names).size, 4);
  assert.deepEqual((await read(['user:usr_1'], { limitedTo: 'tnt_2' })).tenants, []);
});
