import type { Handlers } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { type Database, inTransaction } from '@bailiwick/store';
import type { Client } from '@connectrpc/connect';
import { clearFailures, factorKey, forgetFactorNetworks } from '../passwords/queries.ts';
import { endSessions } from '../sessions/queries.ts';
import { assertMayActAs } from '../users/acting.ts';
import { lockExisting } from '../users/lock.ts';
import { recordFactors } from './changes.ts';
import { countCodes, deleteCodes, deleteFactors, findFactors } from './queries.ts';

type Deps = { database: Database; authority: Pick<Client<typeof Authority>, 'mayActAs'> };

export function resetHandler(deps: Deps): Pick<Handlers<typeof Users>, 'resetFactors'> {
  const { database } = deps;
  return {
    async resetFactors({ userId }, call) {
      await assertMayActAs(deps, userId, call);
      // Even without factors: the call that has removed them may not have replied yet.
      call.invalidates.add(`user:${userId}`);
      await database.transaction({ tenant: null, row: `user ${userId}` }, async (em) => {
        const user = await lockExisting(em, userId);
        const had =
          (await findFactors(em, userId)).length + (await countCodes(inTransaction(em), userId));
        await clearFailures(em, factorKey(userId));
        await forgetFactorNetworks(em, userId);
        if (had === 0) return;
        await deleteFactors(em, userId);
        await deleteCodes(em, userId);
        // A thief of the old factor may be signed in.
        await endSessions(em, call, userId);
        await recordFactors(em, call, user, { type: 'user.factors_reset' });
      });
      return {};
    },
  };
}
