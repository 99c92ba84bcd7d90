import { notFound, unavailable } from '@bailiwick/errors';
import {
  firstOf,
  type KeyRing,
  type KeyService,
  reportKeys,
  requestRotation,
  type TenantKeys,
} from '@bailiwick/keys';
import { record } from '@bailiwick/outbox';
import { type Call, type Handlers, recordReplaced } from '@bailiwick/pipeline';
import type { Keys } from '@bailiwick/proto/gen/bailiwick/notifications/v1/keys_pb.ts';
import type { DataKeys } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { sealedRecords } from '../sealed.ts';

export type KeysDeps = {
  database: Database;
  keys: TenantKeys;
  /**
   * The data keys of sso: an operator needs the status of all data keys before removing a
   * key-encryption key.
   */
  ssoKeys: PeerClient<typeof DataKeys>;
  service: KeyService;
  ring: KeyRing;
  forget: (tenant: string) => void;
};

export function keysHandlers(deps: KeysDeps): Handlers<typeof Keys> {
  const { database, keys, ssoKeys, forget } = deps;
  return {
    status: ({ tenant }, call) => statusOf(deps, tenant, call),

    async rotate({ tenant, withdrawSigningKeys }, call) {
      const request = { tenant, withdrawSigningKeys };
      const others = await ssoKeys.rotate(request, call, { signal: call.signal });
      if (withdrawSigningKeys && !others.withdrawn)
        throw unavailable('an older version of sso is running');
      if (tenant === '') return { queued: await rotateAll(database, call, others) };
      const dekId = await keys.replace(call, tenant, (tx, key) => recordReplaced(tx, tenant, key));
      if (dekId === undefined && !others.replaced) throw notFound('data key');
      forget(tenant);
      return { dekId: dekId ?? '' };
    },
  };
}

async function statusOf(
  { database, ssoKeys, service, ring }: KeysDeps,
  tenant: string,
  call: Call,
) {
  const reports = Promise.all([
    reportKeys(database, sealedRecords, tenant),
    ssoKeys.report({ tenant }, call, { signal: call.signal }),
  ]);
  const [current, available, [own, others]] = await Promise.all([
    service.current(),
    service.keks(),
    reports,
  ]);
  const counts = new Map<string, number>();
  for (const { kek, count } of [...own.wrapped, ...others.wrapped])
    counts.set(kek, (counts.get(kek) ?? 0) + count);
  // The ring's first key is always needed, whichever key wraps the data keys.
  const needed = [current, firstOf(ring)];
  const keyEncryptionKeys = [...new Set([...available, ...counts.keys()])].sort().map((id) => {
    const dataKeys = counts.get(id) ?? 0;
    return {
      id,
      current: id === current,
      available: available.includes(id),
      dataKeys,
      removable: dataKeys === 0 && !needed.includes(id),
    };
  });
  return {
    keyEncryptionKeys,
    toRewrap: [...counts].reduce((sum, [kek, count]) => sum + (kek === current ? 0 : count), 0),
    toReplace: own.toReplace + others.toReplace,
    toReseal: own.toReseal + others.toReseal,
    dataKeys: [...own.dataKeys, ...others.dataKeys],
  };
}

/** Requests the rotation of all data keys. Returns their number, those of sso included. */
function rotateAll(
  database: Database,
  call: Call,
  { queued, withdrawn }: { queued: number; withdrawn: boolean },
): Promise<number> {
  return database.transaction({ call, tenant: null }, async (tx) => {
    const count = (await requestRotation(tx)) + queued;
    record(tx, {
      tenant: '',
      type: 'key.rotation_requested',
      data: { Queued: count, ...(withdrawn && { SigningKeysWithdrawn: true }) },
      targets: [],
    });
    return count;
  });
}
