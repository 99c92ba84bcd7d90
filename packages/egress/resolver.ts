import { Resolver } from 'node:dns/promises';
import { isIP, isIPv4 } from 'node:net';

export type Address = { address: string; family: 4 | 6 };
export type LookUp = (name: string) => Promise<Address[]>;

// A lost query is repeated once; a name that takes longer counts as unresolvable.
const resolverOptions = { timeout: 1500, tries: 2, maxTimeout: 2500 };

/**
 * Resolves names at one DNS server (address:port), or at the host's servers if it is ''. Uses
 * Node's own queries and not `dns.lookup`, which occupies the threads of password hashing, and
 * applies search domains and /etc/hosts.
 */
export function createLookUp(server: string): LookUp {
  const resolver = new Resolver(resolverOptions);
  if (server !== '') resolver.setServers([parseServer(server)]);
  return async (name) => {
    if (name === 'localhost') return ['127.0.0.1', '::1'].map(asAddress);
    // The trailing dot makes the name fully qualified.
    const answers = await Promise.allSettled([
      resolver.resolve4(`${name}.`),
      resolver.resolve6(`${name}.`),
    ]);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    if (addresses.length === 0)
      throw Object.assign(new Error('the name does not resolve'), { code: 'ENOTFOUND' });
    return addresses.map(asAddress);
  };
}

/** Parses a DNS server's address and port; the default port is 53. @throws for anything else */
export function parseServer(text: string): string {
  const [, v6, v4, port = '53'] =
    /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const address = v6 ?? v4 ?? '';
  if (isIP(address) !== (v6 === undefined ? 4 : 6) || Number(port) < 1 || Number(port) > 65_535) {
    throw new Error('must be the address of a DNS server and its port, such as 10.0.0.10:53');
  }
  return v6 === undefined ? `${address}:${port}` : `[${address}]:${port}`;
}

export const asAddress = (address: string): Address => ({
  address,
  family: isIPv4(address) ? 4 : 6,
});
