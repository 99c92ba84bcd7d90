import { assertUnchanged, changedFields, createId, readJwks, timeAfter } from '@bailiwick/contract';
import { invalid, limitReached, notFound } from '@bailiwick/errors';
import type { Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import {
  type BotTrust,
  BotTrustSchema,
  type BotTrustsSaveRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_trusts_pb.ts';
import { lockName, type Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { LockMode } from '@mikro-orm/core';
import type { BotKeyDeps } from '../bot-keys/deps.ts';
import { assertMayIssue, lockBot } from '../bot-keys/issue.ts';
import { BotTrustEntity, type BotTrustRow } from '../bots/entities.ts';
import { makerOf } from '../bots/maker.ts';
import { findBot } from '../bots/queries.ts';
import { trustsPerBot } from '../limits.ts';
import { rowOf } from '../rows.ts';
import { findBotTrust } from './queries.ts';
import { recordTrust, trustJson } from './records.ts';

/** `publicUrl`: the issuer of our own tokens. */
export type TrustDeps = BotKeyDeps & { publicUrl: string };

/** Whether a trust names our own issuer, also with a slash at the end. */
export const isOwnIssuer = (issuer: string, publicUrl: string): boolean =>
  issuer.replace(/\/$/, '') === publicUrl.replace(/\/$/, '');

/**
 * Creates a trust if no ID is sent, or changes the one with this ID. The caller must have every
 * permission of the bot, as for a key: it decides who acts as the bot.
 */
export async function saveTrust(
  deps: TrustDeps,
  request: BotTrustsSaveRequest,
  call: Call,
): Promise<BotTrustRow> {
  const input = request.trust ?? create(BotTrustSchema);
  const { tenant, id } = input;
  if (input.issuer !== undefined && isOwnIssuer(input.issuer, deps.publicUrl))
    throw invalid('Trust.Issuer must not be Bailiwick itself, whose tokens are not exchanged');
  const bot = input.bot === '' ? await storedBot(deps, input) : input.bot;
  if (!(await findBot(deps.database, tenant, bot))) throw notFound('bot');
  // A trust has no end.
  const { tasks } = await assertMayIssue(deps, call, { tenant, bot, permissions: [] }, null);
  return deps.database.transaction({ call, tenant, row: rowOf.trusts(bot) }, async (tx) => {
    await lockBot(tx, bot);
    const stored =
      id === ''
        ? null
        : await tx.em.findOne(BotTrustEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (id !== '' && !stored) throw notFound('bot trust');
    assertUnchanged('the bot trust', stored, request.ifUpdatedAt);
    if (!stored) return insertTrust(tx, input, call, tasks);
    if (stored.bot !== bot) throw invalid('Trust.Bot cannot be changed');
    const before = trustJson(stored);
    applyTo(stored, input);
    // Saving equal values confirms the trust with the rights of the caller.
    stored.maker = makerOf(call.caller);
    const previous = changedFields(before, trustJson(stored));
    if (Object.keys(previous).length === 0) return stored;
    stored.updatedAt = timeAfter(stored.updatedAt);
    recordTrust(tx, 'bot_trust.updated', stored, { previous, tasks });
    return stored;
  });
}

/** The bot of a stored trust, which never changes. */
async function storedBot({ database }: BotKeyDeps, { tenant, id }: BotTrust): Promise<string> {
  const stored = await findBotTrust(database, tenant, id);
  if (!stored) throw notFound('bot trust');
  return stored.bot;
}

async function insertTrust(
  tx: Transaction,
  input: BotTrust,
  call: Call,
  tasks: readonly Task[],
): Promise<BotTrustRow> {
  const { tenant, bot } = input;
  // Without the lock, two concurrent calls could both take the last place.
  await lockName(tx, rowOf.trusts(bot));
  if ((await tx.em.count(BotTrustEntity, { tenant, bot })) >= trustsPerBot)
    throw limitReached(`a bot has at most ${trustsPerBot} trusts`, trustsPerBot);
  const now = new Date();
  const trust = tx.em.create(BotTrustEntity, {
    tenant,
    id: createId('btr'),
    bot,
    issuer: '',
    audience: '',
    subject: '',
    claims: {},
    jwks: '',
    createdBy: call.caller.id,
    maker: makerOf(call.caller),
    createdAt: now,
    updatedAt: now,
  });
  applyTo(trust, input);
  tx.em.persist(trust);
  recordTrust(tx, 'bot_trust.created', trust, { tasks });
  return trust;
}

// Fields that were not sent keep their values.
function applyTo(trust: BotTrustRow, input: BotTrust): void {
  trust.issuer = input.issuer ?? trust.issuer;
  trust.audience = input.audience ?? trust.audience;
  trust.subject = input.subject ?? trust.subject;
  if (input.claims) trust.claims = { ...input.claims.items };
  if (input.jwks !== undefined) trust.jwks = publicKeysIn(input.jwks);
}

function publicKeysIn(text: string): string {
  if (text === '') return '';
  const read = readJwks(text);
  if ('problem' in read) throw invalid(`Trust.JWKS ${read.problem}`);
  return read.jwks;
}
