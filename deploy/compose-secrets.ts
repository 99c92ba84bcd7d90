import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { ensureSecrets } from './local/secrets.ts';

/**
 * Creates the secrets that deploy/compose.yaml mounts. Existing files stay, because the database
 * holds data that these keys sealed and hashed.
 */
export function ensureComposeSecrets(folder: string): void {
  ensureSecrets(folder);
  ensureFile(join(folder, 'postgres-password'), () => randomBytes(24).toString('base64url'));
  const password = readFileSync(join(folder, 'postgres-password'), 'utf8').trim();
  ensureFile(
    join(folder, 'database-url'),
    () => `postgres://bailiwick:${password}@postgres:5432/bailiwick`,
  );
  ensureFile(join(folder, 'smtp-url'), () => 'smtp://inbox:1025');
  // The containers run as a user that this host does not know, and mount single files, so these are
  // world-readable. The folder's mode keeps the host's other users out.
  for (const path of globSync('**', { cwd: folder }).map((name) => join(folder, name)))
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  chmodSync(folder, 0o700);
}

function ensureFile(file: string, make: () => string): void {
  if (!existsSync(file)) writeFileSync(file, `${make()}\n`, { mode: 0o600 });
}

if (import.meta.main) ensureComposeSecrets(process.argv[2] ?? join(import.meta.dirname, 'secrets'));
