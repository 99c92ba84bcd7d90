import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId, serviceOrigin } from '@bailiwick/contract';
import { unavailable } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import {
  type SsoRecovery,
  SsoRecoveryUseRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { codeHash, createCodes } from '@bailiwick/sso/requirement/recovery/codes.ts';
import { recoveryHandlers } from '@bailiwick/sso/requirement/recovery/handlers.ts';
import { replaceCodes } from '@bailiwick/sso/requirement/recovery/queries.ts';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { type Database, openDatabase } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { createTestDatabase } from '../support/database.ts';
import { countOf, eventsOf } from '../support/store.ts';

// A recovery code while access, which keeps the lift of Settings.RequireSso, is away.

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let isAway = false;
let recovery: Handlers<typeof SsoRecovery>;
before(async () => {
  server = await createTestDatabase();
  const { service, entities } = ssoSchema;
  const log = createLog('test', () => {});
  database = openDatabase({ service, url: server.url, entities, poolSize: 2, log });
  const admission = {
    liftSso: () => (isAway ? Promise.reject(unavailable()) : Promise.resolve({})),
  };
  recovery = recoveryHandlers({
    database,
    admission,
    recoveryLimit: undefined,
  } as unknown as Parameters<typeof recoveryHandlers>[0]);
});
after(async () => {
  await database?.close();
  await server?.drop();
});

test('a code stays unused, and nothing is lifted, if access does not take the lift', async () => {
  const at = { databaseUrl: server.url };
  const tenant = createId('tnt');
  const [hash = new Uint8Array()] = createCodes().map(codeHash);
  await database.transaction({ call: serviceOrigin('test'), tenant }, (tx) =>
    replaceCodes(tx, tenant, [hash]),
  );
  const request = create(SsoRecoveryUseRequestSchema, {
    tenant,
    codeHash: hash,
    userId: createId('usr'),
  });
  const call = { ...serviceOrigin('identity'), signal: new AbortController().signal } as Call;
  isAway = true;
  await assert.rejects(recovery.use(request, call), { code: 'unavailable' });
  assert.equal(await countOf(at, 'sso.sso_recovery_code where tenant = $1', [tenant]), 1);
  assert.equal(await countOf(at, 'sso.sso_lift where tenant = $1', [tenant]), 0);
  assert.deepEqual(await eventsOf(at, 'sso', tenant), []);
  isAway = false;
  assert.deepEqual(await recovery.use(request, call), { used: true });
  assert.deepEqual(await recovery.use(request, call), { used: false });
  assert.equal((await eventsOf(at, 'sso', tenant)).length, 1);
});
