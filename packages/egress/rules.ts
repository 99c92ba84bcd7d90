import { type BlockList, isIP } from 'node:net';
import { isPublic, liesIn, networks } from './addresses.ts';
import { type Address, asAddress, createLookUp, type LookUp } from './resolver.ts';

// Guards every request to an address that a client chose (docs/egress.md): webhooks, chat and SSO
// documents. The URL is checked when it is saved, and the resolved addresses at each request, so
// that a name cannot be rebound in between.

/** The addresses, ports and DNS server that requests may use. */
export type EgressRules = {
  /** Names and addresses exempt from all rules. Empty in production. */
  allowHosts: ReadonlySet<string>;
  /** Networks exempt from all rules. Empty in production. */
  allowNetworks: BlockList;
  /** Ports allowed besides 443 and 8443. */
  ports: ReadonlySet<number>;
  /** Resolves names at the configured DNS server. */
  lookUp: LookUp;
};

type Texts = {
  hosts: readonly string[];
  cidrs: readonly string[];
  ports: readonly string[];
  resolver?: string;
};

/** Reads the rules from configuration. @throws for a malformed network, port or resolver */
export function egressRules({ hosts, cidrs, ports, resolver = '' }: Texts): EgressRules {
  const wrongPort = ports.find(
    (port) => !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535,
  );
  if (wrongPort !== undefined) throw new Error(`holds ${wrongPort}, which is not a port`);
  return {
    allowHosts: new Set(hosts.map((host) => host.toLowerCase())),
    allowNetworks: networks(cidrs),
    ports: new Set(['443', '8443', ...ports].map(Number)),
    lookUp: createLookUp(resolver),
  };
}

const blockedNames = /(^|\.)(localhost|local|internal|svc|cluster\.local|home\.arpa)$/;
/**
 * A DNS name as the URL parser leaves it: lower case and punycode. Rejects, for example, two
 * trailing dots.
 */
const nameGrammar = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;

/** The problem with a receiver's URL, or undefined if it may be saved. */
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
  // A `code` like those of Node and undici, so that it survives their wrapping.
  readonly code = 'BLOCKED_ADDRESS';
}

/** A DNS response may hold thousands: this is as many as one connection attempt can try. */
const maxAddresses = 16;

/**
 * Resolves a URL's host to addresses that may be dialled. @throws BlockedAddress if any of them is
 * not allowed, or a DNS error
 */
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
  return addresses.slice(0, maxAddresses);
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
