import type { DataKeys } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { requestRotation } from '@bailiwick/shared/keys/queries.ts';
import { reportKeys } from '@bailiwick/shared/keys/report.ts';
import type { TenantKeys } from '@bailiwick/shared/keys/tenant-keys.ts';
import { recordReplaced } from '@bailiwick/shared/keys/upkeep.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
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
