import { serviceOrigin } from '@bailiwick/contract';
import type { Database } from '@bailiwick/store';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DekEntity } from './entities.ts';
import { countByKek, countRemaining } from './queries.ts';
import { countSealed, type SealedRecord } from './reseal.ts';

/**
 * A service's report on its data keys: the number by key-encryption key, the remaining work, and
 * the keys of a tenant ("" = none).
 */
export async function reportKeys(
  database: Database,
  records: readonly SealedRecord[],
  tenant: string,
) {
  const [wrapped, remaining, dataKeys] = await Promise.all([
    countByKek(database),
    countRemaining(database),
    tenant === '' ? [] : listDataKeys(database, records, tenant),
  ]);
  return { wrapped, ...remaining, dataKeys };
}

function listDataKeys(database: Database, records: readonly SealedRecord[], tenant: string) {
  return database.transaction({ call: serviceOrigin(database.service), tenant }, async (tx) => {
    const rows = await tx.em.find(DekEntity, { tenant }, { orderBy: { id: 'asc' } });
    const listed = [];
    for (const { id, kek, createdAt, supersededAt, unusedSince } of rows)
      listed.push({
        id,
        kek,
        createdAt: timestampFromDate(createdAt),
        ...(supersededAt ? { supersededAt: timestampFromDate(supersededAt) } : {}),
        ...(unusedSince ? { unusedSince: timestampFromDate(unusedSince) } : {}),
        records: await countSealed(tx, records, { tenant, id }),
      });
    return listed;
  });
}
