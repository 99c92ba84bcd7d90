import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tokenKind } from '@bailiwick/contract';
import { parseKeyRing } from '@bailiwick/keys';
import { ensureSecrets, serviceNames } from './secrets.ts';
import { temporaryFolder } from './testing.ts';

function readAll(dir: string): Record<string, string> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => [
      join(entry.parentPath, entry.name),
      readFileSync(join(entry.parentPath, entry.name), 'utf8'),
    ]),
  );
}

test('ensureSecrets makes tokens, a key ring and keys that the services accept', (t) => {
  const secrets = ensureSecrets(temporaryFolder(t));
  assert.equal(tokenKind(readFileSync(secrets.platformKeyFile, 'utf8').trim()), 'botKey');
  assert.equal(tokenKind(readFileSync(secrets.workerTokenFile, 'utf8').trim()), 'worker');
  assert.equal(parseKeyRing(readFileSync(secrets.keyRingFile, 'utf8')).length, 1);
  for (const service of serviceNames) {
    const signature = sign(
      null,
      Buffer.from('call'),
      createPrivateKey(readFileSync(secrets.callerKeyFile(service))),
    );
    const publicKey = createPublicKey(readFileSync(join(secrets.publicKeysDir, `${service}.pub`)));
    assert.ok(verify(null, Buffer.from('call'), publicKey, signature));
  }
});

test('ensureSecrets never overwrites, and makes files that only the owner can read', (t) => {
  const dir = temporaryFolder(t);
  ensureSecrets(dir);
  const before = readAll(dir);
  ensureSecrets(dir);
  assert.deepEqual(readAll(dir), before);
  assert.equal(Object.keys(before).length, 3 + 2 * serviceNames.length);
  for (const file of Object.keys(before)) assert.equal(statSync(file).mode & 0o777, 0o600, file);
});
