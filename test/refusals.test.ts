import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AuditDraft, OutboxEntity } from '@bailiwick/outbox';
import { createRefusals } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create } from '@bufbuild/protobuf';
import { openTestDatabase } from './support/database.ts';
import { rowsOf } from './support/store.ts';

let store: Awaited<ReturnType<typeof openTestDatabase>>;

before(async () => {
  store = await openTestDatabase({ service: 'access', entities: [OutboxEntity] });
});
after(() => store?.drop());

test('ten repeated refusals get an audit entry each, and one entry counts the others', async () => {
  const refusals = createRefusals(
    store.database,
    createLog('test', () => {}),
  );
  const refuse = (id: string, Tenant: string) => {
    const origin = {
      operation: { name: 'Groups_List' },
      caller: create(CallerSchema, { type: 'user', id }),
      permission: 'iam.groups.read',
    };
    const refusal = {
      Tenant,
      Action: 'access.denied',
      Result: 'denied',
      Code: 'permission_denied',
      Targets: [],
    } as const;
    return refusals.record(`${id} ${Tenant}`, origin, refusal);
  };
  const entries = async () => {
    const rows = await rowsOf<{ audit: string }>(
      { databaseUrl: store.url },
      'select audit from access.outbox order by id',
    );
    return rows.map(({ audit }) => JSON.parse(audit) as AuditDraft);
  };
  await Promise.all(Array.from({ length: 25 }, () => refuse('usr_1', 'tnt_1')));
  for (let times = 0; times < 10; times++) await refuse('usr_2', 'tnt_1');
  assert.equal((await entries()).length, 20);
  await refusals.flush();
  const all = await entries();
  const { ActorID, Tenant, Operation, Permission, Result, Changes } = all.at(-1) ?? assert.fail();
  assert.deepEqual(
    [all.length, ActorID, Tenant, Operation, Permission, Result],
    [21, 'usr_1', 'tnt_1', 'Groups_List', 'iam.groups.read', 'denied'],
  );
  assert.deepEqual(Changes, [{ Field: 'Times', Old: null, New: 15 }]);

  // The count starts again after a minute.
  await refuse('usr_1', 'tnt_1');
  await refusals.flush();
  assert.equal((await entries()).length, 22);
});
