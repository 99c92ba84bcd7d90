import { type Egress } from '@bailiwick/egress';
import { ServiceError } from '@bailiwick/errors';
import { type Background, repeat } from '@bailiwick/pipeline';
import { deferred, type Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import { type InferEntity, LockMode } from '@mikro-orm/core';
import { rowOf } from '../../rows.ts';
import { refuse } from '../../saml/metadata.ts';
import type { SourcedMetadata } from '../../saml/metadata-signature.ts';
import { ProviderEntity } from '../entities.ts';
import { fetchMetadata } from '../metadata.ts';
import { applyMetadata, byService, settleCertificates } from './apply.ts';
import { claimCertificates, claimMetadata, type DueMetadata, noteFailure } from './queries.ts';
import { trustedSigners } from './save.ts';

const loadSignatures = deferred(() => import('../../saml/metadata-signature.ts'));

/** Documents that one process fetches concurrently, and providers that it looks at. */
const readingsAtOnce = 10;
const settlesAtOnce = 10;

type Deps = Egress & { database: Database; publicUrl: string; log: Log; intervalMs?: number };
type ProviderKey = { tenant: string; id: string };
type Row = InferEntity<typeof ProviderEntity>;

/**
 * Reads the metadata of SAML providers daily, lets announced certificates count, removes those that
 * the metadata no longer name, and announces the expiry of the last one. Any number of replicas may
 * run it: each reading and each look is done by one replica.
 */
export function watchCertificates(deps: Deps): Background {
  return () => {
    const ended = new AbortController();
    const stop = repeat({
      everyMs: deps.intervalMs ?? 5000,
      log: deps.log,
      failed: 'reading the metadata of providers failed, retrying',
      async work(isStopped) {
        while (!isStopped() && (await settleBatch(deps)) === settlesAtOnce);
        while (!isStopped() && (await readBatch(deps, ended.signal)) === readingsAtOnce);
      },
    })();
    return () => {
      ended.abort();
      return stop();
    };
  };
}

async function settleBatch(deps: Deps): Promise<number> {
  const providers = await claimCertificates(deps.database, byService, settlesAtOnce);
  await Promise.all(
    providers.map((provider) =>
      withRow(deps, provider, (tx, row) => settleCertificates(tx, row, deps.publicUrl)),
    ),
  );
  return providers.length;
}

async function readBatch(deps: Deps, signal: AbortSignal): Promise<number> {
  const due = await claimMetadata(deps.database, byService, readingsAtOnce);
  await Promise.all(due.map((one) => readOne(deps, one, signal)));
  return due.length;
}

async function readOne(deps: Deps, due: DueMetadata, signal: AbortSignal): Promise<void> {
  try {
    const { readLaterMetadata } = await loadSignatures();
    const text = await fetchMetadata(deps, due.url, signal);
    await withRow(deps, due, (tx, row) => {
      // It was changed meanwhile, and then read.
      if (row.metadataUrl !== due.url) return;
      // Only what is signed by a key that is trusted now.
      const metadata = readLaterMetadata(text, trustedSigners(row));
      assertSameEntity(metadata, row);
      applyMetadata(tx, row, { metadata, publicUrl: deps.publicUrl });
    });
  } catch (error) {
    if (signal.aborted) return;
    // An outage of ours says nothing about the provider: it is read again in ten minutes.
    if (!(error instanceof ServiceError) || error.code !== 'invalid_argument') {
      const { tenant, id: provider } = due;
      deps.log.warn('reading the metadata of a provider failed', { tenant, provider, error });
      return;
    }
    await noteFailure(deps.database, byService, due, error.message);
  }
}

function assertSameEntity({ idpEntityId }: SourcedMetadata, row: Row): void {
  if (idpEntityId !== row.idpEntityId)
    throw refuse('is of another entity id than the provider: save the provider to change it');
}

/** Works on a locked provider, unless it was deleted meanwhile. */
function withRow(
  { database }: Deps,
  { tenant, id }: ProviderKey,
  work: (tx: Transaction, row: Row) => void,
): Promise<void> {
  return database.transaction(
    { call: byService, tenant, row: rowOf.provider(tenant, id) },
    async (tx) => {
      const row = await tx.em.findOne(
        ProviderEntity,
        { tenant, id },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (row) work(tx, row);
    },
  );
}
