import { Buffer } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { unavailable } from '../errors.ts';
import { AnswerTooLarge, failureOf } from './failure.ts';
import type { Pools } from './pools.ts';
import { ProxyFault } from './proxy.ts';
import { type EgressRules, resolveReceiver } from './rules.ts';

export type Egress = { pools: Pools; egress: EgressRules };

export type RequestLimits = {
  /** From the look-up of the name to the end of the answer's body, in milliseconds. */
  totalMs: number;
  /** Of the answer's body are read. */
  answerBytes: number;
};

export type EgressRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Uint8Array;
  limits: RequestLimits;
  /** Ends when nobody on our side waits any more. */
  signal: AbortSignal;
  /** Told when the receiver begins to answer. */
  onAnswer?: () => void;
};

export type EgressAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** As it was sent: nothing is unpacked. */
  body: Buffer;
  /** Whether there was more of it than the limit lets in. */
  truncated: boolean;
};

const calledOff = Symbol('called off');

/** Informational answers (1xx) before the real one. Early hints come once or twice; a flood of them would last as long as the request may. */
const mostInformational = 8;

/**
 * Makes one request to an address that a client chose, and follows no redirect. Throws RequestFailed where it brings no answer
 * that the receiver is to blame for, and `unavailable` where the fault is ours: the proxy's, or the request was called off.
 */
export async function request(
  { pools, egress }: Egress,
  { limits, signal, ...wanted }: EgressRequest,
): Promise<EgressAnswer> {
  // One signal of our own: combining three costs more than all else that is done here.
  const ended = new AbortController();
  const deadline = setTimeout(
    () => ended.abort(new DOMException('the receiver took too long', 'TimeoutError')),
    limits.totalMs,
  );
  const callOff = () => ended.abort(calledOff);
  if (signal.aborted) callOff();
  else signal.addEventListener('abort', callOff, { once: true });
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
      onInfo: () => void (++informational > mostInformational && ended.abort(new AnswerTooLarge())),
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
    if (ended.signal.reason === calledOff) throw unavailable('the request was called off');
    throw failureOf(ended.signal.aborted ? ended.signal.reason : error, answering);
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', callOff);
  }
}

// Read to its end the connection can be used again; beyond the limit it is closed.
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

// The resolver takes no signal.
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = () => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
