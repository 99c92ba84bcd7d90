import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/**
 * Where a request comes from. X-Forwarded-For is believed only as far as it was written by the listed proxies: from
 * the right, up to the first address that is none of them. Whatever stands further left is what a client claims.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const trusted = new BlockList();
  for (const network of trustedProxies) addNetwork(trusted, network);
  const isTrusted = (address: string) => trustedProxies.length > 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

  return (request: IncomingMessage): string => {
    const chain = [...forwarded(request), plain(request.socket.remoteAddress ?? '')];
    let address = chain.pop() ?? '';
    while (chain.length > 0 && isTrusted(address)) address = chain.pop() ?? address;
    return address;
  };
}

// A malformed entry ends what can be believed: it and everything left of it is dropped.
function forwarded(request: IncomingMessage): string[] {
  const entries = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((entry) => plain(entry.trim()));
  const lastBad = entries.findLastIndex((entry) => isIP(entry) === 0);
  return entries.slice(lastBad + 1);
}

const plain = (address: string) => (address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address);

function addNetwork(list: BlockList, network: string): void {
  const [address = '', bits = isIP(address) === 6 ? '128' : '32'] = network.split('/');
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) {
    throw new Error(`holds ${network}, which is not a network such as 10.0.0.0/8`);
  }
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
}
