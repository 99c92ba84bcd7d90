import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create } from '@bufbuild/protobuf';
import type { Broker, BrokerMessage } from './broker.ts';
import { isAway, toServiceError } from './errors.ts';
import type { Log } from './log.ts';
import type { AuditDraft, Origin, StreamMessage } from './outbox.ts';
import { inRequest } from './request-id.ts';

// How a service follows what happens in another one.

/** An event of another service, with whose call it came from: what follows from it is theirs too. */
export type FollowedEvent = {
  id: string;
  type: string;
  tenant: string;
  data: Record<string, unknown>;
  origin: Origin;
};

type Following = {
  /** All processes that use the name share the work. */
  durable: string;
  /** One subject of the event stream, `evt.<tenant, or _>.<type>`, wildcards allowed. */
  subject: string;
  types: readonly string[];
  /** Must bear repetition, and events that come in another order than they happened in. */
  handle: (event: FollowedEvent) => Promise<void>;
  /** Milliseconds after which it is handled again, and again: for what may have been in hand elsewhere the first time. */
  again?: readonly number[];
  /** Whether it is never given up: what it did not do would stay undone. */
  lasting?: boolean;
};

/** So often an event is tried that fails by itself, and not because something is away. */
const tries = 10;

/** Hands each event of these types to `handle` until that has succeeded. One that never does is given up, and stops no other. */
export function followEvents(
  { broker, log }: { broker: Broker; log: Log },
  { durable, subject, types, handle, again = [], lasting = false }: Following,
): void {
  // How often each has been handled here: a try that failed, or that another process made, is none of them.
  const handled = new Map<string, number>();
  broker.consume(
    { stream: 'EVT', durable, subject, concurrency: 8, ackWaitMs: 10_000 },
    async (message) => {
      const isWanted = types.includes(typeOf(message));
      if (isWanted) await follow(message, log, { handle, lasting });
      const times = (handled.get(message.id) ?? 0) + 1;
      const pause = isWanted ? again[times - 1] : undefined;
      if (pause === undefined) {
        handled.delete(message.id);
        await message.ack();
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
    return log.error('a message of the event stream is no event', { subject: message.subject });
  try {
    await inRequest(event.origin.caller.requestId, () => handle(event));
  } catch (error) {
    // However long an outage or a crowd of other work takes, it is no fault of the event.
    const isTransient = isAway(error) || toServiceError(error).code === 'resource_exhausted';
    if (lasting || message.deliveries < tries || isTransient) throw error;
    log.error('an event could not be followed and is given up', {
      subject: message.subject,
      event: event.id,
      error,
    });
  }
}

const typeOf = ({ subject }: BrokerMessage): string => subject.split('.').slice(2).join('.');

/** The event of a stream message; undefined where it is none. */
export function readEvent(text: string): FollowedEvent | undefined {
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
  return { operation: { name: Operation }, caller: create(CallerSchema, caller) };
}
