import { type EgressRules, resolveReceiver } from '@bailiwick/shared/egress.ts';
import { unavailable } from '@bailiwick/shared/errors.ts';
import { type Outcome, outcomeOfAnswer, outcomeOfFailure } from './outcome.ts';
import type { Pools } from './pools.ts';

/** delivery.md §1: 15 s in all, the answer's body included; 5 s to connect; 16 KiB of the answer are read. */
export const limits = { totalMs: 15_000, connectMs: 5000, answerBytes: 16 * 1024 };

export type Attempt = {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  signal: AbortSignal;
  /** Told when the receiver begins to answer. */
  onAnswer?: () => void;
};

/**
 * Makes one attempt to post a body. Always resolves with what came of it, except where the attempt was
 * called off on our side: that is no fault of the receiver, and nobody knows what it saw.
 */
export async function send({ pools, egress }: { pools: Pools; egress: EgressRules }, { url, headers, body, signal, onAnswer }: Attempt): Promise<Outcome> {
  const deadline = AbortSignal.timeout(limits.totalMs);
  const either = AbortSignal.any([signal, deadline]);
  let answering = false;
  try {
    const target = new URL(url);
    const addresses = await Promise.race([resolveReceiver(target, egress), aborted(either)]);
    const response = await pools.for(target, addresses).request({
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers,
      body,
      signal: either,
    });
    answering = true;
    onAnswer?.();
    await drain(response.body);
    const retryAfter = response.headers['retry-after'];
    return outcomeOfAnswer(response.statusCode, typeof retryAfter === 'string' ? retryAfter : undefined, new Date());
  } catch (error) {
    if (signal.aborted && !deadline.aborted) throw unavailable('the attempt was called off');
    return outcomeOfFailure(deadline.aborted ? deadline.reason : error, answering);
  }
}

// Read to its end the connection can be used again; beyond the limit it is closed and the status counts all the same.
async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limits.answerBytes) return;
  }
}

// The resolver takes no signal.
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const give = () => reject(signal.reason as Error);
    if (signal.aborted) give();
    else signal.addEventListener('abort', give, { once: true });
  });
}
