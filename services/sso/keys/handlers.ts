import type { Origin } from '@bailiwick/contract';
import { reportKeys, requestRotation, type TenantKeys } from '@bailiwick/keys';
import { type Handlers, recordReplaced } from '@bailiwick/pipeline';
import type { IdentityKeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { DataKeys } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { sealedRecords } from '../sealed.ts';

type Deps = {
  database: Database;
  keys: TenantKeys;
  forget: (tenant: string) => void;
  identityKeys: PeerClient<typeof IdentityKeys>;
  /** Replaces the keys that sign tokens, or removes them at once. */
  replaceSigningKeys: (call: Origin, options: { withdraws: boolean }) => Promise<void>;
};

/** The data keys of sso, and of identity, which has the platform's only. */
export function dataKeysHandlers(deps: Deps): Handlers<typeof DataKeys> {
  const { database, keys, forget, identityKeys } = deps;
  return {
    async report({ tenant }, call) {
      const [own, others] = await Promise.all([
        reportKeys(database, sealedRecords, tenant),
        identityKeys.report({}, call, { signal: call.signal }),
      ]);
      return {
        wrapped: [...own.wrapped, ...others.wrapped],
        toReplace: own.toReplace + others.toReplace,
        toReseal: own.toReseal + others.toReseal,
        // identity seals for no tenant.
        dataKeys: own.dataKeys,
      };
    },

    async rotate({ tenant, withdrawSigningKeys: withdraws }, call) {
      if (tenant === '') {
        // First, so that no outage of identity delays the withdrawal of a leaked key.
        await deps.replaceSigningKeys(call, { withdraws });
        const others = await identityKeys.rotate({}, call, { signal: call.signal });
        const queued = await database.transaction({ call, tenant: null }, requestRotation);
        return { queued: queued + others.queued, withdrawn: withdraws };
      }
      const replaced = await keys.replace(call, tenant, (tx, key) =>
        recordReplaced(tx, tenant, key),
      );
      if (replaced !== undefined) forget(tenant);
      return { replaced: replaced !== undefined };
    },
  };
}
