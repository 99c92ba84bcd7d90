import type { Handlers } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { removeIdentities } from '../federation/identities/queries.ts';
import { operatorNotice, provenOperator } from '../operators/acts.ts';
import { rowOf } from '../rows.ts';
import { endSessions } from '../sessions/queries.ts';
import { UserEntity } from '../users/entities.ts';
import { deleteBelongings, findUsers } from '../users/queries.ts';
import { recordUser } from '../users/records.ts';

type Deps = {
  database: Database;
  authority: PeerClient<typeof Authority>;
  /** Calls access in the name of the caller. */
  ownAuthority: PeerClient<typeof Authority>;
  log: Log;
};

export function deletionHandler({
  database,
  authority,
  ownAuthority,
  log,
}: Deps): Pick<Handlers<typeof Users>, 'delete'> {
  return {
    async delete({ userId, reason }, call) {
      const operator = await provenOperator(database, userId, reason, call);
      // Even if the user is gone: the call that has deleted it may not have replied yet.
      call.invalidates.add(`user:${userId}`);
      const [stored] = await findUsers(database, [userId]);
      if (!stored) return {};
      // Throws while a tenant would be left without an owner.
      const { tenants } = await ownAuthority.leave({ userId }, call);
      await database.transaction({ call, tenant: null, row: rowOf.user(userId) }, async (tx) => {
        const user = await tx.em.findOne(
          UserEntity,
          { id: userId },
          { lockMode: LockMode.PESSIMISTIC_WRITE },
        );
        if (!user) return;
        await removeIdentities(tx, userId);
        await endSessions(tx, userId);
        await deleteBelongings(tx, userId, user.emailKey);
        tx.em.remove(user);
        // Names the tenants that the user was a member of: they cannot find that out later.
        const targets = tenants.map((id) => ({ Type: 'tenant', ID: id, Name: '' }));
        recordUser(tx, 'user.deleted', user, {
          targets,
          ...operatorNotice(operator, 'user_deleted', user),
        });
      });
      // Signing in as the user is impossible now. If this call fails, access learns of the deletion
      // from the event. Reports even if a concurrent call has deleted the user, since that call may
      // not have reported yet.
      await authority
        .setSubjectState({ subject: userId, state: 'deleted', changedAt: timestampNow() }, call)
        .catch((error: unknown) =>
          log.warn('reporting a deleted user to access failed, its event follows', {
            error,
          }),
        );
      return {};
    },
  };
}
