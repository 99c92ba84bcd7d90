import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Refusal } from './failure.ts';
import { takeLock } from './lock.ts';

// The stored sessions, in a file that only the user can read. A token is sent only to the address that issued it.

type Sessions = {
  /** The default address. */
  Current: string;
  Tokens: Record<string, string>;
  /** How the token of an address is renewed. Absent for a session token and for a bot key, which last longer. */
  Renewals: Record<string, Renewal>;
  /** The ID of the default tenant at each address. */
  Tenants: Record<string, string>;
};

/** The refresh token of a sign-in with the browser, and when its present token ends. */
export type Renewal = { RefreshToken: string; ExpiresAt: string };

/** A token with its renewal. */
export type Renewed = { token: string; renewal: Renewal };

const empty: Sessions = { Current: '', Tokens: {}, Renewals: {}, Tenants: {} };

export function sessionsFile(): string {
  return path.join(
    process.env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config'),
    'bailiwick',
    'sessions.json',
  );
}

export function readSessions(): Sessions {
  const file = sessionsFile();
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  if (mode === undefined) return empty;
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new Refusal(`others can read ${file}: chmod 600 it, or sign in again after deleting it`);
  try {
    return { ...empty, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Sessions>) };
  } catch {
    throw new Refusal(`${file} is not readable as JSON: delete it and sign in again`);
  }
}

/** Stores a token and makes its address the default; without a token, removes it. The address's default tenant is removed: it belonged to the previous user. */
export const keepSession = (
  url: string,
  token: string | undefined,
  renewal?: Renewal,
): Promise<void> =>
  changeSessions((sessions) => ({
    Current: token === undefined ? sessions.Current : url,
    Tokens: withValue(sessions.Tokens, url, token),
    Renewals: withValue(sessions.Renewals, url, renewal),
    Tenants: without(sessions.Tenants, url),
  }));

/** Stores the default tenant of an address; without one, removes it. */
export const keepTenant = (url: string, tenant: string | undefined): Promise<void> =>
  changeSessions((sessions) => ({
    ...sessions,
    Tenants: withValue(sessions.Tenants, url, tenant),
  }));

/**
 * The stored token of an address. `renew` replaces one that is about to end; only one process at a time does, since a
 * refresh token works once.
 */
export async function storedToken(
  url: string,
  renew: (renewal: Renewal) => Promise<Renewed>,
): Promise<string | undefined> {
  if (!isEnding(readSessions(), url)) return readSessions().Tokens[url];
  await changeSessions(async (sessions) => {
    // Another process may have renewed it meanwhile.
    const renewal = sessions.Renewals[url];
    if (!renewal || !isEnding(sessions, url)) return sessions;
    const { token, renewal: next } = await renew(renewal);
    return {
      ...sessions,
      Tokens: { ...sessions.Tokens, [url]: token },
      Renewals: { ...sessions.Renewals, [url]: next },
    };
  });
  return readSessions().Tokens[url];
}

/** A token is renewed before it ends, so that it lasts until its call arrives. */
const marginMs = 30_000;

const isEnding = ({ Renewals }: Sessions, url: string): boolean => {
  const renewal = Renewals[url];
  return renewal !== undefined && Date.parse(renewal.ExpiresAt) - Date.now() < marginMs;
};

const withValue = <Value>(
  record: Record<string, Value>,
  key: string,
  entry: Value | undefined,
): Record<string, Value> =>
  entry === undefined ? without(record, key) : { ...record, [key]: entry };

const without = <Value>(record: Record<string, Value>, key: string): Record<string, Value> => {
  const { [key]: _, ...others } = record;
  return others;
};

/** Reads the file, changes it and writes it, while no other process does. */
async function changeSessions(
  change: (sessions: Sessions) => Sessions | Promise<Sessions>,
): Promise<void> {
  const release = await takeLock(`${sessionsFile()}.lock`);
  try {
    const sessions = readSessions();
    const changed = await change(sessions);
    if (changed !== sessions) write(changed);
  } finally {
    release();
  }
}

function write(sessions: Sessions): void {
  const file = sessionsFile();
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  // Replaced atomically, and never readable by other users.
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}
