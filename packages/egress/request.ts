import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { unavailable } from '@bailiwick/errors';
import type { Dispatcher } from 'undici';
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

const cancelled = new Error('the request was cancelled');

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
  { limits, signal, onAnswer, ...options }: EgressRequest,
): Promise<EgressAnswer> {
  const reader = createReader(limits.answerBytes, onAnswer);
  const deadline = setTimeout(
    () => reader.end(new DOMException('the receiver took too long', 'TimeoutError')),
    limits.totalMs,
  );
  const cancel = () => reader.end(cancelled);
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    const target = new URL(options.url);
    // The resolver cannot be cancelled.
    const addresses = await Promise.race([resolveReceiver(target, egress), reader.failed]);
    const { method, headers, body = null } = options;
    const path = `${target.pathname}${target.search}`;
    pools.for(target, addresses).dispatch({ method, path, headers, body }, reader.handler);
    return await reader.answer;
  } catch (error) {
    if (error instanceof ProxyFault) throw Object.assign(unavailable(), { cause: error });
    if (error === cancelled) throw unavailable(cancelled.message);
    throw failureOf(error, reader.isAnswering());
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', cancel);
  }
}

/**
 * Reads one response, without the streams and signals of undici's `request`, which cost more than
 * the rest of a short request. A fully read body keeps the connection reusable; beyond the limit
 * the connection is closed.
 */
function createReader(limit: number, onAnswer: (() => void) | undefined) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<EgressAnswer>();
  // It may fail before anything waits for it.
  answer.catch(() => {});
  const chunks: Uint8Array[] = [];
  let controller: Dispatcher.DispatchController | undefined;
  let failure: Error | undefined;
  let start: Pick<EgressAnswer, 'status' | 'headers'> | undefined;
  let [informational, size] = [0, 0];

  function end(reason: Error): void {
    failure ??= reason;
    reject(failure);
    controller?.abort(failure);
  }

  function finish(truncated: boolean): void {
    if (start) resolve({ ...start, body: Buffer.concat(chunks, Math.min(size, limit)), truncated });
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (failure) started.abort(failure);
    },
    onResponseStart(_, status, headers) {
      if (status < 200) {
        if (++informational > maxInformational) end(new AnswerTooLarge());
        return;
      }
      start = { status, headers };
      onAnswer?.();
    },
    onResponseData(reading, chunk) {
      if (size > limit) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size <= limit) return;
      finish(true);
      reading.abort(new AnswerTooLarge());
    },
    onResponseEnd: () => finish(false),
    onResponseError: (_, error) => reject(error),
  };
  return {
    answer,
    /** Rejects when the request ends without an answer. */
    failed: answer as Promise<never>,
    handler,
    end,
    isAnswering: () => start !== undefined,
  };
}
