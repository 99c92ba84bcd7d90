import { BlockList, isIP } from 'node:net';

export type Network = { address: string; bits: number; family: 'ipv4' | 'ipv6' };

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** A network such as 192.0.2.0/24, or a single address; undefined for what is neither. */
export function parseNetwork(text: string): Network | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  // A zone (fe80::1%eth0) means something on one host only.
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return undefined;
  const family = familyOf(address);
  const width = family === 'ipv4' ? 32 : 128;
  if (bits === undefined) return { address, bits: width, family };
  return /^\d{1,3}$/.test(bits) && Number(bits) <= width
    ? { address, bits: Number(bits), family }
    : undefined;
}

/** What is thrown for a text that is no network, in words that follow the name of a setting. */
export const noNetwork = (text: string): Error =>
  new Error(`holds ${text}, which is not a network such as 10.0.0.0/8`);

/** a.b.c.d of ::ffff:a.b.c.d, which is how a listener on both families sees an IPv4 client; any other address as it is. */
export const plainAddress = (ip: string): string =>
  ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice(7) : ip;

/** Tells whether an address lies in one of the networks. What is no network holds no address, and what is no address lies in none. */
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
