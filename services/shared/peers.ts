import { createCallerSigner } from './caller.ts';
import { ConfigurationError } from './config.ts';
import { createHttpTransport, type WireOptions, type WireTransport } from './rpc.ts';

const wires = {
  http: { address: /^https?:\/\//, example: 'http://identity:8080' },
  grpc: { address: /^(dns|ipv4|ipv6|unix):/, example: 'dns:///identity:8081' },
};

/**
 * The services that a process calls, each where its setting says and over the wire that BAILIWICK_RPC says. `issuer` is the process.
 * Throws one error that lists every address that is none of that wire's.
 */
export async function openPeers<Name extends string>(
  issuer: string,
  { rpc, callerKey }: { rpc: string; callerKey: string },
  urls: Record<Name, string>,
): Promise<Record<Name, WireTransport>> {
  const wire = rpc === 'grpc' ? 'grpc' : 'http';
  const { address, example } = wires[wire];
  const named = Object.entries<string>(urls);
  const wrong = named.filter(([, url]) => !address.test(url));
  if (wrong.length > 0)
    throw new ConfigurationError(wrong.map(([name]) => `BAILIWICK_${name.toUpperCase()}_URL must be like ${example} with BAILIWICK_RPC=${wire}`));
  const sign = createCallerSigner(issuer, callerKey);
  const open = await opener(wire);
  return Object.fromEntries(named.map(([audience, url]) => [audience, open({ url, audience, sign })])) as Record<Name, WireTransport>;
}

// grpc-js costs 23 MB, which a process that calls over HTTP does not spend.
async function opener(wire: keyof typeof wires): Promise<(options: WireOptions) => WireTransport> {
  return wire === 'http' ? createHttpTransport : (await import('./rpc-grpc.ts')).createGrpcTransport;
}
