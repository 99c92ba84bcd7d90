import { type SettingTable, tlsSettings } from '@bailiwick/process';
import { callerSettings, peers, rpcPortSettings, verifierSettings } from './settings.ts';

// A process holds one service, several, or the gateway and services. It reads the settings of what
// it holds.

const everyPart = ['gateway', 'identity', 'access', 'sso', 'notifications'];

/** Whether services of other processes may call a process that holds these. */
export const isCalled = (names: readonly string[]): boolean =>
  names.some((name) => name !== 'gateway') && everyPart.some((name) => !names.includes(name));

/** The services that a table has addresses of, each with the name of that setting. */
const peersIn = (table: SettingTable): Array<[service: string, setting: string]> =>
  Object.keys(table)
    .filter((name) => Object.hasOwn(peers, name))
    .map((name) => [name.replace(/Url$/, ''), name]);

/** The peers of a service that its process does not hold. */
export const remotePeers = (table: SettingTable, names: readonly string[]) =>
  peersIn(table).filter(([service]) => !names.includes(service));

/**
 * The settings of a process that holds these services: of the calls between processes only those
 * that it makes or takes. Several services may each have a database of their own.
 */
export function processSettings(tables: Readonly<Record<string, SettingTable>>): SettingTable {
  const names = Object.keys(tables);
  const calling = names.filter((name) => remotePeers(tables[name] ?? {}, names).length > 0);
  if (calling.length > 1)
    throw new Error(
      `${calling.join(' and ')} would sign their calls with one key: a process has one`,
    );
  const joined: SettingTable = {};
  for (const [service, table] of Object.entries(tables)) {
    const unused = unusedIn(service, table, names);
    for (const [name, setting] of Object.entries(table))
      if (!unused.has(name)) joined[nameIn(names, service, name)] = setting;
  }
  return names.includes('gateway') && isCalled(names) ? { ...joined, ...rpcPortSettings } : joined;
}

/** The settings that each service of a process has for itself. */
export const ownSettings = ['databaseUrl', 'databaseReadUrl'];

/** The name of a service's setting in its process. */
export const nameIn = (names: readonly string[], service: string, name: string): string =>
  ownSettings.includes(name) && names.length > 1
    ? `${service}${name.charAt(0).toUpperCase()}${name.slice(1)}`
    : name;

function unusedIn(service: string, table: SettingTable, names: readonly string[]): Set<string> {
  const makesCalls = remotePeers(table, names).length > 0;
  const takesCalls = service !== 'gateway' && isCalled(names);
  return new Set([
    ...peersIn(table).flatMap(([peer, name]) => (names.includes(peer) ? [name] : [])),
    ...(makesCalls ? [] : Object.keys(callerSettings)),
    ...(takesCalls ? [] : Object.keys(verifierSettings)),
    ...(makesCalls || takesCalls ? [] : Object.keys(tlsSettings)),
  ]);
}
