import { openCallerSigner } from '@bailiwick/call';
import {
  createHttpTransport,
  type Tls,
  type WireOptions,
  type WireTransport,
} from '@bailiwick/rpc';
import { ConfigurationError, type Mounted } from '@bailiwick/settings';
import { type Log } from '@bailiwick/telemetry';

const wires = {
  http: { address: /^https?:\/\//, example: 'http://identity:8080' },
  // An http:// address would send calls in plain text.
  https: { address: /^https:\/\//, example: 'https://identity:8080' },
  grpc: { address: /^(dns|ipv4|ipv6|unix):/, example: 'dns:///identity:8081' },
};

/** A process's dependencies for calls to others, beside its settings. */
export type Hop = { tls: Tls | undefined; log: Log };

/**
 * Opens transports to the services that a process calls, at the configured addresses and with the
 * protocol of BAILIWICK_RPC. `issuer` is the process. @throws ConfigurationError listing every
 * address that does not fit the protocol
 */
export async function openPeers<Name extends string>(
  issuer: string,
  { rpc, callerKey }: { rpc: string; callerKey: Mounted<string> },
  urls: Record<Name, string>,
  { tls, log }: Hop,
): Promise<Record<Name, WireTransport>> {
  const wire = rpc === 'grpc' ? 'grpc' : 'http';
  const { address, example } = wires[wire === 'http' && tls ? 'https' : wire];
  const named = Object.entries<string>(urls);
  const wrong = named.filter(([, url]) => !address.test(url));
  if (wrong.length > 0)
    throw new ConfigurationError(
      wrong.map(
        ([name]) =>
          `BAILIWICK_${name.toUpperCase()}_URL must be like ${example} with BAILIWICK_RPC=${wire}${tls ? ' and TLS' : ''}`,
      ),
    );
  const sign = openCallerSigner(issuer, callerKey, log);
  const open = await opener(wire);
  return Object.fromEntries(
    named.map(([audience, url]) => [audience, open({ url, audience, sign, tls })]),
  ) as Record<Name, WireTransport>;
}

// Loaded on demand: grpc-js costs 23 MB, which processes that call over HTTP save.
async function opener(wire: 'http' | 'grpc'): Promise<(options: WireOptions) => WireTransport> {
  return wire === 'http'
    ? createHttpTransport
    : (await import('@bailiwick/rpc/grpc')).createGrpcTransport;
}
