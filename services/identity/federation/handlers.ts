import { assurances, platformPlace } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import { recordRevocation } from '@bailiwick/outbox';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type {
  Federation,
  OpenSessionRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { rowOf } from '../rows.ts';
import { beginSession } from '../sessions/begin.ts';
import { storeCode } from '../sessions/codes.ts';
import type { SessionOrigin } from '../sessions/entities.ts';
import { userRecord } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { type AdmitDeps, admit } from './admit.ts';
import { isUnconfirmed, settle, vouch } from './confirmation/confirmation.ts';
import { forgetPlatformProvider, forgetProvider } from './identities/queries.ts';
import { holdIdentityAt } from './queries.ts';
import { admitSocial, type SocialDeps } from './social.ts';

/** How many users of a platform's provider one transaction forgets. */
const forgottenAtOnce = 500;

/** Federation: sso calls it after verifying the provider's response. */
export function federationHandlers(deps: AdmitDeps & SocialDeps): Handlers<typeof Federation> {
  const { database } = deps;
  return {
    async admit(request, call) {
      const from = fromBrowser(call, request);
      const result =
        request.tenant === ''
          ? await admitSocial(deps, request, from)
          : await admit(deps, request, from);
      if (result.outcome === 'unlinked') return result;
      return { user: userRecord(result.user), outcome: result.outcome };
    },

    openSession(request, call) {
      return database.transaction(
        { call, tenant: request.tenant, row: rowOf.user(request.userId) },
        async (tx) => {
          const user = await lockActive(tx, request.userId);
          if (!user) throw denied('the account is disabled', 'ACCOUNT_DISABLED');
          if (!(await holdIdentityAt(tx, request, user.id)))
            throw denied('the account is no longer linked to the provider', 'PROVIDER_INACTIVE');
          const from = { ...originOf(request), unconfirmed: await isUnconfirmed(tx, request) };
          if (request.origin !== '') {
            const code = { ...from, origin: request.origin, sessionId: '' };
            return { token: await storeCode(tx, user, code) };
          }
          const { token, session } = await beginSession(tx, fromBrowser(call, request), user, from);
          return { token, sessionId: session.id ?? '' };
        },
      );
    },

    async vouch(request, call) {
      await vouch(database, request, call);
      return {};
    },

    async settle(request, call) {
      await settle(database, request, call);
      return {};
    },

    async forgetProvider({ tenant, provider }, call) {
      if (provider === '') return {};
      if (tenant === '') {
        const forgotten = await database.transaction({ call, tenant }, (tx) => {
          // sso records the event.
          recordRevocation(tx, [`tenant:${platformPlace}`]);
          return forgetPlatformProvider(tx, provider, forgottenAtOnce);
        });
        // Rows may vanish meanwhile, so that a batch is never known to be the last one.
        return { more: forgotten > 0 };
      }
      await database.transaction({ call, tenant }, (tx) => {
        // Gateways cache sessions from a tenant's providers under the tenant. sso records the event.
        recordRevocation(tx, [`tenant:${tenant}`]);
        return forgetProvider(tx, tenant, provider);
      });
      return {};
    },
  };
}

/** The audit entry gets the user's browser, and not the service that calls on its behalf. */
const fromBrowser = (call: Call, { ip, userAgent }: { ip: string; userAgent: string }): Call => ({
  ...call,
  caller: { ...call.caller, ip, userAgent },
});

const originOf = ({
  authMethod,
  provider,
  tenant,
  ip,
  userAgent,
  assurance,
}: OpenSessionRequest): SessionOrigin => ({
  authMethod,
  furtherMethods: [],
  assurance: assurances.find((level) => level === assurance) ?? 'aal1',
  provider,
  ssoTenant: tenant,
  ip,
  userAgent,
});
