import type { EndpointOfEvent } from './queries.ts';

/** The cause for which a message waits. explanations.proto describes the values. */
export type WaitCause =
  | 'retry'
  | 'resend'
  | 'pause'
  | 'receiver'
  | 'probe'
  | 'rate'
  | 'turn'
  | 'quota'
  | 'queue'
  | 'fault';

/** `until` is in the future; absent = not known, or now. */
export type Wait = { for: WaitCause; until?: string };

type Waiting = Pick<
  EndpointOfEvent,
  | 'state'
  | 'lane'
  | 'attempt'
  | 'firstAttempt'
  | 'dueAt'
  | 'pausedUntil'
  | 'pauseMs'
  | 'releaseAt'
  | 'rateLimit'
>;

/** The wait of a task that has a row. It follows flow-control.ts, plan.ts and perform.ts. */
export function waitOf(row: Waiting): Wait {
  const { state, dueAt, pausedUntil } = row;
  // A retry that is due during a pause is parked until the pause ends.
  const isPaused = pausedUntil !== null && Date.parse(pausedUntil) > Date.parse(dueAt ?? '1970');
  if (isPaused) return { for: row.pauseMs > 0 ? 'pause' : 'receiver', until: pausedUntil };
  if (state === 'parked') return waitOfParked(row);
  const isRetry = row.attempt !== row.firstAttempt;
  const cause = isRetry ? 'retry' : row.lane === 'replay' ? 'resend' : 'fault';
  if (dueAt !== null) return { for: cause, until: dueAt };
  return { for: cause === 'resend' ? 'resend' : 'queue' };
}

function waitOfParked({ pauseMs, rateLimit, releaseAt }: Waiting): Wait {
  if (pauseMs > 0) return { for: 'probe' };
  return { for: rateLimit > 0 ? 'rate' : 'turn', ...(releaseAt !== null && { until: releaseAt }) };
}
