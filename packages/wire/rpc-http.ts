import { Buffer } from 'node:buffer';
import { hopAgent, unprocessedHeader } from '@bailiwick/process';
import { Code, ConnectError } from '@connectrpc/connect';
import {
  codeFromHttpStatus,
  contentTypeUnaryProto,
  errorFromJsonBytes,
  parseContentType,
  trailerDemux,
} from '@connectrpc/connect/protocol-connect';
import { type Dispatcher, Pool } from 'undici';
import { startDeadline } from './deadline.ts';
import { probeFailed, probingConnector } from './probe.ts';
import { connectingTimeoutMs, NoResponseError, refusedTimeoutMs } from './retry.ts';
import {
  type Attempt,
  createWireTransport,
  type Metadata,
  type WireAnswer,
  type WireOptions,
  type WireTransport,
} from './rpc.ts';

/**
 * Connections are replaced often, so that new replicas get their share of the calls within seconds.
 */
const connectionAgeMs = 10_000;

/** A transport to one service over HTTP. `sign` makes the caller token for that service. */
export function createHttpTransport(options: WireOptions): WireTransport {
  const pool = new Pool(options.url, {
    connections: 128,
    // Shorter than the server's, so that the client never uses a connection that the server is
    // closing.
    keepAliveTimeout: 20_000,
    keepAliveMaxTimeout: 20_000,
    clientTtl: options.connectionAgeMs ?? connectionAgeMs,
    allowH2: false,
    connect: probingConnector({
      connectMs: refusedTimeoutMs,
      probeMs: connectingTimeoutMs,
      tls: options.tls,
    }),
  });
  return createWireTransport(options, {
    system: 'connectrpc',
    async send(attempt) {
      let answer: HttpAnswer;
      try {
        answer = await post(pool, attempt);
      } catch (error) {
        throw noResponse(error);
      }
      return read(answer);
    },
    close: () => pool.close(),
  });
}

type HttpAnswer = { status: number; headers: Record<string, unknown>; bytes: Uint8Array };

/**
 * Posts an attempt. undici's `request` would make a stream for each response and listen to signals;
 * its handlers cost a third of that.
 */
function post(pool: Pool, { method, headers, body, timeoutMs, signal }: Attempt) {
  return new Promise<HttpAnswer>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let failure: Error | undefined;
    const deadline = startDeadline(timeoutMs, () => {
      failure = signal?.aborted
        ? new ConnectError('the call was cancelled', Code.Canceled)
        : new ConnectError('no response in time', Code.DeadlineExceeded);
      controller?.abort(failure);
      settle(() => reject(failure));
    });
    const settle = (result: () => void): void => {
      deadline.finish();
      signal?.removeEventListener('abort', deadline.end);
      result();
    };
    signal?.addEventListener('abort', deadline.end);
    if (signal?.aborted) return deadline.end();
    let [status, received]: [number, HttpAnswer['headers']] = [0, {}];
    const chunks: Buffer[] = [];
    pool.dispatch(requestOf({ method, headers, body, timeoutMs }), {
      onRequestStart(started) {
        controller = started;
        // The request waited for a connection for too long, and is not sent.
        if (failure) started.abort(failure);
      },
      onResponseStart(_controller, statusCode, responseHeaders) {
        [status, received] = [statusCode, responseHeaders];
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd() {
        settle(() => resolve({ status, headers: received, bytes: joined(chunks) }));
      },
      onResponseError(_controller, error) {
        settle(() => reject(error));
      },
    });
  });
}

function requestOf({ method, headers, body, timeoutMs }: Omit<Attempt, 'signal'>) {
  return {
    method: 'POST',
    path: `/${method.parent.typeName}/${method.name}`,
    headers: {
      ...headers,
      'content-type': contentTypeUnaryProto,
      'connect-protocol-version': '1',
      // Infinity is no limit.
      ...(Number.isFinite(timeoutMs) && { 'connect-timeout-ms': String(timeoutMs) }),
      'user-agent': hopAgent,
    },
    body,
    // The attempt's own deadline covers both.
    bodyTimeout: 0,
    headersTimeout: 0,
  } as const;
}

// Copied: messages keep views of these bytes, and a cached one would pin the socket's whole buffer.
const joined = (chunks: readonly Buffer[]): Uint8Array =>
  new Uint8Array(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));

/** @throws a ConnectError for an error response, and NoResponseError if it is not the service's */
function read({ status, headers, bytes }: HttpAnswer): WireAnswer {
  if (status === 200) {
    assertOurs(headers);
    return { body: bytes, metadata: () => metadataOf(headers) };
  }
  const failure = new ConnectError(`HTTP ${status}`, codeFromHttpStatus(status));
  if (headers[unprocessedHeader] !== undefined) throw new NoResponseError(true, failure);
  if (!String(headers['content-type']).startsWith('application/json')) {
    // Connect's response for an unknown method: the service is an older version.
    if (status === 404)
      throw new ConnectError('the service does not know this method', Code.Unimplemented);
    // Not our format: a proxy answered for a service that it could not reach.
    throw new NoResponseError(false, failure);
  }
  const { header, trailer } = metadataOf(headers);
  trailer.forEach((value, name) => header.append(name, value));
  throw errorFromJsonBytes(bytes, header, failure);
}

/**
 * A proxy may answer 200 with a page of its own: an empty one would be a message without fields, and
 * a compressed one no message.
 */
function assertOurs(headers: HttpAnswer['headers']): void {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers;
  if (type === contentTypeUnaryProto && encoding === 'identity') return;
  const parsed = parseContentType(String(type));
  const isMessage = parsed?.binary === true && !parsed.stream;
  if (isMessage && encoding === 'identity') return;
  const problem = isMessage ? `encoding ${String(encoding)}` : `content type ${String(type)}`;
  throw new NoResponseError(
    false,
    new ConnectError(`unexpected ${problem}`, parsed ? Code.Internal : Code.Unknown),
  );
}

function metadataOf(headers: HttpAnswer['headers']): Metadata {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) all.append(name, String(one));
  const [header, trailer] = trailerDemux(all);
  return { header, trailer };
}

// A failed probe means that nothing was sent.
const noResponse = (error: unknown): NoResponseError =>
  new NoResponseError((error as NodeJS.ErrnoException).code === probeFailed, error);
