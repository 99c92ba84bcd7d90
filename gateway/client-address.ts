import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { createNetworks, noNetwork, parseNetwork, plainAddress } from '@bailiwick/values';

/**
 * The client's address. X-Forwarded-For is read from the right, up to the first address that is not
 * a trusted proxy. Entries further left are claims of the client.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const wrong = trustedProxies.find((network) => !parseNetwork(network));
  if (wrong !== undefined) throw noNetwork(wrong);
  const isTrusted = createNetworks(trustedProxies);

  return (request: IncomingMessage): string => {
    const chain = [...forwarded(request), plainAddress(request.socket.remoteAddress ?? '')];
    let address = chain.pop() ?? '';
    while (chain.length > 0 && isTrusted(address)) address = chain.pop() ?? address;
    return address;
  };
}

// A malformed entry, and everything left of it, is dropped.
function forwarded(request: IncomingMessage): string[] {
  const entries = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((entry) => plainAddress(entry.trim()));
  const lastBad = entries.findLastIndex((entry) => isIP(entry) === 0);
  return entries.slice(lastBad + 1);
}
