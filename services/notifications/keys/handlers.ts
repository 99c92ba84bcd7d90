import type { Keys } from '@bailiwick/proto/gen/bailiwick/notifications/v1/keys_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { notFound } from '@bailiwick/shared/errors.ts';
import { DekEntity } from '@bailiwick/shared/keys/entities.ts';
import type { KeyService } from '@bailiwick/shared/keys/key-service.ts';
import { countByKek, countRemaining, requestRotation } from '@bailiwick/shared/keys/queries.ts';
import { countSealed } from '@bailiwick/shared/keys/reseal.ts';
import type { TenantKeys } from '@bailiwick/shared/keys/tenant-keys.ts';
import { recordReplaced } from '@bailiwick/shared/keys/upkeep.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { sealedRecords } from '../sealed.ts';

export type KeysDeps = {
  database: Database;
  keys: TenantKeys;
  service: KeyService;
  /** The ring's first key: it is needed whatever wraps the data keys. */
  ringKey: string;
  forget: (tenant: string) => void;
};

export function keysHandlers({ database, keys, service, ringKey, forget }: KeysDeps): Handlers<typeof Keys> {
  return {
    async status({ tenant }) {
      const [current, available, counted, remaining] = await Promise.all([service.current(), service.keks(), countByKek(database), countRemaining(database)]);
      const counts = new Map(counted.map(({ kek, count }) => [kek, count]));
      const keyEncryptionKeys = [...new Set([...available, ...counts.keys()])].sort().map((id) => {
        const dataKeys = counts.get(id) ?? 0;
        const isNeeded = dataKeys > 0 || id === current || id === ringKey;
        return { id, current: id === current, available: available.includes(id), dataKeys, removable: !isNeeded };
      });
      const toRewrap = counted.reduce((sum, { kek, count }) => sum + (kek === current ? 0 : count), 0);
      return { keyEncryptionKeys, toRewrap, ...remaining, dataKeys: tenant === '' ? [] : await listDataKeys(database, tenant) };
    },

    async rotate({ tenant }, call) {
      if (tenant === '') {
        const queued = await database.transaction(null, async (em) => {
          const count = await requestRotation(em);
          recordChange(em, call, { tenant: '', type: 'key.rotation_requested', data: { Queued: count }, targets: [] });
          return count;
        });
        return { queued };
      }
      const dekId = await keys.replace(tenant, (em, key) => recordReplaced(em, call, tenant, key));
      if (dekId === undefined) throw notFound('data key');
      forget(tenant);
      return { dekId };
    },
  };
}

function listDataKeys(database: Database, tenant: string) {
  return database.transaction(tenant, async (em) => {
    const rows = await em.find(DekEntity, { tenant }, { orderBy: { id: 'asc' } });
    const listed = [];
    for (const { id, kek, createdAt, supersededAt, unusedSince } of rows)
      listed.push({
        id,
        kek,
        createdAt: timestampFromDate(createdAt),
        ...(supersededAt ? { supersededAt: timestampFromDate(supersededAt) } : {}),
        ...(unusedSince ? { unusedSince: timestampFromDate(unusedSince) } : {}),
        records: await countSealed(em, sealedRecords, { tenant, id }),
      });
    return listed;
  });
}
