import { serviceOrigin } from '@bailiwick/contract';
import {
  countByKek,
  firstPlace,
  type KeyPlace,
  type KeyService,
  keyLifetimeMs,
  listDue,
  type ResealDeps,
  resealSuperseded,
  rewrapAll,
} from '@bailiwick/keys';
import { record } from '@bailiwick/outbox';
import { gauge } from '@bailiwick/process';
import type { Transaction } from '@bailiwick/store';
import { type Background, repeat } from './repeat.ts';

/** Grace period of an unused key: far longer than any process caches it. */
const graceMs = 10 * keyLifetimeMs;

export type UpkeepDeps = Omit<ResealDeps, 'graceMs'> & {
  service: KeyService;
  /** Drops a tenant's keys from the caches of all processes. */
  forget: (tenant: string) => void;
  graceMs?: number;
  everyMs?: number;
};

const dataKeys = gauge<{ service: string; kek: string }>({
  name: 'bailiwick_dek_by_kek',
  about:
    'Data keys by the key-encryption key that wraps them. Read from the database: each replica reports the same value.',
});

const atOnce = 100;

/**
 * Maintains a service's data keys: replaces those that are due, reseals values of superseded keys,
 * and rewraps with the current key-encryption key.
 */
export function maintainDataKeys({
  everyMs = 15_000,
  graceMs: grace = graceMs,
  ...deps
}: UpkeepDeps): Background {
  const { database, log } = deps;
  const turn = repeat({
    everyMs,
    log,
    failed: 'maintaining data keys failed, retrying',
    async work(isStopped) {
      await replaceDue(deps, isStopped);
      await resealSuperseded({ ...deps, graceMs: grace }, isStopped);
      await rewrapAll(deps, isStopped);
    },
  });
  return () => {
    dataKeys.from(async () =>
      (await countByKek(database)).map(({ kek, count }) => ({
        value: count,
        labels: { service: database.service, kek },
      })),
    );
    return turn();
  };
}

async function replaceDue(
  { database, keys, forget, log }: Omit<UpkeepDeps, 'graceMs'>,
  isStopped: () => boolean,
): Promise<void> {
  const origin = serviceOrigin(database.service, 'Keys_Rotate');
  for (let after: KeyPlace | undefined = firstPlace; after && !isStopped(); ) {
    const places: KeyPlace[] = await listDue(database, after, atOnce);
    for (const { tenant, id } of places) {
      if (isStopped()) return;
      try {
        if (await keys.replace(origin, tenant, (tx, key) => recordReplaced(tx, tenant, key), id))
          forget(tenant);
      } catch (error) {
        log.warn('replacing a data key failed, retrying', { tenant, dek: id, error });
      }
    }
    after = places.at(-1);
  }
}

/** Records the event of a replaced data key, with key ids and no key material. */
export function recordReplaced(
  tx: Transaction,
  tenant: string,
  { id, previous }: { id: string; previous: string },
): void {
  record(tx, {
    tenant,
    type: 'key.rotated',
    data: { DekID: id, Tenant: tenant },
    previous: { DekID: previous },
    targets: [{ Type: 'data_key', ID: id, Name: '' }],
  });
}
