import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseServer } from '@bailiwick/egress';

// A lost query is retried once per server. The total must stay well below the call's deadline.
const queryTimeouts = { timeout: 1500, tries: 2, maxTimeout: 2500 };
const allMs = 8000;

/**
 * The result of a DNS look-up: the texts of the TXT records, that there are none, or no reliable
 * answer.
 */
export type TxtResult =
  | { values: readonly string[] }
  | { missing: 'name' | 'record' }
  | { missing: 'answer' };
export type LookUpTxt = (name: string) => Promise<TxtResult>;

/**
 * Looks up TXT records at these DNS servers (address:port), or at the host's resolvers if the list
 * is empty. Results are not cached.
 */
export function createTxtLookUp(servers: readonly string[]): LookUpTxt {
  const resolver = new Resolver(queryTimeouts);
  if (servers.length > 0) resolver.setServers(servers.map(parseServer));
  return async (name) => {
    try {
      // The trailing dot marks the name as fully qualified.
      const records = await Promise.race([resolver.resolveTxt(`${name}.`), tooLate()]);
      // Texts of more than 255 bytes come in pieces.
      return { values: records.map((pieces) => pieces.join('')) };
    } catch (error) {
      return { missing: missingBy(error) };
    }
  };
}

async function tooLate(): Promise<never> {
  await sleep(allMs, undefined, { ref: false });
  throw new Error('the DNS servers took too long');
}

/**
 * Only a server's answer counts: no such name, or no such record. Servers that fail, refuse or do
 * not respond prove nothing; otherwise a broken resolver would end every tenant's domains.
 */
function missingBy(error: unknown): 'name' | 'record' | 'answer' {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'ENOTFOUND' ? 'name' : code === 'ENODATA' ? 'record' : 'answer';
}

/** The result of a look-up for a claim. `unknown` changes nothing. */
export type RecordCheck =
  | { outcome: 'proved' }
  | { outcome: 'missing' | 'unknown'; reason: string };

/**
 * Compares the records of `name` with the required value. The reason is for people, and says what
 * they can act on.
 */
export function checkRecord(result: TxtResult, name: string, expected: string): RecordCheck {
  if ('values' in result)
    return result.values.includes(expected)
      ? { outcome: 'proved' }
      : { outcome: 'missing', reason: othersAt(name, result.values) };
  switch (result.missing) {
    case 'name':
      return { outcome: 'missing', reason: `there is no ${name} in DNS` };
    case 'record':
      return { outcome: 'missing', reason: `${name} has no TXT record` };
    case 'answer':
      return {
        outcome: 'unknown',
        reason: `the DNS servers gave no answer for ${name}: try again later`,
      };
  }
}

const maxQuoted = 40;

function othersAt(name: string, values: readonly string[]): string {
  const [first = ''] = values;
  // The record is untrusted text.
  const start = first.slice(0, maxQuoted).replaceAll(/[^\x20-\x7e]/g, '?');
  const what =
    values.length === 1
      ? 'a TXT record, but its'
      : `${values.length} TXT records, but none has the right`;
  return `${name} has ${what} value${values.length === 1 ? ' is not the right one' : ''}: found "${start}${first.length > maxQuoted ? '…' : ''}"`;
}
