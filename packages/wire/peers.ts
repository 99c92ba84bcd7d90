import { operations, serviceCaller } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import { ConfigurationError, type Log, type Mounted, openTls, type Tls } from '@bailiwick/process';
import { openCallerSigner } from './caller-tokens.ts';
import { createOwnTokens, type OwnTokens } from './own-tokens.ts';
import { contextFor, type WireOptions, type WireTransport } from './rpc.ts';
import { createHttpTransport } from './rpc-http.ts';

const wires = {
  http: { address: /^https?:\/\//, example: 'http://identity:8080' },
  // An http:// address would send calls in plain text.
  https: { address: /^https:\/\//, example: 'https://identity:8080' },
  grpc: { address: /^(dns|ipv4|ipv6|unix):/, example: 'dns:///identity:8081' },
};

/** A process's dependencies for calls to others, beside its settings. */
export type RpcContext = { tls: Tls | undefined; log: Log; tokens: OwnTokens };

/** Opens these dependencies. */
export const openRpcContext = (files: Parameters<typeof openTls>[0], log: Log): RpcContext => ({
  tls: openTls(files, log),
  log,
  tokens: createOwnTokens(log),
});

/**
 * Opens transports to the services that a process calls, at the configured addresses and with the
 * protocol of BAILIWICK_RPC. `issuer` is the process. @throws ConfigurationError listing every
 * address that does not fit the protocol
 */
export async function openPeers<Name extends string>(
  issuer: string,
  { rpc, callerKey }: { rpc: string; callerKey: Mounted<string> },
  urls: Record<Name, string>,
  { tls, log, tokens }: RpcContext,
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
    named.map(([audience, url]) => {
      const transport = open({ url, audience, sign, tls, tokens });
      tokens.watch(audience, () => probe(transport, audience, issuer));
      return [audience, transport];
    }),
  ) as Record<Name, WireTransport>;
}

const probeTimeoutMs = 2000;

/** Whether a service accepts this process's caller tokens: a call that it only validates. */
async function probe(transport: WireTransport, audience: string, issuer: string): Promise<boolean> {
  const operation = [...operations.values()].find(({ host }) => host === audience);
  if (!operation) return false;
  const caller = contextFor({ ...serviceCaller(issuer), validateOnly: true });
  return transport.unary(operation.method, undefined, probeTimeoutMs, undefined, {}, caller).then(
    () => true,
    (error: unknown) => toServiceError(error).code !== 'unavailable',
  );
}

// Loaded on demand: grpc-js costs 23 MB, which processes that call over HTTP save.
async function opener(wire: 'http' | 'grpc'): Promise<(options: WireOptions) => WireTransport> {
  return wire === 'http'
    ? createHttpTransport
    : (await import('./rpc-grpc.ts')).createGrpcTransport;
}
