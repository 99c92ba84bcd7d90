import { normaliseEmail } from '@bailiwick/contract';
import type { Handlers, Pager } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Directory } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { type Database, onPool } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { botRecord } from '../bots/entities.ts';
import { findMaker } from '../bots/maker.ts';
import { provenName } from '../bots/operator-name.ts';
import { findBots, findBotsAnywhere } from '../bots/queries.ts';
import { identitiesHandlers } from '../federation/identities.ts';
import type { LockDeps } from '../locks/follow.ts';
import { lockHandler } from '../locks/lock.ts';
import { resetHandler } from '../operators/reset.ts';
import { accessHandlers } from '../operators/sessions.ts';
import type { Throttle } from '../passwords/throttle.ts';
import { userRecord } from '../users/entities.ts';
import { findUserByEmailKey, findUsers, settleEmail } from '../users/queries.ts';
import { changeHandlers } from './change.ts';
import { creationHandler } from './create.ts';
import { deletionHandler } from './delete.ts';
import { type ImportDeps, importHandler } from './import/import.ts';
import { provisioningHandlers } from './provision.ts';
import { readingHandlers } from './read.ts';

type Deps = ImportDeps &
  LockDeps & {
    authority: PeerClient<typeof Authority>;
    /** Calls access in the name of the caller. */
    ownAuthority: PeerClient<typeof Authority>;
    throttle: Throttle;
    pager: Pager;
    log: Log;
  };

export const usersHandlers = (deps: Deps): Handlers<typeof Users> => ({
  ...readingHandlers(deps),
  ...creationHandler(deps),
  ...importHandler(deps),
  ...changeHandlers(deps),
  ...lockHandler(deps),
  ...deletionHandler(deps),
  ...identitiesHandlers(deps),
  ...resetHandler(deps),
  ...accessHandlers(deps),
});

type DirectoryDeps = {
  database: Database;
  domainOwner: Pick<PeerClient<typeof DomainOwner>, 'find'>;
};

/** The Directory operations, for the other services. */
export function directoryHandlers({
  database,
  domainOwner,
}: DirectoryDeps): Handlers<typeof Directory> {
  return {
    ...provisioningHandlers({ database, domainOwner }),
    async getUsers({ ids }) {
      const users = await findUsers(database, ids);
      return { users: users.map(userRecord) };
    },
    async findUserByEmail({ email }) {
      const user = await findUserByEmailKey(
        onPool(database),
        (await settleEmail(database, normaliseEmail(email))).key,
      );
      return user ? { user: userRecord(user) } : {};
    },
    async findDomainTenant({ userId }, call) {
      const [user] = await findUsers(database, [userId]);
      if (!user?.emailVerified || !user.mailboxProven || user.status !== 'active')
        return { tenant: '' };
      const { tenant } = await domainOwner.find(
        { domain: normaliseEmail(user.email).domain },
        call,
        { signal: call.signal },
      );
      return { tenant };
    },
    async proveOperator({ userId: id, sessionId: credentialId }) {
      return { name: await provenName(database, { id, credentialId }) };
    },
    async findMaker({ tenant, credentialId }) {
      const maker = await findMaker(database, tenant, credentialId);
      return maker ?? {};
    },
    async getBots({ tenant, ids }) {
      const bots =
        tenant === ''
          ? await findBotsAnywhere(database, ids)
          : await findBots(database, tenant, ids);
      return { bots: bots.map(botRecord) };
    },
  };
}
