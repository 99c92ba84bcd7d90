import { timingSafeEqual } from 'node:crypto';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { unauthenticated } from '@bailiwick/shared/errors.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { tokenHash } from '@bailiwick/shared/tokens.ts';
import { findLiveSession } from './queries.ts';

type Deps = { database: Database; platformKey: string; workerToken: string };

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
