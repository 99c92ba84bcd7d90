import { Buffer } from 'node:buffer';
import { replayedHeader } from '@bailiwick/idempotency';
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
import type { Material } from './certificates.ts';
import { connectingTimeoutMs, NoResponseError, refusedTimeoutMs } from './retry.ts';
import {
  type Attempt,
  createWireTransport,
  type WireAnswer,
  type WireOptions,
  type WireTransport,
} from './rpc.ts';
import type { Tls } from './tls.ts';

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

  /**
   * Waits for a connection. The channel alone would hold a call without a connection until its
   * deadline.
   */
  async function connected(limitMs: number): Promise<void> {
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
          Code.Unavailable,
          undefined,
          undefined,
          new Error(`no connection to ${options.url}`),
        );
      const seen = state;
      await new Promise<void>((resolve) =>
        channel.watchConnectivityState(seen, until, () => resolve()),
      );
    }
  }

  async function send({ method, headers, body, timeoutMs, signal }: Attempt): Promise<WireAnswer> {
    const deadline = Date.now() + timeoutMs;
    await connected(timeoutMs);
    // If the connection ends right now, the call waits for the next one, since it is certainly
    // unsent. The channel itself retries what a server refused (GOAWAY).
    const metadata = new Metadata({ waitForReady: true });
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    return new Promise((resolve, reject) => {
      const path = `/${method.parent.typeName}/${method.name}`;
      const call = client.makeUnaryRequest(
        path,
        toBuffer,
        toBuffer,
        body,
        metadata,
        { deadline },
        (error, answer) => {
          signal?.removeEventListener('abort', cancel);
          if (error) reject(failure(error));
          else resolve({ body: answer ?? new Uint8Array(), replayed });
        },
      );
      let replayed = false;
      call.on('metadata', (received) => (replayed = received.get(replayedHeader).length > 0));
      const cancel = () => call.cancel();
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel);
    });
  }

  const close = () => Promise.resolve(client.close());
  return createWireTransport(options, { system: 'grpc', send, close });
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

const detailsHeader = 'grpc-status-details-bin';

/** The service's own error with its detail, or NoResponseError if the connection failed. */
function failure(error: ServiceError): Error {
  const details = error.metadata?.get(detailsHeader)[0];
  if (details instanceof Buffer)
    return findTrailerError(new Headers({ [detailsHeader]: details.toString('base64') })) ?? error;
  if (error.code === status.UNAVAILABLE)
    return new NoResponseError(error.details === refused, error);
  // gRPC's codes have the same numbers as Connect's.
  const code =
    Object.values(Code).find(
      (candidate): candidate is Code => candidate === (error.code as number),
    ) ?? Code.Unknown;
  return new ConnectError(error.details, code, undefined, undefined, error);
}
