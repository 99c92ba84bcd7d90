import type { Broker, BrokerMessage } from '@bailiwick/broker';
import { causedBy, type Origin } from '@bailiwick/contract';
import { isOutage, toServiceError } from '@bailiwick/errors';
import type { Log } from '@bailiwick/process';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create } from '@bufbuild/protobuf';
import type { AuditDraft, StreamMessage } from './row.ts';

// Handles events of other services.

/**
 * An event of another service with the call that caused it: changes that follow from it are audited
 * under the same caller.
 */
export type FollowedEvent = {
  id: string;
  type: string;
  tenant: string;
  data: Record<string, unknown>;
  origin: Origin;
};

type Following = {
  /** All processes with the same name share the work. */
  durable: string;
  /** One subject of the event stream, `evt.<tenant, or _>.<type>`, wildcards allowed. */
  subject: string;
  types: readonly string[];
  /**
   * The durable name of the version that took all events of `subject`. If set, the broker delivers
   * only the events of `types`: change `types` only together with `durable`.
   */
  replaces?: string;
  /** Must be idempotent, and must accept events out of order. */
  handle: (event: FollowedEvent) => Promise<void>;
  /**
   * Delays in milliseconds after which the event is handled again, for work that was in progress
   * elsewhere the first time.
   */
  again?: readonly number[];
  /** Whether the event is retried for ever, because skipping it would leave work undone. */
  lasting?: boolean;
  /** The most events in hand at once in this process. */
  concurrency?: number;
};

/** Attempts before a poison event is dropped. Outages do not count. */
const tries = 10;

/**
 * Passes each event of these types to `handle` until it succeeds. A poison event is dropped and
 * does not block others.
 */
export function followEvents(
  { broker, log }: { broker: Broker; log: Log },
  {
    durable,
    subject,
    types,
    replaces,
    handle,
    again = [],
    lasting = false,
    concurrency = 8,
  }: Following,
): void {
  const narrowed =
    replaces === undefined
      ? undefined
      : { subjects: types.map((type) => `evt.*.${type}`), replaces };
  // Successful runs of each event in this process: failed attempts, and those of other processes,
  // do not count.
  const handled = new Map<string, number>();
  broker.consume(
    { stream: 'EVT', durable, subject, narrowed, concurrency, ackWaitMs: 10_000 },
    async (message) => {
      const isWanted = types.includes(typeOf(message));
      if (isWanted) await follow(message, log, { handle, lasting });
      const times = (handled.get(message.id) ?? 0) + 1;
      const pause = isWanted ? again[times - 1] : undefined;
      if (pause === undefined) {
        handled.delete(message.id);
        message.ack();
      } else {
        handled.set(message.id, times);
        message.retry(pause);
      }
    },
  );
}

async function follow(
  message: BrokerMessage,
  log: Log,
  { handle, lasting }: Required<Pick<Following, 'handle' | 'lasting'>>,
): Promise<void> {
  const event = readEvent(message.text());
  if (!event)
    return log.error('message on the event stream is not an event', { subject: message.subject });
  try {
    await handle(event);
  } catch (error) {
    // Neither an outage nor overload is the event's fault, however long it takes.
    const isTransient = isOutage(error) || toServiceError(error).code === 'resource_exhausted';
    if (lasting || message.deliveries < tries || isTransient) throw error;
    log.error('event dropped after repeated failures', {
      subject: message.subject,
      event: event.id,
      error,
    });
  }
}

const typeOf = ({ subject }: BrokerMessage): string => subject.split('.').slice(2).join('.');

/** Parses the event of a stream message; undefined if it is not one. */
function readEvent(text: string): FollowedEvent | undefined {
  try {
    const { event, audit } = JSON.parse(text) as StreamMessage;
    if (event === null) return undefined;
    const { id, type, tenant, data } = JSON.parse(event) as Record<string, unknown>;
    if (
      typeof id !== 'string' ||
      typeof type !== 'string' ||
      typeof tenant !== 'string' ||
      typeof data !== 'object' ||
      data === null
    )
      return undefined;
    return { id, type, tenant, data: data as Record<string, unknown>, origin: originOf(audit) };
  } catch {
    return undefined;
  }
}

function originOf({
  Operation,
  ActorType,
  ActorID,
  CredentialID,
  IP,
  UserAgent,
  RequestID,
}: AuditDraft): Origin {
  const caller = {
    type: ActorType,
    id: ActorID,
    credentialId: CredentialID,
    ip: IP,
    userAgent: UserAgent,
    requestId: RequestID,
  };
  return causedBy({
    operation: { name: Operation },
    caller: create(CallerSchema, caller),
    permission: '',
  });
}
