import type { Call } from '@bailiwick/pipeline';
import type { SsoDeleteProviderRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import { recordProviderEvent } from './api-record.ts';
import type { ProviderDeps } from './deps.ts';
import { ProviderEntity } from './entities.ts';
import { forgetProvider } from './forget.ts';
import { assertNotLastProvider, requiresSso } from './last-provider.ts';
import { findProvider } from './queries.ts';

/** Deletes a provider, and ends its sessions and grants. */
export async function deleteProvider(
  deps: ProviderDeps,
  { tenant, id }: SsoDeleteProviderRequest,
  call: Call,
): Promise<void> {
  const { database, publicUrl } = deps;
  const isRequired = await requiresSso(deps, tenant, call);
  const isDeleted = await database.transaction(
    { call, tenant, row: rowOf.provider(tenant, id) },
    async (tx) => {
      const row = await tx.em.findOne(
        ProviderEntity,
        { tenant, id },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!row) return false;
      await assertNotLastProvider(tx, row, isRequired);
      tx.em.remove(row);
      recordProviderEvent(tx, 'sso_provider.deleted', { row, publicUrl });
      return true;
    },
  );
  // Only if no provider with this id is left, because the id may be another tenant's. A
  // repeated call does this again: the first one may have failed.
  if (isDeleted || !(await findProvider(database, tenant, id)))
    await forgetProvider(deps, tenant, id, call);
}
