import { denied } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PeerClient } from '@bailiwick/wire';

type Deps = { authority: PeerClient<typeof Authority> };

/**
 * Throws permission_denied unless the caller may grant every permission of a bot that it disables,
 * enables or deletes. A bot may give up its own rights.
 */
export async function assertMayTakeBot(
  { authority }: Deps,
  call: Call,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  if (call.caller.type === 'bot' && call.caller.id === id) return;
  const { lacking } = await authority.mayConferBot(
    { ...principalOf(call.caller), tenant, bot: id, permissions: [], taking: true },
    call,
    { signal: call.signal },
  );
  if (lacking !== '')
    throw denied(`the bot holds ${lacking}, which the caller may not grant`, 'ESCALATION', {
      Permission: lacking,
    });
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
