import { type Database } from '@bailiwick/database';
import { reportKeys, requestRotation, type TenantKeys } from '@bailiwick/keys';
import type { DataKeys } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { type Handlers } from '@bailiwick/rpc';
import { recordReplaced } from '@bailiwick/service';
import { sealedRecords } from '../sealed.ts';

type Deps = { database: Database; keys: TenantKeys; forget: (tenant: string) => void };

export function dataKeysHandlers({ database, keys, forget }: Deps): Handlers<typeof DataKeys> {
  return {
    report: ({ tenant }) => reportKeys(database, sealedRecords, tenant),

    async rotate({ tenant }, call) {
      if (tenant === '') return { queued: await database.transaction(null, requestRotation) };
      const replaced = await keys.replace(tenant, (em, key) =>
        recordReplaced(em, call, tenant, key),
      );
      if (replaced !== undefined) forget(tenant);
      return { replaced: replaced !== undefined };
    },
  };
}
