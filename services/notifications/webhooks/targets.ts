import type { Loaded, RightsCache } from '@bailiwick/broker';
import { createBatch } from '@bailiwick/contract';
import { keyLifetimeMs, type TenantKeys } from '@bailiwick/keys';
import type { Database } from '@bailiwick/store';
import { previousSecretContext, secretContext } from './api-record.ts';
import { type DeliveryTarget, type EndpointKey, findDeliveryTargets } from './queries.ts';
import { openUrl } from './url.ts';

// Where deliveries go. An active endpoint is cached with its opened secrets, until a change of it
// revokes its key: the reply of that call waits until no process begins a delivery with the old
// values.

/** The URL and the secrets of an endpoint, opened. */
type Address = { url: string; secrets: readonly string[] };

/** An endpoint as deliveries see it. `open` is for one that is not active. */
export type Target = { active: boolean; open: () => Promise<Address> };

export type FindTarget = (key: EndpointKey) => Promise<Target | undefined>;

type Deps = {
  database: Database;
  keys: TenantKeys;
  rightsCache: RightsCache;
};

/** From so many look-ups a second on, the cache saves more statements than its lease costs. */
const busyFrom = 5;

/** Counts a look-up. Returns whether there are many, in this second or in the last one. */
function createLoadMeter(): () => boolean {
  let second = 0;
  let [current, last] = [0, 0];
  return () => {
    const present = Math.floor(performance.now() / 1000);
    if (present !== second) {
      last = present === second + 1 ? current : 0;
      [second, current] = [present, 0];
    }
    return ++current > busyFrom || last > busyFrom;
  };
}

/** About what an address takes in the cache, with its name and keys. */
const bytesOf = ({ url, secrets }: Address): number => 2048 + url.length + secrets.join('').length;

/**
 * Finds endpoints, in the cache while there are many deliveries. Those that are looked up at the
 * same time share a statement.
 */
export function targetFinder({ database, keys, rightsCache }: Deps): FindTarget {
  const find = createBatch(
    (requested: readonly EndpointKey[]) => findDeliveryTargets(database, requested),
    { atOnce: 1, restMs: 2 },
  );

  async function load(key: EndpointKey): Promise<Loaded<Address | DeliveryTarget | undefined>> {
    const row = await find(key);
    // An endpoint that is gone, or inactive, has few deliveries.
    if (!row?.active) return { value: row, keys: [], lastsMs: 0 };
    const address = await openTarget(keys, key, row);
    return {
      value: address,
      keys: [`credential:${key.endpoint}`],
      // Secrets stay in memory as long as the data keys that open them. Such a key may itself have
      // been cached for as long before.
      lastsMs: Math.min(row.unchangedMs ?? keyLifetimeMs, keyLifetimeMs),
      bytes: bytesOf(address),
    };
  }

  const isBusy = createLoadMeter();
  return async (key) => {
    const cached = () =>
      rightsCache.getOrLoad(`endpoint ${key.tenant} ${key.endpoint}`, () => load(key));
    const target = await (isBusy() ? cached() : find(key));
    if (!target) return undefined;
    if ('secrets' in target) return { active: true, open: async () => target };
    return { active: target.active, open: () => openTarget(keys, key, target) };
  };
}

/** The URL and the signing secrets: the current one and, in its grace period, the previous one. */
async function openTarget(
  keys: TenantKeys,
  { tenant, endpoint }: EndpointKey,
  row: DeliveryTarget,
): Promise<Address> {
  const { dekId, secretEnc, previousSecretEnc } = row;
  const url = await openUrl(keys, { tenant, id: endpoint }, row);
  const open = async (sealed: Uint8Array, context: readonly string[]) =>
    (await keys.open(tenant, { dekId, sealed }, context)).toString();
  const secrets = [await open(secretEnc, secretContext(endpoint))];
  if (previousSecretEnc)
    secrets.push(await open(previousSecretEnc, previousSecretContext(endpoint)));
  return { url, secrets };
}
