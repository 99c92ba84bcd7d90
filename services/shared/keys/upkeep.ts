import { serviceCaller } from '../caller.ts';
import { gauge } from '../metrics.ts';
import type { EntityManager } from '../orm.ts';
import { type Origin, recordChange } from '../outbox.ts';
import { repeat } from '../repeat.ts';
import type { Background } from '../service.ts';
import type { KeyService } from './key-service.ts';
import { countByKek, firstPlace, type KeyPlace, listDue } from './queries.ts';
import { type ResealDeps, resealSuperseded } from './reseal.ts';
import { rewrapAll } from './rewrap.ts';
import { rememberedMs } from './tenant-keys.ts';

/** A key that nothing is sealed with is kept for this long: far longer than any process remembers it. */
export const graceMs = 10 * rememberedMs;

export type UpkeepDeps = Omit<ResealDeps, 'graceMs'> & {
  service: KeyService;
  /** Has every process forget a tenant's keys. */
  forget: (tenant: string) => void;
  graceMs?: number;
  everyMs?: number;
};

const dataKeys = gauge<{ service: string; kek: string }>({
  name: 'bailiwick_dek_by_kek',
  about:
    "Data keys by the key-encryption key that wraps them. The database's: the same from every replica.",
});

const atOnce = 100;

/** Keeps the data keys of a service as they are to be: wrapped by the current key-encryption key, and replaced where that was asked for. */
export function keepUp({
  everyMs = 15_000,
  graceMs: grace = graceMs,
  ...deps
}: UpkeepDeps): Background {
  const { database, log } = deps;
  const turn = repeat({
    everyMs,
    log,
    failed: 'the data keys could not be looked after, it is tried again',
    async work(isStopped) {
      await replaceDue(deps, isStopped);
      await resealSuperseded({ ...deps, graceMs: grace }, isStopped);
      await rewrapAll(deps, isStopped);
    },
  });
  return (means) => {
    dataKeys.from(async () =>
      (await countByKek(database)).map(({ kek, count }) => ({
        value: count,
        labels: { service: database.service, kek },
      })),
    );
    return turn(means);
  };
}

async function replaceDue(
  { database, keys, forget, log }: Omit<UpkeepDeps, 'graceMs'>,
  isStopped: () => boolean,
): Promise<void> {
  const origin = { operation: { name: 'Keys_Rotate' }, caller: serviceCaller(database.service) };
  for (let after: KeyPlace | undefined = firstPlace; after && !isStopped(); ) {
    const places: KeyPlace[] = await listDue(database, after, atOnce);
    for (const { tenant, id } of places) {
      if (isStopped()) return;
      try {
        if (await keys.replace(tenant, (em, key) => recordReplaced(em, origin, tenant, key), id))
          forget(tenant);
      } catch (error) {
        log.warn('a data key could not be replaced, it is tried again', { tenant, dek: id, error });
      }
    }
    after = places.at(-1);
  }
}

/** Tells that a tenant has another data key: which one, and of none what it is. */
export function recordReplaced(
  em: EntityManager,
  origin: Origin,
  tenant: string,
  { id, previous }: { id: string; previous: string },
): void {
  recordChange(em, origin, {
    tenant,
    type: 'key.rotated',
    data: { DekID: id, Tenant: tenant },
    previous: { DekID: previous },
    targets: [{ Type: 'data_key', ID: id, Name: '' }],
  });
}
