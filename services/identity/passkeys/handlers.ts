import { notFound } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Handlers, Pager } from '@bailiwick/pipeline';
import type { Passkeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/passkeys_pb.ts';
import { assertNoDemand, assertRecent, changeOwn, findDemands } from '../factors/changes.ts';
import { deleteCodes, findFactors } from '../factors/queries.ts';
import { rowOf } from '../rows.ts';
import { lockActive } from '../users/lock.ts';
import type { PasskeyDeps } from './deps.ts';
import { PasskeyEntity, passkeyRecord } from './entities.ts';
import { listPasskeys } from './queries.ts';
import { passkeyTarget, recordPasskey } from './records.ts';
import { registrationHandlers } from './registration.ts';

type Deps = PasskeyDeps & { pager: Pager };

export function passkeysHandlers(deps: Deps): Handlers<typeof Passkeys> {
  const { database, pager } = deps;
  return {
    ...registrationHandlers(deps),

    async list({ page }, { caller, operation }) {
      const binding = [operation.name, caller.id];
      return pager.list(
        page,
        binding,
        (query) => listPasskeys(database, caller.id, query),
        passkeyRecord,
      );
    },

    async rename({ id, name }, call) {
      const userId = call.caller.id;
      return database.transaction({ call, tenant: null, row: rowOf.user(userId) }, async (tx) => {
        const user = await lockActive(tx, userId);
        const passkey = user && (await tx.em.findOne(PasskeyEntity, { id, userId }));
        if (!passkey) throw notFound('passkey');
        if (passkey.name !== name) {
          passkey.name = name;
          // Audited only: a name is the user's own note.
          record(tx, {
            tenant: '',
            type: 'user.passkey_renamed',
            data: null,
            targets: [{ Type: 'user', ID: user.id, Name: user.email }, passkeyTarget(passkey)],
          });
        }
        return { passkey: passkeyRecord(passkey) };
      });
    },

    async delete({ id }, call) {
      await assertRecent(database, call);
      // Outside of the transaction, which holds a connection.
      const demands = await findDemands(deps, call);
      await changeOwn(database, call, async (tx, user) => {
        const passkey = await tx.em.findOne(PasskeyEntity, { id, userId: user.id });
        if (!passkey) return;
        tx.em.remove(passkey);
        await tx.em.flush();
        const factors = await findFactors(tx.query, user.id);
        if (!factors.includes('passkey')) assertNoDemand(demands, 'phishing_resistant');
        if (factors.length === 0) {
          assertNoDemand(demands, 'any');
          await deleteCodes(tx, user.id);
        }
        await recordPasskey(tx, user, passkey, 'removed');
      });
      return {};
    },
  };
}
