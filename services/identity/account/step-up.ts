import { homeNetwork, tokenHash, tokenKind } from '@bailiwick/contract';
import { deadToken, denied, failedPrecondition, unauthenticated } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Handlers } from '@bailiwick/pipeline';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { challengePlace, findChallenged, voidChallengesOf } from '../factors/challenges/queries.ts';
import { findFactors } from '../factors/queries.ts';
import { forStepUp } from '../passkeys/challenges.ts';
import { passkeyOptions } from '../passkeys/login.ts';
import { rowOf } from '../rows.ts';
import { sessionRecord } from '../sessions/entities.ts';
import { findListed } from '../sessions/listed/queries.ts';
import { raiseSession, refreshSession } from '../sessions/sign-in/queries.ts';
import { lockActive } from '../users/lock.ts';
import { findUsers } from '../users/queries.ts';
import type { AccountDeps } from './deps.ts';
import { openChallenge, settle } from './second-factor.ts';

// A user proves a factor in an open session, which may have come from a provider. Only that session
// changes: those that take it on to applications keep their own assurance.

type StepUp = Pick<Handlers<typeof Account>, 'beginStepUp' | 'completeStepUp'>;

export function stepUpHandlers(deps: AccountDeps): StepUp {
  const { database } = deps;
  return {
    async beginStepUp(_request, call) {
      const { id, credentialId, ip } = call.caller;
      const place = challengePlace(homeNetwork(ip), credentialId);
      const challenge = await database.transaction(
        { call, tenant: null, row: rowOf.user(id) },
        async (tx) => {
          const user = await lockActive(tx, id);
          // The user was disabled or the session ended meanwhile.
          if (!user || !(await findListed(tx, credentialId))) throw unauthenticated();
          const factors = await findFactors(tx.query, id);
          if (factors.length === 0)
            throw failedPrecondition('a second factor is required first', 'NO_FACTOR');
          await voidChallengesOf(tx, id, credentialId);
          // Audited only: nothing has changed yet.
          record(tx, {
            tenant: '',
            type: 'session.step_up_begun',
            data: null,
            targets: [{ Type: 'session', ID: credentialId, Name: '' }],
          });
          const newChallenge = { factors, authMethod: '', place };
          return openChallenge(tx.query, call, user, newChallenge);
        },
      );
      if (!challenge) throw new Error('a user changed while it was locked');
      const asksPasskey = challenge.factors.includes('passkey');
      const options = asksPasskey ? await passkeyOptions(deps, forStepUp(credentialId)) : '';
      return { challenge: challenge.challenge, factors: challenge.factors, options };
    },

    async completeStepUp(request, call) {
      const { id, credentialId, ip } = call.caller;
      if (tokenKind(request.challenge) !== 'challenge') throw deadToken();
      const hash = tokenHash(request.challenge);
      const place = challengePlace(homeNetwork(ip), credentialId);
      if ((await findChallenged(database, hash, place))?.userId !== id) throw deadToken();
      const [user] = await findUsers(database, [id]);
      if (user?.status !== 'active') throw unauthenticated();
      const purpose = forStepUp(credentialId);
      const answer = { user, hash, place, request, purpose, refuse: wrongAnswer };
      return settle(deps, answer, call, async (tx, _user, { proof }) => {
        await raiseSession(tx, credentialId, proof);
        await refreshSession(tx, credentialId);
        const session = await findListed(tx, credentialId);
        // The session ended during the check.
        if (!session) throw unauthenticated();
        record(tx, {
          tenant: '',
          type: 'session.stepped_up',
          data: { ID: credentialId, UserID: id },
          targets: [{ Type: 'session', ID: credentialId, Name: '' }],
        });
        return { session: sessionRecord(session, credentialId) };
      });
    },
  };
}

// The session is valid: 401 would say that it is not.
const wrongAnswer = (text: string) => denied(text, 'WRONG_CODE');
