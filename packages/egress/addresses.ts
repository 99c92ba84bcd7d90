import { BlockList, isIPv4 } from 'node:net';
import { noNetwork, parseNetwork } from '@bailiwick/contract';

// Decides which addresses are public. Sources: the IANA special-purpose registries of IPv4 and IPv6
// (RFC 6890), and the metadata addresses of clouds.

/** Parses networks such as 10.0.0.0/8. @throws for anything else, including a single address */
export function networks(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const network = cidr.includes('/') ? parseNetwork(cidr) : undefined;
    if (!network) throw noNetwork(cidr);
    list.addSubnet(network.address, network.bits, network.family);
  }
  return list;
}

const blockedV4 = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Azure's virtual IP for platform services, in the middle of public addresses.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);

// The only public range of IPv6. The rest is local, embeds an IPv4 address (::/96, 64:ff9b::/96),
// or is unassigned.
const globalUnicast = networks(['2000::/3']);
// 2001::/23 contains Teredo, and 2002::/16 is 6to4: both embed an IPv4 address.
const blockedV6 = networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** Whether an address is public. Takes any spelling that `isIP` accepts. */
export function isPublic(address: string): boolean {
  const plain = unmapped(address);
  if (isIPv4(plain)) return !blockedV4.check(plain, 'ipv4');
  // A zone (fe80::1%eth0) is valid on this host only.
  if (plain.includes('%') || isTunnelled(groupsOf(plain))) return false;
  return globalUnicast.check(plain, 'ipv6') && !blockedV6.check(plain, 'ipv6');
}

/** Whether an address is in one of the networks. ::ffff:10.0.0.1 counts as 10.0.0.1. */
export function liesIn(list: BlockList, address: string): boolean {
  const plain = unmapped(address);
  return !plain.includes('%') && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

/** Maps ::ffff:127.0.0.1, in any spelling, to 127.0.0.1, which a socket would dial. */
function unmapped(address: string): string {
  if (isIPv4(address) || address.includes('%')) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return address;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** ISATAP (RFC 5214 §6.1): any prefix, with an IPv4 address in the interface identifier. */
const isTunnelled = (groups: readonly number[]): boolean =>
  ((groups[4] ?? 0) & ~0x0200) === 0 && groups[5] === 0x5efe;

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const inHex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
  const [head = [], tail = []] = inHex
    .split('::')
    .map((half) => (half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16))));
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}
