import type { Handlers } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { recordFactors } from '../factors/changes.ts';
import { countCodes, deleteCodes, deleteFactors, findFactors } from '../factors/queries.ts';
import { clearFailures, factorKey, forgetFactorNetworks } from '../passwords/queries.ts';
import { rowOf } from '../rows.ts';
import { endSessions } from '../sessions/queries.ts';
import { assertMayActAs } from '../users/acting.ts';
import { lockExisting } from '../users/lock.ts';
import { provenOperator } from './acts.ts';

type Deps = { database: Database; authority: Pick<PeerClient<typeof Authority>, 'mayActAs'> };

export function resetHandler(deps: Deps): Pick<Handlers<typeof Users>, 'resetFactors'> {
  const { database } = deps;
  return {
    async resetFactors({ userId, reason }, call) {
      await assertMayActAs(deps, userId, call);
      const operator = await provenOperator(database, userId, reason, call);
      // Even without factors: the call that has removed them may not have replied yet.
      call.invalidates.add(`user:${userId}`);
      await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, async (tx) => {
        const user = await lockExisting(tx, userId);
        const had =
          (await findFactors(tx.query, userId)).length + (await countCodes(tx.query, userId));
        await clearFailures(tx, factorKey(userId));
        await forgetFactorNetworks(tx, userId);
        if (had === 0) return;
        await deleteFactors(tx, userId);
        await deleteCodes(tx, userId);
        // A thief of the old factor may be signed in.
        await endSessions(tx, userId);
        await recordFactors(tx, user, {
          type: 'user.factors_reset',
          // With the name of an operator the mail is another one.
          ...(operator && { values: operator, reason: operator.reason }),
        });
      });
      return {};
    },
  };
}
