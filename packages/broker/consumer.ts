import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { toServiceError } from '@bailiwick/errors';
import { type Log, markFailed, traceparentHeader } from '@bailiwick/process';
import {
  AckPolicy,
  type Consumer,
  type ConsumerInfo,
  type ConsumerMessages,
  type ConsumerUpdateConfig,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  nanos,
} from 'nats';
import { createHorizon, type Horizon } from './horizon.ts';
import { handling } from './messages.ts';
import type { Names } from './names.ts';
import { BrokerProblem, type Owner } from './owner.ts';
import type { Writer } from './publications.ts';
import { missing, ownerKey, type Place, type StreamName } from './streams.ts';

// Consumes messages from a stream. Only broker.ts calls this.

/** A message in hand. Exactly one of `ack` and `retry` must end it. */
export type BrokerMessage = {
  /** The id that it was published with. */
  id: string;
  subject: string;
  text(): string;
  header(name: string): string;
  /** The number of deliveries so far, from 1. */
  deliveries: number;
  /**
   * A time after which the broker stored this message, which it delivers for the first time.
   * Undefined for a message that may be older than the present connection or the present consumer.
   */
  newSince: Date | undefined;
  /** Acknowledges the message. It may still be redelivered if the acknowledgement is lost. */
  ack(): void;
  /** Has it redelivered after `delayMs`. */
  retry(delayMs: number): void;
};

export type ConsumerOptions = {
  stream: StreamName;
  /** The durable name: all processes with the same name share the work. */
  durable: string;
  /** One subject, wildcards allowed. */
  subject: string;
  /** Some of its subjects, which the consumer gets instead. */
  narrowed?: Narrowed | undefined;
  /** The most messages in hand at once in this process. */
  concurrency: number;
  /**
   * How long the broker waits for an ack or a sign of life before it redelivers. Messages in hand
   * send signs of life.
   */
  ackWaitMs: number;
};

/**
 * The subjects of a consumer that replaces one with a wider subject. The list of a durable name must never change: of two versions that run side by
 * side, the one that knows fewer subjects would make the broker skip the others. A longer list needs
 * another durable name, which replaces this one.
 */
export type Narrowed = {
  subjects: readonly string[];
  /**
   * The durable name that the previous version uses. The new consumer starts where that one stands,
   * and leaves it to the previous version, which cannot update a consumer with several subjects.
   */
  replaces: string;
};

const signOfLifeMs = 3000;

/** The most messages of one pull. A pull cannot limit both messages and bytes. */
const mostAtOnce = 64;

/**
 * With this many bytes in hand, a consumer receives no further messages: 16 MiB, or more with a
 * high concurrency, so that running work alone does not reach it.
 */
const bytesInHand = { least: 16 * 1024 * 1024, perMessage: 5 * 1024 };

/**
 * Messages in hand of one consumer, over all processes: enough for a hundred workers of the default
 * size.
 */
const maxInHand = 200_000;

// An existing consumer keeps its position and takes these settings: a new version may have changed
// them.
export async function ensureConsumer(
  { manager, names, owner }: Place,
  { stream: plain, durable, subject, narrowed, ackWaitMs }: ConsumerOptions,
): Promise<ConsumerInfo> {
  const stream = names.stream(plain);
  const find = (name: string) => manager.consumers.info(stream, name).catch(missing);
  const stored = await find(durable);
  if (stored) assertUsable(stored, owner);
  const settings = {
    ack_wait: nanos(ackWaitMs),
    // Unlimited redelivery: a limit would leave messages behind that only an advisory reports.
    max_deliver: -1,
    max_ack_pending: maxInHand,
    // Otherwise the consumer would disappear with its position.
    inactive_threshold: 0,
    metadata: { ...stored?.config.metadata, [ownerKey]: owner.id },
    ...filterOf(names.subject(subject), narrowed?.subjects.map(names.subject)),
  };
  if (stored) return manager.consumers.update(stream, durable, settings);
  const replaced = narrowed && (await find(narrowed.replaces));
  return manager.consumers.add(stream, {
    ...settings,
    ...(replaced && {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: replaced.ack_floor.stream_seq + 1,
    }),
    durable_name: durable,
    ack_policy: AckPolicy.Explicit,
  });
}

