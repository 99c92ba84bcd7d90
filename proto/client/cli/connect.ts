import process from 'node:process';
import { type Client, createClient } from '../client.ts';
import { readUrl } from '../url.ts';
import { UsageError } from './failure.ts';
import { readText } from './input.ts';
import { say } from './output.ts';
import { readSessions } from './sessions.ts';

/** The options that every command takes. */
export type Connection = {
  url?: string | undefined;
  'token-file'?: string | undefined;
  timeout?: string | undefined;
};

const localStart = 'http://127.0.0.1:8080';

/** Where Bailiwick is: --url, BAILIWICK_URL, where one is signed in, the local start. In the one spelling by which sessions are kept. */
export function urlOf({ url }: Connection): string {
  const text = url ?? (process.env['BAILIWICK_URL'] || readSessions().Current || localStart);
  try {
    return readUrl(text);
  } catch (error) {
    throw new UsageError((error as TypeError).message);
  }
}

/** The token: --token-file, BAILIWICK_TOKEN, or what was got by signing in at that address. */
export async function tokenOf(connection: Connection): Promise<string | undefined> {
  const file = connection['token-file'];
  if (file !== undefined) return (await readText(file, '--token-file')).trim();
  return process.env['BAILIWICK_TOKEN']?.trim() || readSessions().Tokens[urlOf(connection)];
}

/** A client with these options; `token` goes before all of them. */
export async function connect(connection: Connection, token?: string): Promise<Client> {
  const url = urlOf(connection);
  if (isOverheard(new URL(url)))
    say(`bailiwick: ${url} is not https: passwords, tokens and answers can be read on the way`);
  return createClient({
    url,
    token: token ?? (await tokenOf(connection)),
    timeoutMs: timeoutOf(connection),
    userAgent: 'bailiwick-cli',
  });
}

const isOverheard = ({ protocol, hostname }: URL) =>
  protocol === 'http:' && !/^((.+\.)?localhost|127\.[\d.]+|\[::1\])$/.test(hostname);

function timeoutOf({ timeout }: Connection): number | undefined {
  if (timeout === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(timeout) || Number(timeout) === 0)
    throw new UsageError('--timeout must be a number of seconds');
  return Number(timeout) * 1000;
}
