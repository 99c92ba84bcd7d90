import { Resolver } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseServer } from '@bailiwick/shared/egress/resolver.ts';

// A query that is lost is asked once more at each server; all of it has to be over well before the call's own deadline.
const patience = { timeout: 1500, tries: 2, maxTimeout: 2500 };
const allMs = 8000;

/** What DNS says of a name: the texts of its TXT records, that there are none, or nothing that could be relied on. */
export type Found =
  | { values: readonly string[] }
  | { missing: 'name' | 'record' }
  | { missing: 'answer' };
export type LookUpTxt = (name: string) => Promise<Found>;

/** Looks TXT records up at these DNS servers (address:port), or where the host does if there are none. Nothing is remembered. */
export function createTxtLookUp(servers: readonly string[]): LookUpTxt {
  const resolver = new Resolver(patience);
  if (servers.length > 0) resolver.setServers(servers.map(parseServer));
  return async (name) => {
    try {
      // The dot at the end says that the name is whole.
      const records = await Promise.race([resolver.resolveTxt(`${name}.`), tooLate()]);
      // A text of more than 255 bytes comes in pieces.
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
 * Only a server's own word counts: that there is no such name, or none of this kind. Servers that fail, refuse or are silent
 * say nothing of the domain: a resolver that is away would otherwise take every tenant's domains away.
 */
function missingBy(error: unknown): 'name' | 'record' | 'answer' {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return code === 'ENOTFOUND' ? 'name' : code === 'ENODATA' ? 'record' : 'answer';
}

/** What a look-up says of a claim. `unknown` counts for nothing. */
export type Finding = { outcome: 'proved' } | { outcome: 'missing' | 'unknown'; reason: string };

/** Compares what was found below `name` with what the record has to hold. The reason is for people, and holds what they can act on. */
export function judge(found: Found, name: string, wanted: string): Finding {
  if ('values' in found)
    return found.values.includes(wanted)
      ? { outcome: 'proved' }
      : { outcome: 'missing', reason: othersAt(name, found.values) };
  switch (found.missing) {
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

const shown = 40;

function othersAt(name: string, values: readonly string[]): string {
  const [first = ''] = values;
  // Anybody can put anything there.
  const start = first.slice(0, shown).replaceAll(/[^\x20-\x7e]/g, '?');
  const what =
    values.length === 1
      ? 'a TXT record, but its'
      : `${values.length} TXT records, but none has the right`;
  return `${name} has ${what} value${values.length === 1 ? ' is not the right one' : ''}: found "${start}${first.length > shown ? '…' : ''}"`;
}
