import { type EntityManager, lockName } from '@bailiwick/database';
import { escalation, failedPrecondition, notFound } from '@bailiwick/errors';
import { type Call } from '@bailiwick/rpc';
import { createId, createToken, tokenHash } from '@bailiwick/values';
import { LockMode } from '@mikro-orm/core';
import { BotEntity, BotKeyEntity } from '../bots/entities.ts';
import type { Maker } from '../bots/maker.ts';
import { principalOf } from '../bots/taking.ts';
import { keysPerBot } from '../limits.ts';
import type { BotKeyDeps } from './deps.ts';
import { type BotKeyRow } from './entities.ts';
import { nextNotice } from './expiry.ts';

type KeyRights = Pick<BotKeyRow, 'tenant' | 'bot' | 'permissions'>;

/**
 * Throws permission_denied unless the caller itself has every permission of the key: the creator of
 * a key knows its secret. Without `permissions`, as for a trust, these are all permissions of the
 * bot. A bot has grants in its own tenant and on the platform only, so the tenant in question can be
 * passed as the bot's.
 */
export async function assertMayIssue(
  { authority }: Pick<BotKeyDeps, 'authority'>,
  { caller, signal }: Call,
  key: KeyRights,
): Promise<void> {
  const { tenant, bot, permissions } = key;
  const { lacking } = await authority.mayConferBot(
    { ...principalOf(caller), tenant, bot, permissions },
    { signal },
  );
  if (lacking !== '') throw escalation(lacking);
}

/** Locks a bot against deletion, so that no key and no trust outlives it. */
export async function lockBot(em: EntityManager, id: string): Promise<void> {
  const bot = await em.findOne(BotEntity, { id }, { lockMode: LockMode.PESSIMISTIC_READ });
  if (!bot) throw notFound('bot');
}

export type NewKey = KeyRights &
  Pick<BotKeyRow, 'name' | 'allowedIps' | 'rotatedFrom' | 'createdBy'> & {
    expiresAt: Date;
    maker: Maker;
  };

/** Stores a new key in the transaction of `em`. The secret can be read from the result only. */
export async function issueKey(
  em: EntityManager,
  { tenant, bot, name, permissions, allowedIps, expiresAt, rotatedFrom, createdBy, maker }: NewKey,
  now: Date,
) {
  // Without the lock, two concurrent calls could both take the last place.
  await lockName(em, `keys of ${bot}`);
  // A rotated key does not count: it expires within a day.
  if (
    rotatedFrom === '' &&
    (await em.count(BotKeyEntity, {
      tenant,
      bot,
      revokedAt: null,
      rotatedTo: '',
      expiresAt: { $gt: now },
    })) >= keysPerBot
  )
    throw failedPrecondition(`a bot has at most ${keysPerBot} valid keys`, 'LIMIT_REACHED');
  const secret = createToken('botKey');
  const key = em.create(BotKeyEntity, {
    tenant,
    id: createId('bky'),
    bot,
    name,
    tokenHash: tokenHash(secret),
    prefix: secret.slice(0, 8),
    last4: secret.slice(-4),
    permissions: [...new Set(permissions)],
    allowedIps: [...new Set(allowedIps)],
    expiresAt,
    lastUsedAt: null,
    revokedAt: null,
    rotatedFrom,
    rotatedTo: '',
    noticeAt: nextNotice(expiresAt, now),
    createdBy,
    maker,
    createdAt: now,
  });
  em.persist(key);
  return { key, secret };
}
