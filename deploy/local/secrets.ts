import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
} from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createToken } from '@bailiwick/contract';

export type Secrets = {
  /** The platform owner's bot key, which newcomers sign in with. */
  platformKeyFile: string;
  workerTokenFile: string;
  /**
   * Key-encryption keys: lines of `id:base64` with 32 bytes each. The first one wraps; all can
   * unwrap.
   */
  keyRingFile: string;
  publicKeysDir: string;
  callerKeyFile(service: ServiceName): string;
};

export const serviceNames = ['gateway', 'identity', 'access', 'sso', 'notifications'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** The name of the file with the installation's id. */
export const installationFile = 'installation';

/**
 * Makes missing secrets in `dir` and keeps existing ones: the database holds data that these keys
 * sealed and hashed.
 */
export function ensureSecrets(dir: string): Secrets {
  const publicKeysDir = join(dir, 'keys/public');
  mkdirSync(publicKeysDir, { recursive: true, mode: 0o700 });
  const secrets: Secrets = {
    platformKeyFile: join(dir, 'platform-key'),
    workerTokenFile: join(dir, 'worker-token'),
    keyRingFile: join(dir, 'keyring'),
    publicKeysDir,
    callerKeyFile: (service) => join(dir, 'keys', `${service}.key`),
  };
  ensureFile(secrets.platformKeyFile, () => createToken('botKey'));
  ensureFile(secrets.workerTokenFile, () => createToken('worker'));
  ensureFile(secrets.keyRingFile, () => `local-1:${randomBytes(32).toString('base64')}`);
  for (const service of serviceNames) {
    const keyFile = secrets.callerKeyFile(service);
    ensureFile(keyFile, () =>
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    );
    ensureFile(join(publicKeysDir, `${service}.pub`), () =>
      publicKeyOf(readFileSync(keyFile, 'utf8')),
    );
  }
  return secrets;
}

/**
 * The id of the installation in `dir`, which its database and its broker must carry. A folder that
 * is older than these ids gets one here.
 */
export function ensureInstallation(dir: string): string {
  const file = join(dir, installationFile);
  ensureFile(file, randomUUID);
  return readFileSync(file, 'utf8').trim();
}

function publicKeyOf(privateKey: string): string {
  return createPublicKey(createPrivateKey(privateKey))
    .export({ type: 'spki', format: 'pem' })
    .toString();
}

/** Writes to another name and renames, so that an interrupted start leaves no empty secret. */
function ensureFile(file: string, make: () => string): void {
  if (existsSync(file)) return;
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, `${make().trimEnd()}\n`, { mode: 0o600 });
  renameSync(unfinished, file);
}
