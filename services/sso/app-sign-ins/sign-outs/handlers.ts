import { timeOf } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { AppSignOuts } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import type { Database } from '@bailiwick/store';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { endSignIns } from '../end.ts';
import { removeConsentsOfUser, takeOfUser } from '../queries.ts';
import {
  claimSignOuts,
  findSignOuts,
  listAppsOfMaker,
  reportSignOut,
  type SignOutRow,
} from './queries.ts';

const states: readonly string[] = ['retry', 'accepted', 'failed', 'not_notified'];

/** The rows of receipts that are about apps. */
export function signOutHandlers(
  database: Database,
): Omit<Handlers<typeof AppSignOuts>, 'signReceipt'> {
  return {
    endOfUser: ({ userId, since, until }, call) =>
      database.transaction({ call, tenant: null }, async (tx) => {
        if (!since) throw invalid('Since is required');
        const before = until ? timestampDate(until) : null;
        await endSignIns(tx, await takeOfUser(tx, userId, before));
        await removeConsentsOfUser(tx, userId, before);
        const signOuts = await claimSignOuts(tx, userId, timestampDate(since));
        const apps = await listAppsOfMaker(tx, userId);
        return {
          signOuts: signOuts.map(toMessage),
          ownRecords: apps.map((app) => ({ kind: 'app', ...app })),
        };
      }),

    async describe({ ids }) {
      return { signOuts: (await findSignOuts(database, ids)).map(toMessage) };
    },

    async report({ id, state, statusCode, message }, call) {
      if (!states.includes(state)) throw invalid('State is unknown');
      await reportSignOut(database, call, { id, state, statusCode, message });
      return {};
    },
  };
}

const toMessage = ({ endedAt, reportedAt, ...row }: SignOutRow) => ({
  ...row,
  endedAt: timeOf(endedAt),
  ...(reportedAt && { reportedAt: timeOf(reportedAt) }),
});
