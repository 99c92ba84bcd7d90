import { createId, createToken, tokenHash } from '@bailiwick/contract';
import { escalation, limitReached, notFound, temporaryRight } from '@bailiwick/errors';
import type { Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import { lockName, type Transaction } from '@bailiwick/store';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { BotEntity, BotKeyEntity } from '../bots/entities.ts';
import type { Maker } from '../bots/maker.ts';
import { noticesFor, principalOf } from '../bots/taking.ts';
import { keysPerBot } from '../limits.ts';
import { rowOf } from '../rows.ts';
import type { BotKeyDeps } from './deps.ts';
import { type BotKeyRow } from './entities.ts';
import { nextNotice } from './expiry.ts';
import { findBotKey } from './queries.ts';

/**
 * When the caller's right to what it issues ends, null = never; and the mails about a credential that
 * acts on the platform.
 */
export type Permit = { latestEnd: Date | null; tasks: Task[] };

type KeyRights = Pick<BotKeyRow, 'tenant' | 'bot' | 'permissions'>;

/**
 * Throws permission_denied unless the caller itself has every permission of the key until its end,
 * null = without an end: the creator of a key knows its secret. Without `permissions`, as for a
 * trust, these are all permissions of the bot. A bot has grants in its own tenant and on the platform
 * only, so the tenant in question can be passed as the bot's. A user needs a recent sign-in for a bot
 * with a role on the platform, whose key acts on all accounts.
 *
 * @returns when the caller's right to it ends, and the mails to the operators about a bot with a role
 * on the platform, which the transaction of the key or trust records
 */
export async function assertMayIssue(
  { authority, database }: Pick<BotKeyDeps, 'authority' | 'database'>,
  call: Call,
  { tenant, bot, permissions }: KeyRights,
  until: Date | null,
): Promise<Permit> {
  const { lacking, ending, endsAt, onPlatform, operators } = await authority.mayConferBot(
    { ...principalOf(call.caller), tenant, bot, permissions },
    call,
    { signal: call.signal },
  );
  if (lacking !== '') throw escalation(lacking);
  const tasks = onPlatform
    ? await noticesFor('platform_key_created', database, call, bot, operators)
    : [];
  // The keys that a bot makes end with the key that it uses.
  const used =
    call.caller.type === 'bot'
      ? await findBotKey(database, call.caller.tenant, call.caller.credentialId)
      : undefined;
  const ends = [endsAt && timestampDate(endsAt), used && latestEndOf(used)];
  const [first] = ends
    .filter((end) => end instanceof Date)
    .toSorted((one, other) => one.getTime() - other.getTime());
  if (!first) return { latestEnd: null, tasks };
  assertEndsBy(ending || 'this key', first, until);
  return { latestEnd: first, tasks };
}

/** Throws permission_denied for a key or trust that outlasts the right that it rests on. */
export function assertEndsBy(right: string, latest: Date, until: Date | null): void {
  if (until === null || until > latest) throw temporaryRight(right, latest);
}

/** The latest end that the maker of a key could give it; null = any. */
export const latestEndOf = ({ latestEnd }: Pick<BotKeyRow, 'latestEnd'>): Date | null =>
  latestEnd ? new Date(latestEnd) : null;

/** Locks a bot against deletion, so that no key and no trust outlives it. */
export async function lockBot(tx: Transaction, id: string): Promise<void> {
  const bot = await tx.em.findOne(BotEntity, { id }, { lockMode: LockMode.PESSIMISTIC_READ });
  if (!bot) throw notFound('bot');
}

export type NewKey = KeyRights &
  Pick<BotKeyRow, 'name' | 'allowedIps' | 'rotatedFrom' | 'createdBy'> & {
    expiresAt: Date;
    latestEnd: Date | null;
    maker: Maker;
  };

/** Stores a new key in the transaction of `em`. The secret can be read from the result only. */
export async function issueKey(
  tx: Transaction,
  { permissions, allowedIps, ...fields }: NewKey,
  now: Date,
) {
  const { tenant, bot, expiresAt, rotatedFrom } = fields;
  // Without the lock, two concurrent calls could both take the last place.
  await lockName(tx, rowOf.keys(bot));
  // A rotated key does not count: it expires within a day.
  if (
    rotatedFrom === '' &&
    (await tx.em.count(BotKeyEntity, {
      tenant,
      bot,
      revokedAt: null,
      rotatedTo: '',
      expiresAt: { $gt: now },
    })) >= keysPerBot
  )
    throw limitReached(`a bot has at most ${keysPerBot} valid keys`, keysPerBot);
  const secret = createToken('botKey');
  const key = tx.em.create(BotKeyEntity, {
    ...fields,
    id: createId('bky'),
    tokenHash: tokenHash(secret),
    prefix: secret.slice(0, 8),
    last4: secret.slice(-4),
    permissions: [...new Set(permissions)],
    allowedIps: [...new Set(allowedIps)],
    lastUsedAt: null,
    revokedAt: null,
    rotatedTo: '',
    noticeAt: nextNotice(expiresAt, now),
    createdAt: now,
  });
  tx.em.persist(key);
  return { key, secret };
}
