import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { createNetworks, noNetwork, parseNetwork, plainAddress } from '@bailiwick/contract';
import { counter } from '@bailiwick/process';

const malformed = counter(
  {
    name: 'bailiwick_forwarded_malformed_total',
    about: 'Requests of trusted proxies whose X-Forwarded-For has an entry that is no address.',
  },
  {},
);

type ProxiedRequest = {
  headers: IncomingMessage['headers'];
  socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

/**
 * The client's address. X-Forwarded-For is read from the right, up to the first address that is not
 * a trusted proxy. Entries further left are claims of the client. If an entry that counts is no
 * address, the nearest proxy that is known counts instead.
 */
export function createClientAddress(
  trustedProxies: readonly string[],
  countMalformed: () => void = () => malformed.add({}),
) {
  const malformed = trustedProxies.find((network) => !parseNetwork(network));
  if (malformed !== undefined) throw noNetwork(malformed);
  const isTrusted = createNetworks(trustedProxies);

  return ({ headers, socket }: ProxiedRequest): string => {
    let address = plainAddress(socket.remoteAddress ?? '');
    const header = String(headers['x-forwarded-for'] ?? '');
    const entries = header === '' ? [] : header.split(',');
    while (isTrusted(address)) {
      const entry = entries.pop();
      if (entry === undefined) return address;
      const next = readEntry(entry.trim());
      if (next === undefined) {
        countMalformed();
        return address;
      }
      address = next;
    }
    return address;
  };
}

/**
 * The address of an entry, which some proxies write with a port, in brackets or in quotes (Azure's
 * gateways, RFC 7239, section 6). Undefined if there is none.
 */
function readEntry(entry: string): string | undefined {
  const text = /^"(.*)"$/.exec(entry)?.[1] ?? entry;
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = plainAddress(bracketed ?? plain ?? text);
  const family = isIP(address);
  // Brackets are for IPv6, and a zone is valid on one host only.
  const isValid = bracketed === undefined ? family !== 0 : isIP(bracketed) === 6;
  return isValid && !address.includes('%') ? address : undefined;
}
