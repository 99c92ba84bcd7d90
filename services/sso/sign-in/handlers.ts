import { callerNetwork } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import { deferred } from '@bailiwick/process';
import type { SignIn } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { openCredentials } from '../providers/credentials.ts';
import { samlProvider } from '../providers/protocols.ts';
import { findProvider } from '../providers/queries.ts';
import { unknownProvider } from '../refusal.ts';
import type { SignInDeps } from './deps.ts';
import { finishSignIn } from './finish.ts';
import { startSignIn } from './start.ts';
import { findWayOn } from './way-on.ts';

const loadSpMetadata = deferred(() => import('../saml/sp-metadata.ts'));

export function signInHandlers(deps: SignInDeps): Handlers<typeof SignIn> {
  // Limits before any work: each start writes a row, and each answer costs a signature check.
  async function count(ip: string): Promise<void> {
    if (deps.signInLimit)
      await deps.limiter.take(`address sign_in ${callerNetwork(ip)}`, deps.signInLimit);
  }
  return {
    async start(request, call) {
      await count(request.ip);
      return startSignIn(deps, request, call);
    },
    async finish(request, call) {
      await count(request.ip);
      return finishSignIn(deps, request, call);
    },
    async findWayOn(request, call) {
      return findWayOn(deps, request, call);
    },
    async metadata({ tenant, provider: id, ip }) {
      await count(ip);
      const provider = await findProvider(deps.database, tenant, id);
      if (provider?.kind !== 'saml') throw unknownProvider();
      const { spMetadata } = await loadSpMetadata();
      return {
        xml: spMetadata(
          samlProvider(provider, await openCredentials(deps.keys, provider), deps.publicUrl),
        ),
      };
    },
  };
}
