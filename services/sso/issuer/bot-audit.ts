import { record } from '@bailiwick/outbox';
import type { Refusals } from '@bailiwick/pipeline';
import type { MatchedTrust } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import { type IssuerRequest, originOf, type ProvenBot } from './request.ts';
import type { Subject } from './subject-token.ts';

// The audit of exchanged tokens, in the tenant of the bot.

/** Why a token does not prove a bot, for the audit of the bot's tenant. */
export type Reason =
  | 'bot_inactive'
  | 'tenant_inactive'
  | 'no_trust_matches'
  | 'issuer_unreachable'
  | 'key_unknown'
  | 'signature_invalid';

export type BotAudit = ReturnType<typeof createBotAudit>;

/** A claim that any caller may have chosen. */
const named = (Type: string, text: string) => ({ Type, ID: '', Name: text.slice(0, 256) });

export function createBotAudit({ database, refusals }: { database: Database; refusals: Refusals }) {
  return {
    async issued(bot: ProvenBot, trust: MatchedTrust, request: IssuerRequest): Promise<void> {
      const { id, tenant, credentialId } = bot;
      const call = originOf(request, { type: 'bot', id, credentialId });
      await database.transaction({ call, tenant }, (tx) => {
        record(tx, {
          tenant,
          type: 'bot.token_issued',
          data: null,
          targets: [
            { Type: 'bot', ID: id, Name: '' },
            { Type: 'bot_trust', ID: trust.id, Name: trust.subject },
          ],
        });
        return Promise.resolve();
      });
    },

    /** Strangers can send any number of tokens, so repetitions are counted. */
    refused: (
      { id, tenant }: { id: string; tenant: string },
      reason: Reason,
      { iss, sub }: Subject,
      request: IssuerRequest,
    ): Promise<void> =>
      refusals.record(`bot.token_refused ${id} ${reason}`, originOf(request), {
        Tenant: tenant,
        Action: 'bot.token_refused',
        Result: 'denied',
        Code: 'permission_denied',
        Targets: [{ Type: 'bot', ID: id, Name: '' }, named('issuer', iss), named('subject', sub)],
        Reason: reason,
      }),
  };
}
