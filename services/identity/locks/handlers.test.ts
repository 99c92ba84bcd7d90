import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { unavailable } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import type { LockDeps } from './follow.ts';
import { lockReceiptsHandlers } from './handlers.ts';

test('LockReceipts_Get answers without the signed copy while sso is away', async () => {
  const id = createId('lck');
  const now = new Date().toISOString();
  const receipt = {
    id,
    subject: createId('usr'),
    subjectTenant: '',
    reason: '',
    lockedBy: 'platform',
    lockedAt: now,
    completedAt: now,
    finalAt: now,
    liftedAt: null,
  };
  const query = ({ name }: { name: string }) =>
    Promise.resolve(name === 'identity.lock_receipt' ? [receipt] : []);
  const deps = {
    database: { query },
    signOuts: { signReceipt: () => Promise.reject(unavailable('sso is away')) },
    log: createLog('test', () => {}),
  } as unknown as LockDeps;
  const answer = await lockReceiptsHandlers(deps).get(
    { id, tenant: '' } as Parameters<ReturnType<typeof lockReceiptsHandlers>['get']>[0],
    {} as Call,
  );
  assert.equal(answer.receipt?.final, true);
  assert.equal('signed' in answer, false);
});
