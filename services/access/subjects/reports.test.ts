import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceOrigin } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import { SetSubjectStateRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { applySubjectEvent } from '../deletion/follow.ts';
import type { Directory } from '../directory.ts';
import { rightsServiceHandlers } from '../rights-service.ts';

/** The commits and revocations, in order. Caches acknowledge a revocation if `acknowledged`. */
function begin({ acknowledged }: { acknowledged: boolean }) {
  const steps: string[] = [];
  const database = {
    query: () => Promise.resolve([]),
    transaction: () => Promise.resolve(void steps.push('commit')),
  } as unknown as Database;
  const revoke = (keys: readonly string[]) => {
    steps.push(...keys);
    return acknowledged ? Promise.resolve([]) : new Promise<never>(() => {});
  };
  const credentials = { confirm: () => Promise.reject(new Error('asked for a credential')) };
  const directory = {} as Directory;
  const log = createLog('test', () => {});
  return { steps, deps: { database, directory, revoke, credentials, log } };
}

test('access revokes a reported subject after its commit, and its reply does not wait for the caches', async () => {
  for (const [subject, key] of [
    ['usr_1', 'user:usr_1'],
    ['bot_1', 'bot:bot_1'],
  ] as const) {
    const { steps, deps } = begin({ acknowledged: false });
    await rightsServiceHandlers(deps).setSubjectState(
      create(SetSubjectStateRequestSchema, {
        subject,
        state: 'disabled',
        changedAt: timestampNow(),
      }),
      {} as unknown as Call,
    );
    assert.deepEqual(steps, ['commit', key]);
  }
});

test('access revokes a subject whose change it learns from an event only', async () => {
  for (const [type, subject, key] of [
    ['user.disabled', 'usr_1', 'user:usr_1'],
    ['user.deleted', 'usr_1', 'user:usr_1'],
    ['bot.updated', 'bot_1', 'bot:bot_1'],
    ['bot.deleted', 'bot_1', 'bot:bot_1'],
  ] as const) {
    const { steps, deps } = begin({ acknowledged: true });
    const record = { ID: subject, Active: false, UpdatedAt: new Date().toISOString() };
    const origin = serviceOrigin('identity', 'Users_Disable');
    await applySubjectEvent(deps, { type, data: record, origin } as unknown as Parameters<
      typeof applySubjectEvent
    >[1]);
    assert.deepEqual(steps, ['commit', key], type);
  }
});
