import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SettingTable, tlsSettings } from '@bailiwick/process';
import { processSettings, remotePeers } from './process-settings.ts';
import {
  accessPeer,
  callerSettings,
  identityPeer,
  notificationsPeer,
  verifierSettings,
} from './settings.ts';

const databaseOf = (service: string): SettingTable => ({
  databaseUrl: { env: `BAILIWICK_${service}_DATABASE_URL`, kind: 'url', about: 'A database.' },
});
const calls = { ...callerSettings, ...tlsSettings };
const tables = {
  gateway: { ...calls, ...identityPeer, ...accessPeer, ...notificationsPeer },
  identity: { ...calls, ...verifierSettings, ...databaseOf('IDENTITY'), ...accessPeer },
  access: { ...calls, ...verifierSettings, ...databaseOf('ACCESS'), ...identityPeer },
  sso: { ...calls, ...verifierSettings, ...databaseOf('SSO'), ...identityPeer },
  notifications: { ...calls, ...verifierSettings, ...databaseOf('N'), ...accessPeer },
} satisfies Record<string, SettingTable>;
const { notifications, ...served } = tables;
const hop = [calls, verifierSettings, identityPeer, accessPeer, notificationsPeer].flatMap(
  (table) => Object.keys(table),
);

test('a process with one service reads all settings of the service', () => {
  for (const [name, table] of Object.entries(tables))
    assert.deepEqual(processSettings({ [name]: table }), table, name);
});

test('a process with all services reads no setting of calls, and the database of each', () => {
  const read = Object.keys(processSettings(tables));
  assert.deepEqual(
    read.filter((name) => hop.includes(name) || name === 'rpcPort'),
    [],
  );
  assert.deepEqual(read.sort(), [
    'accessDatabaseUrl',
    'identityDatabaseUrl',
    'notificationsDatabaseUrl',
    'ssoDatabaseUrl',
  ]);
});

test('a process with some services reads the addresses of the others, and takes calls at a port beside the gateway’s', () => {
  const table = processSettings(served);
  const peers = Object.keys(table).filter(
    (name) => name.endsWith('Url') && !name.endsWith('DatabaseUrl'),
  );
  assert.deepEqual(peers, ['notificationsUrl']);
  for (const name of ['callerKey', 'callerPublicKeys', 'grpcPort', 'tlsCert', 'rpcPort'])
    assert.ok(name in table, name);
  const { gateway: _, ...services } = served;
  assert.ok(
    !('rpcPort' in processSettings({ ...services, notifications })),
    'no gateway beside them',
  );
});

test('a process in which two services call others is refused, since it has one key', () => {
  const { gateway, identity, access } = tables;
  assert.doesNotThrow(() => processSettings({ identity, access }));
  assert.throws(
    () => processSettings({ gateway, access }),
    /gateway and access would sign their calls with one key/,
  );
});

test('a service calls over the network what its process does not hold', () => {
  assert.deepEqual(remotePeers(tables.gateway, ['gateway', 'identity', 'access', 'sso']), [
    ['notifications', 'notificationsUrl'],
  ]);
  assert.deepEqual(remotePeers(tables.access, ['identity', 'access']), []);
});
