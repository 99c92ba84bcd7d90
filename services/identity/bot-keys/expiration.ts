import { changedFields, stale } from '@bailiwick/contract';
import { failedPrecondition, notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { BotKeysSetExpirationRequest } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type InferEntity, LockMode } from '@mikro-orm/core';
import { BotKeyEntity } from '../bots/entities.ts';
import { rowOf } from '../rows.ts';
import type { BotKeyDeps } from './deps.ts';
import { type BotKeyRow, botKeyJson } from './entities.ts';
import { assertWithinLimit, nextNotice } from './expiry.ts';
import { assertEndsBy, assertMayIssue, latestEndOf, type Permit } from './issue.ts';
import { findBotKey } from './queries.ts';
import { recordKey } from './records.ts';

type StoredKey = InferEntity<typeof BotKeyEntity>;

const hasEnded = (key: StoredKey, now: Date): boolean =>
  Boolean(key.revokedAt) || key.expiresAt <= now;

/** Throws failed_precondition for a revoked or expired key, which can never be used again. */
export function assertUsable(key: StoredKey, now: Date): void {
  if (key.revokedAt) throw failedPrecondition('the key has been revoked', 'KEY_REVOKED');
  if (hasEnded(key, now)) throw failedPrecondition('the key has expired', 'KEY_EXPIRED');
}

/** Changes a key's expiry; now or the past revokes it. Does nothing for a key that has ended. */
export async function setExpiration(
  deps: BotKeyDeps,
  request: BotKeysSetExpirationRequest,
  call: Call,
): Promise<BotKeyRow> {
  const { database, authority } = deps;
  const { tenant, id } = request;
  const requestedEnd = request.expiresAt ? timestampDate(request.expiresAt) : new Date();
  const now = new Date();
  const isRevocation = requestedEnd <= now;
  if (!isRevocation) {
    const { maxDays } = await authority.botKeyLimits({ tenant }, call, { signal: call.signal });
    assertWithinLimit(requestedEnd, maxDays, now);
  }
  const stored = await findBotKey(database, tenant, id);
  const permit = stored && (await permitFor(deps, call, stored, requestedEnd));
  return database.transaction({ call, tenant, row: rowOf.key(tenant, id) }, async (tx) => {
    const key = await tx.em.findOne(BotKeyEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!key) throw notFound('bot key');
    // Even if the key has ended: the call that has ended it may not have replied yet.
    call.invalidates.add(`credential:${id}`);
    if (isRevocation && hasEnded(key, now)) return key;
    assertUsable(key, now);
    if (key.rotatedTo !== '' && requestedEnd > key.expiresAt)
      throw failedPrecondition(
        'the key has been rotated: ExpiresAt can only be earlier',
        'KEY_ROTATED',
      );
    const before = botKeyJson(key);
    // An earlier end that was set meanwhile: the new one was not checked as an extension.
    if (permit === undefined && requestedEnd > key.expiresAt) throw stale('the key');
    if (permit) key.latestEnd = permit.latestEnd;
    moveTo(key, requestedEnd, now);
    const previous = changedFields(before, botKeyJson(key));
    if (Object.keys(previous).length === 0) return key;
    recordKey(tx, 'bot_key.expiration_changed', key, { previous, tasks: permit?.tasks ?? [] });
    return key;
  });
}

/**
 * Throws permission_denied for an extension by a caller who may not grant the key's permissions
 * until then. A bot extends its own key.
 *
 * @returns the latest end of the extended key and the mails about it; undefined = no extension
 */
async function permitFor(
  deps: BotKeyDeps,
  call: Call,
  key: BotKeyRow,
  requestedEnd: Date,
): Promise<Permit | undefined> {
  if (requestedEnd <= new Date(key.expiresAt)) return undefined;
  if (call.caller.credentialId !== key.id) return assertMayIssue(deps, call, key, requestedEnd);
  const latest = latestEndOf(key);
  if (latest) assertEndsBy('this key', latest, requestedEnd);
  return { latestEnd: latest, tasks: [] };
}

function moveTo(key: StoredKey, requestedEnd: Date, now: Date): void {
  if (requestedEnd > now) {
    key.expiresAt = requestedEnd;
    key.noticeAt = nextNotice(requestedEnd, now);
    return;
  }
  // A key never ends before its creation.
  key.expiresAt = requestedEnd < key.createdAt ? key.createdAt : requestedEnd;
  key.revokedAt = now;
  key.noticeAt = null;
}
