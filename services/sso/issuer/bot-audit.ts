import { serviceCaller } from '@bailiwick/call';
import { type Database } from '@bailiwick/database';
import { type Origin, recordChange } from '@bailiwick/events';
import type { MatchedTrust } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { type Refusals } from '@bailiwick/service';
import type { Reason } from './bot-proof.ts';
import type { Subject } from './subject-token.ts';
import { currentVisit, type ProvenBot } from './visit.ts';

// The audit of exchanged tokens, in the tenant of the bot.

export type BotAudit = ReturnType<typeof createBotAudit>;

function originOf(type: 'bot' | 'anonymous', id: string, credentialId: string): Origin {
  const { ip, userAgent } = currentVisit();
  const caller = { ...serviceCaller('sso'), type, id, credentialId, ip, userAgent };
  return { operation: { name: '' }, caller };
}

/** A claim that any caller may have chosen. */
const named = (Type: string, text: string) => ({ Type, ID: '', Name: text.slice(0, 256) });

export function createBotAudit({ database, refusals }: { database: Database; refusals: Refusals }) {
  return {
    async issued({ id, tenant, credentialId }: ProvenBot, trust: MatchedTrust): Promise<void> {
      await database.transaction(tenant, (em) => {
        recordChange(em, originOf('bot', id, credentialId), {
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
    ): Promise<void> =>
      refusals.record(`bot.token_refused ${id} ${reason}`, originOf('anonymous', '', ''), {
        Tenant: tenant,
        Action: 'bot.token_refused',
        Result: 'denied',
        Code: 'permission_denied',
        Targets: [{ Type: 'bot', ID: id, Name: '' }, named('issuer', iss), named('subject', sub)],
        Reason: reason,
      }),
  };
}
