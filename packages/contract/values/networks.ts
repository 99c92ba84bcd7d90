import { BlockList, isIP, isIPv6 } from 'node:net';

export type Network = { address: string; bits: number; family: 'ipv4' | 'ipv6' };

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Parses a network such as 192.0.2.0/24, or a single address; undefined for anything else. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  // A zone (fe80::1%eth0) is valid on one host only.
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return undefined;
  const family = familyOf(address);
  const width = family === 'ipv4' ? 32 : 128;
  if (bits === undefined) return { address, bits: width, family };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= width
    ? { address, bits: Number(bits), family }
    : undefined;
}

/**
 * The error for an invalid network. The message continues a sentence that begins with a setting's
 * name.
 */
export const noNetwork = (text: string): Error =>
  new Error(`holds ${text}, which is not a network such as 10.0.0.0/8`);

/**
 * Maps ::ffff:a.b.c.d, an IPv4 client's address on a dual-stack listener, to a.b.c.d. Other
 * addresses stay unchanged.
 */
export const plainAddress = (ip: string): string =>
  ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip;

/**
 * Returns a test of whether an address is in one of the networks. Invalid networks contain no
 * address, and an invalid address is in none.
 */
export function createNetworks(texts: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const text of texts) {
    const network = parseNetwork(text);
    if (network) list.addSubnet(network.address, network.bits, network.family);
  }
  return (text) => {
    const [address = ''] = text.split('%');
    return isIP(address) !== 0 && list.check(address, familyOf(address));
  };
}

/**
 * The network that limits count as one client: an IPv4 address, or an IPv6 /64, which belongs to
 * one subscriber.
 */
export function callerNetwork(ip: string): string {
  return isIPv6(ip) && !ip.includes('.') ? prefix(ip, 64) : plainAddress(ip);
}

/** The wider network in which a user is likely to stay: an IPv4 /24 or an IPv6 /64. */
export function homeNetwork(ip: string): string {
  const plain = plainAddress(ip);
  return isIP(plain) === 4 ? `${plain.split('.').slice(0, 3).join('.')}.0/24` : callerNetwork(ip);
}

function prefix(ip: string, bits: number): string {
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::');
  const leading = head === '' ? [] : head.split(':');
  const trailing = tail ? tail.split(':') : [];
  const groups =
    tail === undefined
      ? leading
      : [
          ...leading,
          ...Array.from({ length: 8 - leading.length - trailing.length }, () => '0'),
          ...trailing,
        ];
  const network = groups
    .slice(0, bits / 16)
    .map((group) => Number.parseInt(group || '0', 16).toString(16));
  return `${network.join(':')}::/${bits}`;
}
