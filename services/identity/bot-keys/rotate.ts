import { denied, failedPrecondition, notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { BotKeysRotateRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { BotKeyEntity } from '../bots/entities.ts';
import { makerOf, storedMaker } from '../bots/maker.ts';
import { rowOf } from '../rows.ts';
import type { BotKeyDeps } from './deps.ts';
import { assertUsable } from './expiration.ts';
import { expiryAfterRotation, expiryOf, nextNotice } from './expiry.ts';
import { assertEndsBy, assertMayIssue, issueKey, latestEndOf, lockBot } from './issue.ts';
import { findBotKey } from './queries.ts';
import { recordKey } from './records.ts';

/** Creates a key's successor. Among concurrent calls for one key, one succeeds. */
export async function rotateKey(
  deps: BotKeyDeps,
  { tenant, id, expiresAt: requestedEnd }: BotKeysRotateRequest,
  call: Call,
) {
  const { database, authority } = deps;
  const { caller } = call;
  const stored = await findBotKey(database, tenant, id);
  if (!stored) throw notFound('bot key');
  if (caller.type === 'bot' && caller.id !== stored.bot)
    throw denied('a bot rotates its own keys only', 'NOT_OWN_KEY');
  const { maxDays } = await authority.botKeyLimits({ tenant }, call, { signal: call.signal });
  const now = new Date();
  const end = expiryOf(requestedEnd && timestampDate(requestedEnd), maxDays, now);
  // A caller who uses the key itself gains no permissions, and no time either.
  const own = caller.credentialId === id ? latestEndOf(stored) : undefined;
  if (own && requestedEnd) assertEndsBy('this key', own, end);
  const expiresAt = own && own < end ? own : end;
  const { latestEnd, tasks } =
    own === undefined
      ? await assertMayIssue(deps, call, stored, expiresAt)
      : { latestEnd: own, tasks: [] };
  return database.transaction({ call, tenant, row: rowOf.key(tenant, id) }, async (tx) => {
    await lockBot(tx, stored.bot);
    const old = await tx.em.findOne(BotKeyEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!old) throw notFound('bot key');
    assertUsable(old, now);
    if (old.rotatedTo !== '')
      throw failedPrecondition('the key has already been rotated', 'KEY_ROTATED');
    const { bot, name, permissions, allowedIps } = old;
    const issued = await issueKey(
      tx,
      {
        tenant,
        bot,
        name,
        permissions,
        allowedIps,
        expiresAt,
        latestEnd,
        rotatedFrom: id,
        createdBy: caller.id,
        // A key that replaces itself gains no rights.
        maker: caller.credentialId === id ? storedMaker(old) : makerOf(caller),
      },
      now,
    );
    old.rotatedTo = issued.key.id;
    old.expiresAt = expiryAfterRotation(old.expiresAt, now);
    old.noticeAt = nextNotice(old.expiresAt, now);
    recordKey(tx, 'bot_key.rotated', issued.key, { tasks });
    return issued;
  });
}
