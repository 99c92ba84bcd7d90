import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serviceOrigin } from '@bailiwick/contract';
import { credentialsHandlers } from '@bailiwick/identity/credentials/credentials.ts';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import type { Call } from '@bailiwick/pipeline';
import { createLog } from '@bailiwick/process';
import {
  ResolveBotRequestSchema,
  ResolveSessionRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { type Database, openDatabase } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { type Duration, durationMs } from '@bufbuild/protobuf/wkt';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

// The question whether a session or key is live, which is no use of it.

describeOne('credentials that are not used', 'one process', (topology) => {
  let stack: Stack;
  let database: Database;
  before(async () => {
    stack = await sharedStack(topology);
    const { service, entities } = identitySchema;
    const log = createLog('test', () => {});
    database = openDatabase({ service, entities, url: stack.databaseUrl, poolSize: 2, log });
  });
  after(async () => {
    await database?.close();
    await stack?.stop();
  });

  const call = serviceOrigin('gateway') as unknown as Call;
  const never = () => Promise.reject(new Error('no other service is asked'));
  const handlers = () =>
    credentialsHandlers({
      database,
      installed: [],
      authority: { effective: never },
      issuer: { confirmApp: never },
    });

  test('a session that is asked about lasts until it is idle, and is used by a call only', async () => {
    const { id: userId } = await signUp(stack);
    const [session] = await rowsOf<{ id: string; seen: Date }>(
      stack,
      `update identity.session set last_seen_at = now() - (idle_minutes * interval '1 minute') + interval '30 seconds'
       where user_id = $1 returning id, last_seen_at as seen`,
      [userId],
    );
    assert.ok(session);
    const ask = async (unused: boolean) => {
      const request = { sessionId: session.id, recordsUses: true, unused };
      const { principal } = await handlers().resolveSession(
        create(ResolveSessionRequestSchema, request),
        call,
      );
      const [row] = await rowsOf<{ seen: Date }>(
        stack,
        'select last_seen_at as seen from identity.session where id = $1',
        [session.id],
      );
      const unchangedFor = principal?.unchangedFor as Duration;
      return { lastsMs: durationMs(unchangedFor), seen: Number(row?.seen) };
    };
    const question = await ask(true);
    assert.ok(question.lastsMs > 10_000 && question.lastsMs <= 30_000, String(question.lastsMs));
    assert.equal(question.seen, Number(session.seen));
    const use = await ask(false);
    assert.ok(use.lastsMs > 60_000, String(use.lastsMs));
    assert.ok(use.seen > Number(session.seen));
  });

  test('a key that is asked about is used by a call only', async () => {
    const owner = await signUp(stack);
    const bot = await createBot(stack, await tenantFor(stack, owner.id), owner.token);
    const { Key } = await createKey(stack, bot, owner.token);
    const ask = async (unused: boolean) => {
      const request = { tenant: bot.Tenant, bot: bot.ID, credentialId: Key.ID, unused };
      await handlers().resolveBot(create(ResolveBotRequestSchema, request), call);
      const [row] = await rowsOf<{ used: Date | null }>(
        stack,
        'select last_used_at as used from identity.bot_key where id = $1',
        [Key.ID],
      );
      return row?.used;
    };
    assert.equal(await ask(true), null);
    assert.ok((await ask(false)) instanceof Date);
  });
});
