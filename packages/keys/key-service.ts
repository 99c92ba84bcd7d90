import type { Buffer } from 'node:buffer';
import { firstOf, type KeyRing, unwrapKey, wrapKey } from './seal.ts';

// The key service holds the key-encryption keys: in the key ring file, or in a service that never
// reveals them (vault.ts). Data keys are bound to their context: one that is moved to another
// tenant or id does not unwrap.

/** A stored data key, wrapped by the named key-encryption key. */
type WrappedKey = { kek: string; wrapped: Uint8Array };

/** Wraps and unwraps data keys. */
export type KeyService = {
  /** The key-encryption key that currently wraps. */
  current(): Promise<string>;
  /** All key-encryption keys that can unwrap, including the current one. */
  keks(): Promise<readonly string[]>;
  wrap(dataKey: Uint8Array, context: readonly string[]): Promise<WrappedKey>;
  /**
   * @throws `unavailable` while the service is away, and an Error for a key that it refuses to
   * unwrap
   */
  unwrap(key: WrappedKey, context: readonly string[]): Promise<Buffer>;
  close(): Promise<void>;
};

/** A local key service: the keys of the ring. The first one wraps. */
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
 * Wraps with `writer`, and unwraps with the service that wrapped. An installation migrates from one
 * service to the other as it rotates a key-encryption key. `isOthers` recognises the other's key
 * names.
 */
export function withFallback(
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