/** @throws BrokerProblem for another installation's consumer, and for one that loses messages */
function assertUsable({ stream_name: stream, name, config }: ConsumerInfo, owner: Owner): void {
  const ownerId = config.metadata?.[ownerKey] ?? owner.id;
  if (ownerId !== owner.id)
    throw new BrokerProblem(
      `the consumer ${name} of the stream ${stream} belongs to the installation ${ownerId}, and this is ${owner.id}: use a NATS account of its own, or set BAILIWICK_NATS_PREFIX`,
    );
  if (config.ack_policy !== AckPolicy.Explicit || config.deliver_subject)
    throw new BrokerProblem(
      `the consumer ${name} of the stream ${stream} acknowledges by itself or pushes its messages, which loses messages: delete the consumer`,
    );
}

/** An update is merged with the stored settings, so it has to name the filter that it removes. */
const filterOf = (
  subject: string,
  subjects: readonly string[] | undefined,
): Partial<ConsumerUpdateConfig> =>
  ({
    filter_subject: subjects ? undefined : subject,
    filter_subjects: subjects && [...subjects],
  }) as Partial<ConsumerUpdateConfig>;

type Link = {
  /** Where the streams are, once they are this installation's. @throws BrokerProblem */
  ensure: () => Promise<Place>;
  /** Reports a BrokerProblem. */
  report: (error: unknown) => void;
  names: Names;
  client: () => JetStreamClient | undefined;
  connections: () => number;
  manager: () => Promise<JetStreamManager>;
  writer: Writer;
  log: Log;
  isClosed: () => boolean;
};

