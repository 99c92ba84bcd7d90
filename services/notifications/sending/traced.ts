import type { Pools } from '@bailiwick/shared/egress/pools.ts';
import type { EgressRules } from '@bailiwick/shared/egress/rules.ts';
import { inSpan, markFailed } from '@bailiwick/shared/trace.ts';
import { SpanKind } from '@opentelemetry/api';
import type { TaskContext } from '../queue/context.ts';
import { firstByte } from '../queue/metrics.ts';
import type { Outcome } from './outcome.ts';
import { type Attempt, send } from './send.ts';

/**
 * Sends in a span of its own. It names neither host nor path: some receivers' addresses are secrets. Nor is the trace
 * handed on: a receiver is foreign, and what it did with it would end in nobody's trace.
 */
export function sendTraced(
  deps: { pools: Pools; egress: EgressRules },
  attempt: Attempt,
  {
    name,
    endpoint,
    task,
  }: { name: 'POST webhook' | 'POST chat'; endpoint: string; task: TaskContext },
): Promise<Outcome> {
  const attributes = {
    'http.request.method': 'POST',
    'bailiwick.endpoint': endpoint,
    'http.request.resend_count': task.attempt - 1,
  };
  return inSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    // Later attempts tell of the schedule, and not of the queue.
    const onAnswer = () =>
      task.attempt === 1 &&
      task.enqueued &&
      firstByte.record((Date.now() - task.enqueued.getTime()) / 1000, {});
    const outcome = await send(deps, { ...attempt, onAnswer });
    if (outcome.statusCode !== 0)
      span.setAttribute('http.response.status_code', outcome.statusCode);
    if (outcome.error !== '') markFailed(span, outcome.error);
    return outcome;
  });
}
