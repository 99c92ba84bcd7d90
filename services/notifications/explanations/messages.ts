import type { ReachReason, SkipReason } from '../fanout/event.ts';
import type { WaitCause } from './wait.ts';

// The sentences of explanations, for developers.

/** Why an endpoint does not get an event. */
export const skipMessages: Readonly<Record<SkipReason, string>> = {
  inactive: 'The endpoint is inactive.',
  not_subscribed: 'The endpoint is not subscribed to events of this type.',
  self_event: 'The endpoint gets events of this type about other endpoints, and none about itself.',
};

/** Why no endpoint gets events of a type. */
export const reachMessages: Readonly<Record<ReachReason, string>> = {
  no_tenant: 'Events of this type belong to no tenant, or to a deleted one.',
  test_only: 'Events of this type are sent only by a test, to the tested endpoint.',
};

/** Why an endpoint did not get one event. */
export type MissReason = SkipReason | ReachReason | 'created_later' | 'not_recorded';

export const missMessages: Readonly<Record<MissReason, string>> = {
  ...skipMessages,
  ...reachMessages,
  created_later: 'The endpoint was created after the event.',
  not_recorded:
    'The endpoint is subscribed now, but nothing is recorded about this event: most likely it was not subscribed then.',
};

/** The cause for which a message waits. */
export const waitMessages: Readonly<Record<WaitCause, string>> = {
  retry: 'The last attempt failed, and the next one waits for its time.',
  resend: 'The message is sent again.',
  pause: 'The endpoint is paused because too many attempts failed.',
  receiver: 'The receiver asked for a pause.',
  probe: 'After a pause, another message is tried first.',
  rate: 'The endpoint takes a limited number of messages a second.',
  turn: 'Other messages to the endpoint are first: the receiver answers slowly.',
  quota: 'The tenant has more messages than the quick lanes take, or the receiver answers slowly.',
  queue: 'The message waits for its turn in the queue.',
  fault: 'The attempt could not be made because of an internal error, and is repeated.',
};

/** The end of a message that waits no more. */
export const endMessages = {
  delivered: 'The receiver accepted the message.',
  failed: 'The last attempt failed, and no attempt follows.',
  stopped: 'The endpoint was switched off, and no attempt follows.',
} as const;
