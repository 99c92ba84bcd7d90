import type { Call } from '@bailiwick/shared/dispatch.ts';
import { denied, failedPrecondition, notFound } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import { createToken, tokenHash } from '@bailiwick/shared/tokens.ts';
import { LockMode } from '@mikro-orm/core';
import { BotEntity } from '../bots/entities.ts';
import { keysPerBot } from '../limits.ts';
import type { BotKeyDeps } from './deps.ts';
import { BotKeyEntity, type BotKeyRow } from './entities.ts';
import { nextNotice } from './expiry.ts';

type KeyRights = Pick<BotKeyRow, 'tenant' | 'bot' | 'permissions'>;

/**
 * Throws permission_denied unless the caller itself holds all that the key's holder receives: whoever makes a key has its
 * secret. A bot has grants in its own tenant and on the platform only, so that the tenant in question can stand for it.
 */
export async function assertMayIssue(
  { authority }: Pick<BotKeyDeps, 'authority'>,
  { caller, signal }: Call,
  key: KeyRights,
): Promise<void> {
  const { lacking } = await authority.mayConferBot(
    {
      principalType: caller.type,
      principalId: caller.id,
      principalBotTenant: caller.type === 'bot' ? caller.tenant : '',
      principalNarrowedTo: caller.narrowedTo,
      principalSsoTenant: caller.ssoTenant,
      principalLimitedTo: caller.limitedTo,
      tenant: key.tenant,
      bot: key.bot,
      permissions: key.permissions,
    },
    { signal },
  );
  if (lacking !== '')
    throw denied(`this would confer ${lacking}, which the caller does not hold`, 'ESCALATION');
}

/** Locks the bot of a key against its deletion: no key outlives its bot. */
export async function lockBot(em: EntityManager, id: string): Promise<void> {
  const bot = await em.findOne(BotEntity, { id }, { lockMode: LockMode.PESSIMISTIC_READ });
  if (!bot) throw notFound('bot');
}

export type NewKey = KeyRights &
  Pick<BotKeyRow, 'name' | 'allowedIps' | 'rotatedFrom' | 'createdBy'> & { expiresAt: Date };

/** Stores a new key in the transaction of `em`. This is the only time that its secret is there to be read. */
export async function issueKey(
  em: EntityManager,
  { tenant, bot, name, permissions, allowedIps, expiresAt, rotatedFrom, createdBy }: NewKey,
  now: Date,
) {
  // Two of them at once do not both find the last place free.
  await lockName(em, `keys of ${bot}`);
  // One that replaces another is none more: that ends within a day.
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
    throw failedPrecondition(
      `a bot has at most ${keysPerBot} keys that have not ended`,
      'BOT_KEY_LIMIT',
    );
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
    createdAt: now,
  });
  em.persist(key);
  return { key, secret };
}