export function consumeForever(
  { ensure, report, names, client, connections, manager, writer, log, isClosed }: Link,
  options: ConsumerOptions,
  handle: (message: BrokerMessage) => Promise<void>,
) {
  let stopping = false;
  let stopPull = () => {};
  const inHand = createHand(options.concurrency);
  const stream = names.stream(options.stream);

  async function pull(): Promise<void> {
    await ensureConsumer(await ensure(), options);
    const consumer = await client()?.consumers.get(stream, options.durable);
    if (!consumer || stopping) return;
    // A consumer that was made again counts deliveries from 1.
    const horizon = createHorizon(connections);
    while (!stopping) {
      const free = await inHand.room();
      await horizon.note(manager, stream);
      if (free > 0 && !stopping) await pullSome(consumer, horizon, free);
    }
  }

  async function pullSome(consumer: Consumer, horizon: Horizon, limit: number): Promise<void> {
    const messages = await consumer.fetch({
      max_messages: limit,
      expires: 30_000,
      idle_heartbeat: 5000,
    });
    stopPull = () => messages.stop();
    if (stopping) stopPull();
    const isLost = stopWhenLost(messages);
    for await (const message of messages) {
      if (stopping) message.nak();
      else inHand.add(message, settle(message, options, { handle, horizon, names, writer, log }));
    }
    if (isLost() && !stopping)
      throw new Error('the broker has lost the consumer or stopped sending heartbeats');
  }

  const loop = (async () => {
    while (!stopping) {
      await pull().catch((error: unknown) => {
        report(error);
        if (!isClosed())
          log.warn('consumer interrupted, restarting', { durable: options.durable, error });
      });
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();

  return async () => {
    stopping = true;
    stopPull();
    await inHand.empty();
    // While the broker is away the loop may hang, but no message is in hand: do not wait for it.
    await Promise.race([loop, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
  };
}

/**
 * The messages that are being handled. Only as many are fetched as `room` allows: messages in the
 * client's buffer would send no signs of life, so the broker would redeliver them.
 */
function createHand(concurrency: number) {
  const works = new Map<JsMsg, Promise<void>>();
  let bytes = 0;
  let wake = () => {};
  let signs: NodeJS.Timeout | undefined;

  const mostBytes = Math.max(bytesInHand.least, concurrency * bytesInHand.perMessage);
  const isFull = () => works.size >= concurrency || bytes >= mostBytes;
  const sendSigns = () => {
    for (const message of works.keys()) message.working();
  };

  function remove(message: JsMsg): void {
    works.delete(message);
    bytes -= message.data.length;
    if (works.size === 0) {
      clearInterval(signs);
      signs = undefined;
    }
    wake();
  }

  return {
    /** Takes a message whose handling has begun. `work` never rejects. */
    add(message: JsMsg, work: Promise<void>): void {
      bytes += message.data.length;
      signs ??= setInterval(sendSigns, signOfLifeMs);
      works.set(
        message,
        work.finally(() => remove(message)),
      );
    },
    /** Waits until there is room, and returns the number of messages to fetch. */
    async room(): Promise<number> {
      while (isFull()) await new Promise<void>((resolve) => (wake = resolve));
      // A short wait lets several messages settle, so that one pull replaces them all.
      if (works.size > concurrency / 2) await sleep(5);
      return Math.min(concurrency - works.size, mostAtOnce);
    },
    empty: () => Promise.all(works.values()),
  };
}

const losses: ReadonlySet<string> = new Set([
  'heartbeats_missed',
  'consumer_not_found',
  'stream_not_found',
  'consumer_deleted',
]);

/**
 * Ends a pull whose consumer is lost, so that the loop recreates it: a broker that lost its store
 * has lost the consumer too, and sends no more heartbeats.
 */
function stopWhenLost(messages: ConsumerMessages): () => boolean {
  let lost = false;
  void (async () => {
    for await (const { type } of await messages.status()) {
      if (!losses.has(type)) continue;
      lost = true;
      messages.stop();
    }
  })();
  return () => lost;
}

type Handling = {
  handle: (message: BrokerMessage) => Promise<void>;
  horizon: Horizon;
  names: Names;
  writer: Writer;
  log: Log;
};

function settle(
  message: JsMsg,
  { stream, durable }: ConsumerOptions,
  { handle, horizon, names, writer, log }: Handling,
): Promise<void> {
  const { deliveryCount: deliveries } = message.info;
  return handling(
    { stream, durable, deliveries, traceparent: message.headers?.get(traceparentHeader) },
    async (span) => {
      try {
        await handle(opened(message, { horizon, names, writer }));
      } catch (error) {
        log.error('handling a message failed, it will be redelivered', {
          subject: message.subject,
          error,
        });
        markFailed(span, toServiceError(error).code);
        message.nak(Math.min(1000 * deliveries, 30_000));
      }
    },
  );
}

function opened(
  message: JsMsg,
  { horizon, names, writer }: Pick<Handling, 'horizon' | 'names' | 'writer'>,
): BrokerMessage {
  const { deliveryCount: deliveries, streamSequence } = message.info;
  return {
    id: message.headers?.get('Nats-Msg-Id') ?? '',
    subject: names.plain(message.subject),
    text: () => Buffer.from(message.data).toString(),
    header: (name) => message.headers?.get(name) ?? '',
    deliveries,
    newSince: deliveries === 1 ? horizon.passedAt(streamSequence) : undefined,
    // Fire and forget: an unacknowledged message is redelivered, and handlers are idempotent.
    ack: () => writer.later(() => acknowledge(message)),
    retry: (delayMs) => message.nak(delayMs),
  };
}

function acknowledge(message: JsMsg): void {
  try {
    message.ack();
  } catch {
    // The connection has been closed, and the broker redelivers the message.
  }
}
