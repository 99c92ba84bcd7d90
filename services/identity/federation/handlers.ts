import type {
  Federation,
  OpenSessionRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { denied } from '@bailiwick/shared/errors.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import { createToken, tokenHash } from '@bailiwick/shared/tokens.ts';
import { beginSession } from '../sessions/begin.ts';
import { type UserRow, userRecord } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { type AdmitDeps, admit } from './admit.ts';
import { SignInCodeEntity } from './entities.ts';
import { forgetProvider, holdIdentityAt, voidCodesFor } from './queries.ts';

const codeMs = 60_000;

/** Single sign-on, after sso has checked what the provider said. */
export function federationHandlers(deps: AdmitDeps): Handlers<typeof Federation> {
  const { database } = deps;
  return {
    async admit(request, call) {
      const { user, outcome } = await admit(deps, request, fromBrowser(call, request));
      return { user: userRecord(user), outcome };
    },

    openSession(request, call) {
      return database.transaction(
        { tenant: request.tenant, row: `user ${request.userId}` },
        async (em) => {
          const user = await lockActive(em, request.userId);
          if (!user) throw denied('the account is disabled', 'ACCOUNT_DISABLED');
          if (!(await holdIdentityAt(em, request, user.id)))
            throw denied('the account is not linked to the provider any more', 'PROVIDER_INACTIVE');
          if (request.origin !== '') return { token: await issueCode(em, request, user) };
          const { token } = await beginSession(
            em,
            fromBrowser(call, request),
            user,
            beginningOf(request),
          );
          return { token };
        },
      );
    },

    async forgetProvider({ tenant, provider }, call) {
      if (tenant === '' || provider === '') return {};
      await database.transaction(tenant, (em) => forgetProvider(em, tenant, provider));
      // Gateways remember the sessions that came from a tenant's providers under its name.
      call.outdated.add(`tenant:${tenant}`);
      return {};
    },
  };
}

/** The audit tells of the person's browser, and not of the service that calls for it. */
const fromBrowser = (call: Call, { ip, userAgent }: { ip: string; userAgent: string }): Call => ({
  ...call,
  caller: { ...call.caller, ip, userAgent },
});

const beginningOf = ({ authMethod, provider, tenant, ip, userAgent }: OpenSessionRequest) => ({
  authMethod,
  provider,
  ssoTenant: tenant,
  ip,
  userAgent,
});

/** A code for an application. The one that it had for the same person before is void. */
async function issueCode(
  em: EntityManager,
  request: OpenSessionRequest,
  user: UserRow,
): Promise<string> {
  const token = createToken('code');
  const now = new Date();
  const expiresAt = new Date(now.getTime() + codeMs);
  const { id: userId, emailKey } = user;
  await voidCodesFor(em, userId, request.origin);
  const code = {
    ...beginningOf(request),
    tokenHash: tokenHash(token),
    userId,
    emailKey,
    origin: request.origin,
    createdAt: now,
    expiresAt,
  };
  em.persist(em.create(SignInCodeEntity, code));
  return token;
}
