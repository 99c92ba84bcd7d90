import { type Database } from '@bailiwick/database';
import { deadToken } from '@bailiwick/errors';
import type { Account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { type Handlers } from '@bailiwick/rpc';
import { tokenHash, tokenKind } from '@bailiwick/values';
import { lockActive } from '../users/lock.ts';
import { beginSession } from './begin.ts';
import { consumeCode, findCodeUser } from './queries.ts';

/** Exchanges the code that a user brought to an application for a session. */
export function exchangeHandler({
  database,
}: {
  database: Database;
}): Pick<Handlers<typeof Account>, 'exchangeCode'> {
  return {
    async exchangeCode({ code }, call) {
      if (tokenKind(code) !== 'code') throw deadToken();
      const hash = tokenHash(code);
      return database.transaction({ tenant: null, row: `code ${code}` }, async (em) => {
        const user = await lockActive(em, (await findCodeUser(em, hash)) ?? '');
        // A page of another origin does not consume the code, so that the intended page still can.
        const from = user && (await consumeCode(em, hash, call.caller.origin));
        if (!user || !from) throw deadToken();
        return beginSession(em, call, user, from);
      });
    },
  };
}
