import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId, serviceOrigin } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import {
  findDomains,
  findPasswordPolicy,
  findProviderOfDomain,
} from '@bailiwick/sso/domains/queries.ts';
import { setLift } from '@bailiwick/sso/requirement/queries.ts';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { type Database, openDatabase } from '@bailiwick/store';
import { createTestDatabase } from './support/database.ts';
import { type DomainFields, putDomain } from './support/domain-rows.ts';
import { addProvider } from './support/domains.ts';

// The domain queries for other services and sign-in, on a database.

const log = createLog('test', () => {});

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let at: { databaseUrl: string };
let database: Database;
before(async () => {
  server = await createTestDatabase();
  at = { databaseUrl: server.url };
  const { service, entities } = ssoSchema;
  database = openDatabase({ service, url: server.url, entities, poolSize: 2, log });
});
after(async () => {
  await database?.close();
  await server?.drop();
});

const put = (tenant: string, fields?: DomainFields) => putDomain(at, tenant, fields);

test('PasswordPolicy.Find returns the tenant that requires SSO, also without a provider, and whether it is lifted', async () => {
  const [tenant, other] = [createId('tnt'), createId('tnt')];
  const name = await put(tenant, { capture: 'require_sso' });
  await put(other, { name, capture: 'require_sso', status: 'lapsed' });
  const lift = (of: string, seconds: number) =>
    database.transaction({ call: serviceOrigin('test'), tenant: of }, (tx) =>
      setLift(tx, of, new Date(Date.now() + seconds * 1000)),
    );
  assert.deepEqual(await findPasswordPolicy(database, name), { tenant, lifted: false });
  await lift(other, 60);
  assert.deepEqual(await findPasswordPolicy(database, name), { tenant, lifted: false });
  for (const [seconds, lifted] of [
    [-1, false],
    [60, true],
    [0, false],
  ] as const) {
    await lift(tenant, seconds);
    assert.deepEqual(await findPasswordPolicy(database, name), { tenant, lifted });
  }
  for (const fields of [
    { capture: 'off' },
    { capture: 'join' },
    { capture: 'suggest' },
    { capture: 'require_sso', status: 'pending' },
    { capture: 'require_sso', status: 'failed' },
  ]) {
    assert.equal(
      await findPasswordPolicy(database, await put(tenant, fields)),
      undefined,
      JSON.stringify(fields),
    );
  }
  for (const near of [`sub.${name}`, name.toUpperCase(), '', 'test'])
    assert.equal(await findPasswordPolicy(database, near), undefined, near);
});

test('sign-in finds a tenant’s own verified and lapsed domains and its oldest active provider', async () => {
  const [tenant, other] = [createId('tnt'), createId('tnt')];
  assert.deepEqual(await findDomains(database, tenant), { verified: [], lapsed: [] });
  const verified = [await put(tenant), await put(tenant)];
  const lapsed = await put(tenant, { status: 'lapsed' });
  for (const status of ['pending', 'failed']) await put(tenant, { status });
  await put(other);
  assert.deepEqual(await findDomains(database, tenant), {
    verified: verified.toSorted(),
    lapsed: [lapsed],
  });
  const [name = ''] = verified;
  await addProvider(at, other);
  await addProvider(at, tenant, false);
  assert.equal(await findProviderOfDomain(database, name), undefined);
  const oldest = await addProvider(at, tenant);
  await addProvider(at, tenant);
  assert.deepEqual(await findProviderOfDomain(database, name), { tenant, id: oldest });
  assert.equal(await findProviderOfDomain(database, lapsed), undefined);
});
