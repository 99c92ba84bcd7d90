import { denied } from '@bailiwick/errors';
import { noticeTasks, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { findUsers } from '../users/queries.ts';
import { nameOfOperator } from './operator-name.ts';
import { findBotsAnywhere } from './queries.ts';

type Deps = { authority: PeerClient<typeof Authority>; database: Database };

/**
 * Throws permission_denied unless the caller may grant every permission of a bot that it disables,
 * enables or deletes. A bot may give up its own rights. A user needs a recent sign-in for a bot with a
 * role on the platform.
 *
 * @returns the mails to the operators about a bot with a role on the platform, which the transaction
 * of the change records
 */
export async function assertMayTakeBot(
  { authority, database }: Deps,
  call: Call,
  { tenant, id }: { tenant: string; id: string },
): Promise<Task[]> {
  if (call.caller.type === 'bot' && call.caller.id === id) return [];
  const { lacking, onPlatform, operators } = await authority.mayConferBot(
    { ...principalOf(call.caller), tenant, bot: id, permissions: [], taking: true },
    call,
    { signal: call.signal },
  );
  if (lacking !== '')
    throw denied(`the bot holds ${lacking}, which the caller may not grant`, 'ESCALATION', {
      Permission: lacking,
    });
  return onPlatform ? noticesFor('platform_bot_changed', database, call, id, operators) : [];
}

/**
 * The mails to the operators about a bot with a role on the platform. @throws as nameOfOperator does
 */
export async function noticesFor(
  kind: 'platform_bot_changed' | 'platform_key_created',
  database: Database,
  { caller }: Call,
  botId: string,
  operators: readonly string[],
): Promise<Task[]> {
  const operatorName = await nameOfOperator(database, caller);
  const [bot] = await findBotsAnywhere(database, [botId]);
  const users = await findUsers(database, operators);
  const name = bot?.name ?? botId;
  return noticeTasks(kind, users, { operatorName, name, about: botId });
}

/** The caller in a question to access about rights to delegate. */
export const principalOf = (caller: Call['caller']) => ({
  principalType: caller.type,
  principalId: caller.id,
  principalBotTenant: caller.type === 'bot' ? caller.tenant : '',
  principalNarrowedTo: caller.narrowedTo,
  principalSsoTenant: caller.ssoTenant,
  principalLimitedTo: caller.limitedTo,
  principalAssurance: caller.assurance,
  principalOwnAssurance: caller.ownAssurance,
  principalVoucher: caller.voucher,
});
