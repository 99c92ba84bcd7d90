import process from 'node:process';
import { type Client, createClient } from '../client/client.ts';
import { readUrl } from '../client/url.ts';
import { UsageError } from './failure.ts';
import { readText } from './input.ts';
import { say } from './output.ts';
import { readSessions, storedToken } from './sessions.ts';
import { renewAt } from './sign-in/issuer.ts';
import { keylessToken } from './sign-in/keyless.ts';

/** The common options for the connection. */
export type Connection = {
  url?: string | undefined;
  'token-file'?: string | undefined;
  timeout?: string | undefined;
};

const localStart = 'http://localhost:8080';

/** The address of Bailiwick: --url, BAILIWICK_URL, the last login, or the local start. Normalised, since sessions are stored by address. */
export function urlOf({ url }: Connection): string {
  const text = url ?? (process.env['BAILIWICK_URL'] || readSessions().Current || localStart);
  try {
    return readUrl(text);
  } catch (error) {
    throw new UsageError((error as TypeError).message);
  }
}

/** The token of --token-file or BAILIWICK_TOKEN. */
export async function givenToken(connection: Connection): Promise<string | undefined> {
  const file = connection['token-file'];
  if (file !== undefined) return (await readText(file, '--token-file')).trim();
  return process.env['BAILIWICK_TOKEN']?.trim() || undefined;
}

/** Creates a client with these options, with the stored login at their address. `token` overrides their token. */
export async function connect(connection: Connection, token?: string): Promise<Client> {
  const url = urlOf(connection);
  warnOfPlaintext(url);
  return createClient({
    url,
    token:
      token ??
      (await givenToken(connection)) ??
      keylessToken(url) ??
      (() => storedToken(url, (renewal) => renewAt(url, renewal))),
    timeoutMs: timeoutOf(connection),
    userAgent: 'bailiwick-cli',
  });
}

export function warnOfPlaintext(url: string): void {
  if (isPlaintext(new URL(url)))
    say(`bailiwick: ${url} is not https: passwords, tokens and responses can be read in transit`);
}

const isPlaintext = ({ protocol, hostname }: URL) =>
  protocol === 'http:' && !/^((.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(hostname);

function timeoutOf({ timeout }: Connection): number | undefined {
  if (timeout === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(timeout) || Number(timeout) === 0)
    throw new UsageError('--timeout must be a number of seconds');
  return Number(timeout) * 1000;
}
