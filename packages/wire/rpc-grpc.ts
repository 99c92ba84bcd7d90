import { Buffer } from 'node:buffer';
import type { Material, Tls } from '@bailiwick/process';
import { Code, ConnectError } from '@connectrpc/connect';
import { findTrailerError } from '@connectrpc/connect/protocol-grpc';
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  connectivityState,
  credentials,
  experimental,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { connectingTimeoutMs, NoResponseError, refusedTimeoutMs } from './retry.ts';
import {
  type Attempt,
  createWireTransport,
  type WireAnswer,
  type WireOptions,
  type WireTransport,
} from './rpc.ts';

// Calls between processes over gRPC: for meshes, and for balancing each call. Loaded only with
// BAILIWICK_RPC=grpc.

const channelOptions: ChannelOptions = {
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  // Otherwise the channel queries the name server for a TXT record too.
  'grpc.service_config_disable_resolution': 1,
  // By default the channel uses http_proxy, which is meant for external hosts.
  'grpc.enable_http_proxy': 0,
  'grpc.keepalive_time_ms': 20_000,
  'grpc.keepalive_timeout_ms': 5000,
  // Finds a replaced replica before calls time out; the defaults are 1 s, 120 s and 30 s.
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.dns_min_time_between_resolutions_ms': 1000,
  // As over HTTP: the service limits requests, and responses are unlimited.
  'grpc.max_receive_message_length': -1,
};

/** A transport to one service over gRPC. `url` is a gRPC target, such as dns:///identity:8081. */
export function createGrpcTransport(options: WireOptions): WireTransport {
  const client = new Client(options.url, credentialsOf(options.tls), channelOptions);

  async function send({ method, headers, body, timeoutMs, signal }: Attempt): Promise<WireAnswer> {
    const deadline = Date.now() + timeoutMs;
    await connected(client, timeoutMs);
    // If the connection ends right now, the call waits for the next one, since it is certainly
    // unsent. The channel itself retries what a server refused (GOAWAY).
    const requestMetadata = new Metadata({ waitForReady: true });
    for (const [name, value] of Object.entries(headers)) addTo(requestMetadata, name, value);
    return new Promise((resolve, reject) => {
      const path = `/${method.parent.typeName}/${method.name}`;
      const call = client.makeUnaryRequest(
        path,
        toBuffer,
        toBuffer,
        body,
        requestMetadata,
        { deadline },
        (error, answer) => {
          signal?.removeEventListener('abort', cancel);
          const isLate = !signal?.aborted && Date.now() >= deadline;
          if (error) reject(failure(error, headersOf(header), isLate));
          else resolve({ body: answer ?? new Uint8Array(), metadata });
        },
      );
      let [header, trailer]: Array<Metadata | undefined> = [];
      call.on('metadata', (received) => (header = received));
      // The trailers are part of the status, which follows the answer before anything else runs.
      call.on('status', (ended) => (trailer = ended.metadata));
      const metadata = () => ({ header: headersOf(header), trailer: headersOf(trailer) });
      const cancel = () => call.cancel();
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel);
    });
  }

  const close = () => Promise.resolve(client.close());
  return createWireTransport(options, { system: 'grpc', send, close });
}

/**
 * Waits for a connection. The channel alone would hold a call without a connection until its
 * deadline.
 */
async function connected(client: Client, limitMs: number): Promise<void> {
  const channel = client.getChannel();
  const began = Date.now();
  for (
    let state = channel.getConnectivityState(true);
    state !== connectivityState.READY;
    state = channel.getConnectivityState(true)
  ) {
    const until =
      began +
      Math.min(
        limitMs,
        state === connectivityState.CONNECTING ? connectingTimeoutMs : refusedTimeoutMs,
      );
    if (Date.now() >= until)
      throw new ConnectError(
        'the service cannot be reached',
        until < began + limitMs ? Code.Unavailable : Code.DeadlineExceeded,
        undefined,
        undefined,
        new Error(`no connection to ${channel.getTarget()}`),
      );
    const previous = state;
    await new Promise<void>((resolve) =>
      channel.watchConnectivityState(previous, until, () => resolve()),
    );
  }
}

/** Channel credentials. The channel reads the current certificates for each new connection. */
function credentialsOf(tls: Tls | undefined): ChannelCredentials {
  if (!tls) return credentials.createInsecure();
  const ends = new Map<unknown, () => void>();
  const add = <Update>(
    listener: (update: Update) => void,
    updateOf: (material: Material) => Update,
  ) => {
    listener(updateOf(tls.current()));
    ends.set(
      listener,
      tls.onChange((material) => listener(updateOf(material))),
    );
  };
  const remove = (listener: unknown) => ends.get(listener)?.();
  const provider: experimental.CertificateProvider = {
    addCaCertificateListener: (listener) =>
      add(listener, ({ ca }) => ({ caCertificate: Buffer.from(ca) })),
    addIdentityCertificateListener: (listener) =>
      add(listener, ({ cert, key }) => ({
        certificate: Buffer.from(cert),
        privateKey: Buffer.from(key),
      })),
    removeCaCertificateListener: remove,
    removeIdentityCertificateListener: remove,
  };
  return experimental.createCertificateProviderChannelCredentials(provider, provider);
}

const toBuffer = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * grpc-js reports REFUSED_STREAM only by this text: nothing was processed (RFC 9113, section 8.7).
 * It retries such a call once by itself.
 */
const refused = 'Stream refused by server';

/** The service's own error, or NoResponseError if the connection failed. */
function failure(
  error: ServiceError & { details?: string },
  metadata: Headers,
  isLate: boolean,
): Error {
  headersOf(error.metadata).forEach((value, name) => metadata.append(name, value));
  const ours = metadata.has(detailsHeader) ? findTrailerError(metadata) : undefined;
  if (ours) return ours;
  const failed = new ConnectError(
    error.details ?? error.message,
    // A service that notices the deadline first cancels the call.
    isLate && error.code === status.CANCELLED ? Code.DeadlineExceeded : codeOf(error),
    metadata,
    undefined,
    error,
  );
  return failed.code === Code.Unavailable
    ? new NoResponseError(error.details === refused, failed)
    : failed;
}

/**
 * gRPC's codes have the same numbers as Connect's. grpc-js gives neither code nor details if it
 * cannot decompress a message.
 */
const codeOf = ({ code }: Partial<ServiceError>): Code =>
  code === undefined
    ? Code.Internal
    : (Object.values(Code).find((candidate): candidate is Code => candidate === (code as number)) ??
      Code.Unknown);

const detailsHeader = 'grpc-status-details-bin';
const isBinary = (name: string) => name.endsWith('-bin');

function addTo(metadata: Metadata, name: string, value: string): void {
  if (!isBinary(name)) return metadata.set(name, value);
  for (const one of value.split(',')) metadata.add(name, Buffer.from(one, 'base64'));
}

function headersOf(metadata: Metadata | undefined): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(metadata?.toHttp2Headers() ?? {}))
    for (const value of [values].flat()) headers.append(name, String(value));
  return headers;
}
