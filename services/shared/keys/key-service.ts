import type { Buffer } from 'node:buffer';
import { firstOf, type KeyRing, unwrapKey, wrapKey } from '../seal.ts';

// Where the key-encryption keys are: in the ring's file, or with a service that never hands them out (vault.ts). Data
// keys are bound to their context, so that one that is moved to another tenant or id does not unwrap.

/** A data key as it is stored: under the key-encryption key of that name. */
export type WrappedKey = { kek: string; wrapped: Uint8Array };

export type KeyService = {
  /** The key-encryption key that wraps at the moment. */
  current(): Promise<string>;
  /** All that it can unwrap with, the current one included. */
  keks(): Promise<readonly string[]>;
  wrap(dataKey: Uint8Array, context: readonly string[]): Promise<WrappedKey>;
  /** Throws `unavailable` while the service is away, and an Error for what it refuses to unwrap. */
  unwrap(key: WrappedKey, context: readonly string[]): Promise<Buffer>;
  close(): Promise<void>;
};

/** The key service that needs nobody else: the keys of the ring. The first one wraps. */
export function createRingService(ring: KeyRing): KeyService {
  return {
    current: () => Promise.resolve(firstOf(ring)),
    keks: () => Promise.resolve(ring.map(({ id }) => id)),
    wrap: async (dataKey, context) => wrapKey(ring, dataKey, context),
    unwrap: async ({ kek, wrapped }, context) => unwrapKey(ring, kek, wrapped, context),
    close: () => Promise.resolve(),
  };
}

/**
 * Wraps with `writer`. What it did not wrap is unwrapped by `other`, so that an installation changes from one to the
 * other as it changes from one key-encryption key to the next. `isOthers` knows the names of the other's keys.
 */
export function besides(
  writer: KeyService,
  other: KeyService,
  isOthers: (kek: string) => boolean,
): KeyService {
  return {
    current: () => writer.current(),
    keks: async () => [...(await writer.keks()), ...(await other.keks())],
    wrap: (dataKey, context) => writer.wrap(dataKey, context),
    unwrap: (key, context) => (isOthers(key.kek) ? other : writer).unwrap(key, context),
    close: async () => {
      await Promise.all([writer.close(), other.close()]);
    },
  };
}
