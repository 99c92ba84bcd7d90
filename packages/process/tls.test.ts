import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ConfigurationError, readSettings } from './settings/config.ts';
import { tlsSettings } from './settings/shared.ts';
import { createLog } from './telemetry/log.ts';
import { openTls } from './tls.ts';

const log = createLog('test', () => {});
const names = { tlsCert: '', tlsKey: '', tlsCa: '' };

test('openTls needs all three files, and reports every missing one', () => {
  assert.equal(openTls(names, log), undefined);
  assert.throws(
    () => openTls({ ...names, tlsKey: '/run/key' }, log),
    (error: Error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.match(
        error.message,
        /BAILIWICK_TLS_CERT_FILE is required[^]*BAILIWICK_TLS_CA_FILE is required/,
      );
      assert.doesNotMatch(error.message, /BAILIWICK_TLS_KEY_FILE/);
      return true;
    },
  );
});

test('readSettings reports the problems of all three TLS files', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'key');
  writeFileSync(
    file,
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  );
  const environment = {
    BAILIWICK_TLS_CERT_FILE: file,
    BAILIWICK_TLS_KEY_FILE: '/nowhere',
    BAILIWICK_TLS_CA_FILE: file,
  };
  assert.throws(
    () => readSettings(tlsSettings, environment),
    (error: Error) => {
      assert.match(
        error.message,
        /CERT_FILE must hold certificates in PEM[^]*KEY_FILE names the file \/nowhere[^]*CA_FILE must hold certificates in PEM/,
      );
      assert.doesNotMatch(error.message, /PRIVATE/);
      return true;
    },
  );
});
