import { Buffer } from 'node:buffer';
import type { KeyService } from './key-service.ts';
import { additionalData } from './seal.ts';
import type { VaultCalls } from './vault-calls.ts';

// HashiCorp Vault's transit engine as the key service, by its HTTP API
// (https://developer.hashicorp.com/vault/api-docs/secret/transit). The key-encryption key never
// leaves Vault. The context is passed as `associated_data`, which Vault's `rewrap` does not
// support: a data key is rewrapped by unwrapping and wrapping it.

type Options = { calls: VaultCalls; mount: string; key: string };

/** The key types that support associated data. */
const types = ['aes256-gcm96', 'aes128-gcm96', 'chacha20-poly1305'];

/**
 * Whether a key-encryption key is Vault's: `vault:<mount>/<key>:v<version>`. Ring key names cannot
 * have this form.
 */
export const isVaultKek = (kek: string): boolean => kek.startsWith('vault:');

/** A key service with one key of a transit engine. Each version of it is a key-encryption key. */
export function createVaultService({ calls, mount, key }: Options): KeyService {
  const kekOf = (version: number | string) => `vault:${mount}/${key}:v${version}`;
  // The version is known only after wrapping, so it cannot be bound; the ciphertext itself names
  // it.
  const boundTo = (context: readonly string[]) =>
    additionalData(['dek', `vault:${mount}/${key}`, ...context]).toString('base64');

  async function readKey(): Promise<{ latest: number; oldest: number }> {
    const {
      type,
      latest_version: latest,
      min_decryption_version: oldest,
    } = await calls.get(`${mount}/keys/${key}`);
    if (typeof type !== 'string' || !types.includes(type))
      throw new Error(`the transit key must be of one of the types ${types.join(', ')}`);
    if (typeof latest !== 'number' || typeof oldest !== 'number')
      throw new Error('the key service does not say which versions of the key there are');
    return { latest, oldest };
  }

  return {
    current: async () => kekOf((await readKey()).latest),

    async keks() {
      const { latest, oldest } = await readKey();
      const first = Math.max(1, oldest);
      return Array.from({ length: latest - first + 1 }, (_, index) => kekOf(latest - index));
    },

    async wrap(dataKey, context) {
      const plaintext = Buffer.from(dataKey).toString('base64');
      const { ciphertext } = await calls.post(`${mount}/encrypt/${key}`, {
        plaintext,
        associated_data: boundTo(context),
      });
      const version =
        typeof ciphertext === 'string' ? /^vault:v(\d{1,9}):/.exec(ciphertext)?.[1] : undefined;
      if (typeof ciphertext !== 'string' || version === undefined)
        throw new Error('the key service did not answer with a ciphertext');
      return { kek: kekOf(version), wrapped: Buffer.from(ciphertext) };
    },

    async unwrap({ kek, wrapped }, context) {
      const ciphertext = Buffer.from(wrapped).toString();
      const version = /^vault:v(\d{1,9}):/.exec(ciphertext)?.[1];
      if (version === undefined || kek !== kekOf(version))
        throw new Error(`the data key was not wrapped by a key of this service: ${kek}`);
      const { plaintext } = await calls.post(`${mount}/decrypt/${key}`, {
        ciphertext,
        associated_data: boundTo(context),
      });
      const dataKey = Buffer.from(typeof plaintext === 'string' ? plaintext : '', 'base64');
      if (dataKey.length !== 32) throw new Error('the key service did not answer with a data key');
      return dataKey;
    },

    close: () => calls.close(),
  };
}
