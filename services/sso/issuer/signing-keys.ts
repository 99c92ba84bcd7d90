import { Buffer } from 'node:buffer';
import { generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createCache, leaseMs } from '@bailiwick/broker';
import type { Origin } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import { recordRevocation } from '@bailiwick/outbox';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { type Database, lockName } from '@bailiwick/store';
import type { JWK } from 'oidc-provider';
import { rowOf } from '../rows.ts';
import {
  addSigningKey,
  hasSigningKey,
  listSigningKeys,
  listSigningKeysIn,
  removeOldSigningKeys,
  removeSigningKeys,
  type SigningKeyRow,
} from './queries.ts';
import { byIssuer } from './request.ts';

// The keys that sign tokens. A new key is published a day before it signs, so that every verifier
// has fetched it, and stays published for days after the next one took over.

type Deps = { database: Database; keys: TenantKeys; log: Log };

const dayMs = 24 * 60 * 60_000;
const rotateAfterMs = 90 * dayMs;
const publishedAheadMs = dayMs;
/** The same for a key that an operator asked for. */
const publishedSoonMs = 5 * 60_000;
const publishedAfterDays = 2;
/** How long a process may use the keys that it has read. */
const freshMs = 5000;

const pair = promisify(generateKeyPair);
const makers: Record<string, () => Promise<{ privateKey: KeyObject }>> = {
  RS256: () => pair('rsa', { modulusLength: 2048 }),
  ES256: () => pair('ec', { namedCurve: 'P-256' }),
};

export function createSigningKeys(deps: Deps) {
  const { database } = deps;
  const cached = createCache<JWK[]>({ size: 1, lifetimeMs: freshMs });

  async function load(): Promise<JWK[]> {
    const rows = await listSigningKeys(database);
    if (missingAlgorithms(rows).length === 0) return openAll(deps, rows);
    await addKeys(deps, byIssuer, missingAlgorithms, new Date());
    return openAll(deps, await listSigningKeys(database));
  }

  return {
    /** The private keys. The key that signs now comes first among those of its algorithm. */
    current: (): Promise<JWK[]> => cached.getOrLoad('keys', load),
    /** Whether a key still is one, read from the database: those of `current` are seconds old. */
    has: (id: string): Promise<boolean> => hasSigningKey(database, id),
  };
}

/** Replaces the keys on demand: the new ones sign in five minutes. */
export function replaceSigningKeys(deps: Deps, call: Origin): Promise<void> {
  const signsFrom = new Date(Date.now() + publishedSoonMs);
  // A repeated call finds the keys of the first one and adds none.
  const withoutNext = (rows: readonly SigningKeyRow[]) =>
    Object.keys(makers).filter(
      (name) => !rows.some((row) => row.algorithm === name && isNext(row, signsFrom)),
    );
  return addKeys(deps, call, withoutNext, signsFrom);
}

/**
 * Removes the keys of which one has leaked, and adds others that sign at once. Returns when no
 * process uses the old ones. The reply also waits until no gateway has a token of theirs in its
 * cache; one of the previous version keeps it for a lease.
 */
export async function withdrawSigningKeys(deps: Deps, call: Origin): Promise<void> {
  const { database, log } = deps;
  const newKeys = await makeKeys(deps, Object.keys(makers), new Date());
  await database.transaction({ call, tenant: '' }, async (tx) => {
    await lockName(tx, rowOf.signingKeys());
    await removeSigningKeys(tx);
    recordRevocation(tx, ['issuer:keys']);
    for (const key of newKeys) await addSigningKey(tx, key);
  });
  log.warn('withdrew the signing keys', { keys: newKeys.map(({ id }) => id) });
  await pause(freshMs + leaseMs);
}

const isNext = ({ signsFrom }: SigningKeyRow, until: Date): boolean =>
  new Date(signsFrom) > new Date() && new Date(signsFrom) <= until;

/** Adds the next keys ahead of time, and removes keys whose tokens have all expired. */
export const rotateSigningKeys = (deps: Deps): Background =>
  repeat({
    everyMs: 60 * 60_000,
    log: deps.log,
    failed: 'rotating the signing keys failed',
    async work() {
      await addKeys(deps, byIssuer, agedAlgorithms, new Date(Date.now() + publishedAheadMs));
      await deps.database.transaction({ call: byIssuer, tenant: '' }, (tx) =>
        removeOldSigningKeys(tx, publishedAfterDays),
      );
    },
  });

const missingAlgorithms = (rows: readonly SigningKeyRow[]): string[] =>
  Object.keys(makers).filter((name) => rows.every(({ algorithm }) => algorithm !== name));

/** The algorithms whose newest key is old. */
const agedAlgorithms = (rows: readonly SigningKeyRow[]): string[] =>
  Object.keys(makers).filter((name) => {
    const newest = rows.find(({ algorithm }) => algorithm === name);
    return newest && Date.now() - new Date(newest.createdAt).getTime() > rotateAfterMs;
  });

/** Adds a key of each algorithm that `algorithmsFor` names. Several processes may call it at once. */
async function addKeys(
  deps: Deps,
  call: Origin,
  algorithmsFor: (rows: readonly SigningKeyRow[]) => string[],
  signsFrom: Date,
): Promise<void> {
  const { database, log } = deps;
  const newKeys = await makeKeys(deps, algorithmsFor(await listSigningKeys(database)), signsFrom);
  if (newKeys.length === 0) return;
  await database.transaction({ call, tenant: '' }, async (tx) => {
    await lockName(tx, rowOf.signingKeys());
    const algorithms = algorithmsFor(await listSigningKeysIn(tx));
    for (const key of newKeys) {
      if (!algorithms.includes(key.algorithm)) continue;
      await addSigningKey(tx, key);
      log.info('made a signing key', { key: key.id, algorithm: key.algorithm, signsFrom });
    }
  });
}

const makeKeys = ({ keys }: Deps, algorithms: readonly string[], signsFrom: Date) =>
  Promise.all(
    algorithms.map(async (algorithm) => {
      const id = randomBytes(9).toString('base64url');
      const key = await makers[algorithm]?.();
      const plain = Buffer.from(JSON.stringify(key?.privateKey.export({ format: 'jwk' })));
      const { dekId, sealed } = await keys.seal('', plain, [id, 'key']);
      return { id, algorithm, dekId, keyEnc: sealed, signsFrom };
    }),
  );

async function openAll({ keys }: Deps, rows: readonly SigningKeyRow[]): Promise<JWK[]> {
  const now = Date.now();
  const signs = rows.filter(({ signsFrom }) => new Date(signsFrom).getTime() <= now);
  const waiting = rows.filter((row) => !signs.includes(row));
  // The rows are newest first.
  return Promise.all(
    [...signs, ...waiting].map(async ({ id, algorithm, dekId, keyEnc }) => {
      const plain = await keys.open('', { dekId, sealed: keyEnc }, [id, 'key']);
      const key = JSON.parse(plain.toString()) as JWK;
      return { ...key, kid: id, alg: algorithm, use: 'sig' };
    }),
  );
}
