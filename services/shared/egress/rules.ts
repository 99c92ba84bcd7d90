import { type BlockList, isIP } from 'node:net';
import { isPublic, liesIn, networks } from './addresses.ts';
import { type Address, asAddress, createLookUp, type LookUp } from './resolver.ts';

// The guard in front of every request to an address that a client chose (docs/egress.md): webhooks, chat and what single
// sign-on fetches. Checked when the address is saved, and again on the addresses it resolves to at each request, so that a
// name cannot change its mind in between.

export type EgressRules = {
  /** Names and addresses for which all rules are lifted. Empty in production. */
  allowHosts: ReadonlySet<string>;
  /** Networks for which all rules are lifted. Empty in production. */
  allowNetworks: BlockList;
  /** Ports allowed besides 443 and 8443. */
  ports: ReadonlySet<number>;
  /** Asks the DNS server that the installation has chosen. */
  lookUp: LookUp;
};

type Texts = {
  hosts: readonly string[];
  cidrs: readonly string[];
  ports: readonly string[];
  resolver?: string;
};

/** Reads the rules from configuration. Throws for a malformed network, port or resolver. */
export function egressRules({ hosts, cidrs, ports, resolver = '' }: Texts): EgressRules {
  const wrongPort = ports.find(
    (port) => !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535,
  );
  if (wrongPort !== undefined) throw new Error(`holds ${wrongPort}, which is no port`);
  return {
    allowHosts: new Set(hosts.map((host) => host.toLowerCase())),
    allowNetworks: networks(cidrs),
    ports: new Set(['443', '8443', ...ports].map(Number)),
    lookUp: createLookUp(resolver),
  };
}

const blockedNames = /(^|\.)(localhost|local|internal|svc|cluster\.local|home\.arpa)$/;
/** What the URL parser leaves of a host is lower case and punycode. Two dots at the end, for one, are no name of the DNS. */
const nameGrammar = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** Why a URL must not be saved as a receiver's address, or undefined where it may. */
export function urlProblem(text: string, rules: EgressRules): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL';
  const url = new URL(text);
  const host = hostOf(url);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  if (isAllowed(host, rules)) return undefined;
  if (url.protocol !== 'https:') return 'must begin with https://';
  const mayBePublic =
    isIP(host) === 0 ? nameGrammar.test(host) && !blockedNames.test(host) : isPublic(host);
  if (!mayBePublic) return 'must be a public address';
  if (!rules.ports.has(Number(url.port || 443)))
    return 'must use a port that is allowed for receivers';
  return undefined;
}

class BlockedAddress extends Error {
  // Node's and undici's error codes are strings on `code`: ours travels the same way through their wrapping.
  readonly code = 'BLOCKED_ADDRESS';
}

/** An answer of the DNS has room for thousands: as many as can be tried in the time of one connection are enough. */
const mostAddresses = 16;

/** The addresses of a URL's host that may be dialled. Throws BlockedAddress if any one of them may not, or a DNS error. */
export async function resolveReceiver(url: URL, rules: EgressRules): Promise<Address[]> {
  const host = hostOf(url);
  const problem = urlProblem(url.href, rules);
  if (problem) throw new BlockedAddress(problem);
  const addresses = isIP(host) === 0 ? await rules.lookUp(host) : [asAddress(host)];
  if (
    !rules.allowHosts.has(host) &&
    addresses.some(({ address }) => !liesIn(rules.allowNetworks, address) && !isPublic(address))
  ) {
    throw new BlockedAddress('the name resolves to an address that is not public');
  }
  return addresses.slice(0, mostAddresses);
}

function isAllowed(host: string, rules: EgressRules): boolean {
  return rules.allowHosts.has(host) || (isIP(host) !== 0 && liesIn(rules.allowNetworks, host));
}

function hostOf(url: URL): string {
  return url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
