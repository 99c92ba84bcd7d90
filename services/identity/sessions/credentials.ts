import { timingSafeEqual } from 'node:crypto';
import type { Client } from '@connectrpc/connect';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Tokens } from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unauthenticated } from '@bailiwick/shared/errors.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { tokenHash, tokenKind } from '@bailiwick/shared/tokens.ts';
import { findLiveSession } from './queries.ts';

type Deps = { database: Database; authority: Client<typeof Authority>; platformKey: string; workerToken: string };

/** Answers the gateway: who holds the token with this hash? Two tokens are installed with the service, the rest is stored. */
export function credentialsHandlers({ database, platformKey, workerToken }: Deps): Handlers<typeof Credentials> {
  const installed = [
    { hash: tokenHash(platformKey), principal: { type: 'platform', id: 'platform', credentialId: 'platform-key' } },
    { hash: tokenHash(workerToken), principal: { type: 'worker', id: 'worker', credentialId: 'worker-token' } },
  ];
  return {
    async resolve({ tokenHash: hash }) {
      const match = installed.find((candidate) => candidate.hash.length === hash.length && timingSafeEqual(candidate.hash, hash));
      if (match) return match.principal;
      const session = await findLiveSession(database, hash);
      if (!session) throw unauthenticated();
      return { type: 'user', id: session.user_id, credentialId: session.id, email: session.email };
    },
  };
}

/** Answers a platform's own services. A token of one who is not in the tenant in question is inactive, like an unknown one. */
export function tokensHandlers({ database, authority }: Deps): Handlers<typeof Tokens> {
  return {
    async introspect({ token, tenant }) {
      // Asking about a token is no use of it: it does not keep a session alive.
      const session = tokenKind(token) === 'session' ? await findLiveSession(database, tokenHash(token), { touch: false }) : undefined;
      if (!session) return {};
      if (tenant !== '') {
        const { tenants } = await authority.listUserTenants({ userId: session.user_id });
        if (!tenants.some(({ id }) => id === tenant)) return {};
      }
      return { active: true, type: 'session', id: session.id, userId: session.user_id, expiresAt: timestampFromDate(new Date(session.expires_at)) };
    },
  };
}
