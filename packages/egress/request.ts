import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { unavailable } from '@bailiwick/errors';
import { AnswerTooLarge, failureOf } from './failure.ts';
import type { Pools } from './pools.ts';
import { ProxyFault } from './proxy.ts';
import { type EgressRules, resolveReceiver } from './rules.ts';

/** The connections and the rules that a request uses. */
export type Egress = { pools: Pools; egress: EgressRules };

type RequestLimits = {
  /** From the look-up of the name to the end of the response body, in milliseconds. */
  totalMs: number;
  /** The most bytes to read of the response body. */
  answerBytes: number;
};

/** One request to an address that a client chose. */
export type EgressRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Uint8Array;
  limits: RequestLimits;
  /** Cancels the request. */
  signal: AbortSignal;
  /** Called when the response begins. */
  onAnswer?: () => void;
};

/** A receiver's response. */
export type EgressAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as sent, not decompressed. */
  body: Buffer;
  /** Whether the body was longer than the limit. */
  truncated: boolean;
};

const cancelled = Symbol('cancelled');

/**
 * Limit of informational responses (1xx). Early hints come once or twice; a flood of them would
 * keep the request busy until its timeout.
 */
const maxInformational = 8;

/**
 * Makes one request to an address that a client chose, without following redirects. @throws
 * RequestFailed if the receiver is at fault, `unavailable` if the proxy failed or the request was
 * cancelled
 */
export async function request(
  { pools, egress }: Egress,
  { limits, signal, ...wanted }: EgressRequest,
): Promise<EgressAnswer> {
  // A single signal: combining three would cost more than all other work here.
  const ended = new AbortController();
  const deadline = setTimeout(
    () => ended.abort(new DOMException('the receiver took too long', 'TimeoutError')),
    limits.totalMs,
  );
  const cancel = () => ended.abort(cancelled);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  let answering = false;
  let informational = 0;
  try {
    const target = new URL(wanted.url);
    const addresses = await Promise.race([resolveReceiver(target, egress), aborted(ended.signal)]);
    const response = await pools.for(target, addresses).request({
      method: wanted.method,
      path: `${target.pathname}${target.search}`,
      headers: wanted.headers,
      body: wanted.body ?? null,
      signal: ended.signal,
      onInfo: () => void (++informational > maxInformational && ended.abort(new AnswerTooLarge())),
    });
    answering = true;
    wanted.onAnswer?.();
    return {
      status: response.statusCode,
      headers: response.headers,
      ...(await read(response.body, limits.answerBytes)),
    };
  } catch (error) {
    if (error instanceof ProxyFault) throw Object.assign(unavailable(), { cause: error });
    if (ended.signal.reason === cancelled) throw unavailable('the request was cancelled');
    throw failureOf(ended.signal.aborted ? ended.signal.reason : error, answering);
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', cancel);
  }
}

// A fully read body keeps the connection reusable; beyond the limit the connection is closed.
async function read(
  body: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Pick<EgressAnswer, 'body' | 'truncated'>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) return { body: Buffer.concat(chunks, limit), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: false };
}

// The resolver does not support signals.
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = () => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
