import { reportKeys, requestRotation } from '@bailiwick/keys';
import type { Handlers } from '@bailiwick/pipeline';
import type { IdentityKeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import { sealedRecords } from '../sealed.ts';

/** identity seals with the platform's data key only, since users belong to no tenant. */
export const dataKeysHandlers = ({
  database,
}: {
  database: Database;
}): Handlers<typeof IdentityKeys> => ({
  report: async () => {
    const { wrapped, toReplace, toReseal } = await reportKeys(database, sealedRecords, '');
    return { wrapped, toReplace, toReseal };
  },

  rotate: async (_request, call) => ({
    queued: await database.transaction({ call, tenant: null }, requestRotation),
  }),
});
