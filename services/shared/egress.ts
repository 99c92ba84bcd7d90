import { resolve4, resolve6 } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';

// The guard in front of every request to an address that a client chose (delivery.md §2): webhooks,
// chat and SSO fetches. Checked when the address is saved, and again on the addresses it resolves to
// at each request, so that a name cannot change its mind in between.

export type EgressRules = {
  /** Names and addresses for which all rules are lifted. Empty in production. */
  allowHosts: ReadonlySet<string>;
  /** Networks for which all rules are lifted. Empty in production. */
  allowNetworks: BlockList;
  /** Ports allowed besides 443 and 8443. */
  ports: ReadonlySet<number>;
};

/** Reads the rules from configuration. Throws for a malformed network. */
export function egressRules({ hosts, cidrs, ports }: { hosts: readonly string[]; cidrs: readonly string[]; ports: readonly string[] }): EgressRules {
  const wrongPort = ports.find((port) => !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535);
  if (wrongPort !== undefined) throw new Error(`holds ${wrongPort}, which is no port`);
  const allowNetworks = new BlockList();
  for (const cidr of cidrs) addNetwork(allowNetworks, cidr);
  return { allowHosts: new Set(hosts.map((host) => host.toLowerCase())), allowNetworks, ports: new Set(['443', '8443', ...ports].map(Number)) };
}

const blockedNetworks = new BlockList();
for (const cidr of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
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
  // ::ffff:0:0/96 is not here: BlockList would match every IPv4 address with it. Mapped addresses are unwrapped instead.
  '::/127',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
])
  addNetwork(blockedNetworks, cidr);

const blockedNames = /(^|\.)(localhost|local|internal|svc|cluster\.local|home\.arpa)$/;

/** Why a URL must not be saved as a receiver's address, or undefined where it may. */
export function urlProblem(text: string, rules: EgressRules): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  const host = hostOf(url);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (isAllowed(host, rules)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (blockedNames.test(host) || (isIP(host) !== 0 && isBlocked(host))) return 'must be a public address';
  if (!rules.ports.has(Number(url.port || 443))) return 'must use a port that is allowed for receivers';
  return undefined;
}

export class BlockedAddress extends Error {
  // Node's and undici's error codes are strings on `code`: ours travels the same way through their wrapping.
  readonly code = 'BLOCKED_ADDRESS';
}

/** The addresses of a URL's host that may be dialled. Throws BlockedAddress if any one of them may not, or a DNS error. */
export async function resolveReceiver(url: URL, rules: EgressRules): Promise<Array<{ address: string; family: 4 | 6 }>> {
  const host = hostOf(url);
  const problem = urlProblem(url.href, rules);
  if (problem) throw new BlockedAddress(problem);
  const addresses = isIP(host) === 0 ? await lookUp(host) : [host];
  if (!rules.allowHosts.has(host) && addresses.some((address) => !allowedNetwork(address, rules) && isBlocked(address))) {
    throw new BlockedAddress('the name resolves to an address that is not public');
  }
  return addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 }));
}

function isAllowed(host: string, rules: EgressRules): boolean {
  return rules.allowHosts.has(host) || (isIP(host) !== 0 && allowedNetwork(host, rules));
}

function allowedNetwork(address: string, rules: EgressRules): boolean {
  return rules.allowNetworks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function isBlocked(address: string): boolean {
  const plain = unwrap(address);
  return blockedNetworks.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6');
}

// ::ffff:127.0.0.1 in any spelling is 127.0.0.1; the URL parser has already made it ::ffff:7f00:1.
function unwrap(address: string): string {
  const mapped = /^::ffff:(?:(\d+\.\d+\.\d+\.\d+)|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address);
  if (!mapped) return address;
  if (mapped[1]) return mapped[1];
  const [high, low] = [Number.parseInt(mapped[2] ?? '0', 16), Number.parseInt(mapped[3] ?? '0', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

// dns.resolve*, not dns.lookup: the latter occupies the threads that password hashing needs.
async function lookUp(host: string): Promise<string[]> {
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const found = await Promise.allSettled([resolve4(host), resolve6(host)]);
  const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) throw Object.assign(new Error('the name does not resolve'), { code: 'ENOTFOUND' });
  return addresses;
}

function hostOf(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

function addNetwork(list: BlockList, cidr: string): void {
  const [network = '', bits = ''] = cidr.split('/');
  const family = isIP(network);
  if (family === 0 || !/^\d+$/.test(bits)) throw new Error(`holds ${cidr}, which is not a network such as 10.0.0.0/8`);
  list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
}
