import { type EgressRules, type Pools } from '@bailiwick/egress';
import { inSpan, markFailed, timing } from '@bailiwick/process';
import { SpanKind } from '@opentelemetry/api';
import type { DeliveryOutcome } from './delivery-outcome.ts';
import { type Attempt, send } from './send.ts';
import type { TaskAttempt } from './task.ts';

/**
 * Buckets in seconds: healthy waits first, then minutes and hours, for deliveries that waited while
 * a receiver was down.
 */
const waits = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600, 21_600];

const firstByte = timing(
  {
    name: 'bailiwick_delivery_first_byte_seconds',
    about: "Time from an event to the first byte of the receiver's response.",
  },
  waits,
);

/**
 * Sends in its own span. The span names neither host nor path, because some receivers' URLs are
 * secrets. The trace context is not propagated: the receiver is a third party.
 */
export function sendTraced(
  deps: { pools: Pools; egress: EgressRules },
  attempt: Attempt,
  {
    name,
    endpoint,
    task,
  }: { name: 'POST webhook' | 'POST chat' | 'POST logout'; endpoint: string; task: TaskAttempt },
): Promise<DeliveryOutcome> {
  const attributes = {
    'http.request.method': 'POST',
    'bailiwick.endpoint': endpoint,
    'http.request.resend_count': task.number - 1,
  };
  return inSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    // Later attempts would measure the retry schedule instead of the queue.
    const onAnswer = () =>
      task.number === 1 &&
      task.enqueued &&
      firstByte.record((Date.now() - task.enqueued.getTime()) / 1000, {});
    const outcome = await send(deps, { ...attempt, onAnswer });
    if (outcome.statusCode !== 0)
      span.setAttribute('http.response.status_code', outcome.statusCode);
    if (outcome.error !== '') markFailed(span, outcome.error);
    return outcome;
  });
}
