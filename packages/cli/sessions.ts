import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { Refusal } from './failure.ts';

// The stored sessions, in a file that only the user can read. A token is sent only to the address that issued it.

type Sessions = {
  /** The default address. */
  Current: string;
  Tokens: Record<string, string>;
  /** The ID of the default tenant at each address. */
  Tenants: Record<string, string>;
};

const empty: Sessions = { Current: '', Tokens: {}, Tenants: {} };

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
export function keepSession(url: string, token: string | undefined): void {
  const { Current, Tokens, Tenants: all } = readSessions();
  const Tenants = without(all, url);
  if (token === undefined) write({ Current, Tokens: without(Tokens, url), Tenants });
  else write({ Current: url, Tokens: { ...Tokens, [url]: token }, Tenants });
}

/** Stores the default tenant of an address; without one, removes it. */
export function keepTenant(url: string, tenant: string | undefined): void {
  const sessions = readSessions();
  write({
    ...sessions,
    Tenants:
      tenant === undefined
        ? without(sessions.Tenants, url)
        : { ...sessions.Tenants, [url]: tenant },
  });
}

const without = (record: Record<string, string>, key: string): Record<string, string> => {
  const { [key]: _, ...others } = record;
  return others;
};

function write(sessions: Sessions): void {
  const file = sessionsFile();
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  // Replaced atomically, and never readable by other users.
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}
