import { Buffer } from 'node:buffer';
import {
  AckPolicy,
  connect,
  type ConnectionOptions,
  type Consumer,
  type ConsumerInfo,
  ErrorCode,
  headers,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type NatsConnection,
  NatsError,
  nanos,
} from 'nats';
import { toServiceError, unavailable } from './errors.ts';
import type { Log } from './log.ts';
import { handling, publishDuplicates, publishing } from './messages.ts';
import { ensureStreams, type Held, readHeld, readOldest, readStates, type StreamName, type StreamState } from './streams.ts';
import { markFailed, traceparentHeader } from './trace.ts';

// The only module that knows the broker's client, with streams.ts behind it: another client line is two files away.

/** A message in hand. Exactly one of `ack` and `retry` ends it. */
export type BrokerMessage = {
  /** What it was published as. */
  id: string;
  subject: string;
  text(): string;
  header(name: string): string;
  /** How often the broker has handed it out, from 1. */
  deliveries: number;
  /** Says that the work is done. It may come again all the same, where that is lost on its way. */
  ack(): Promise<void>;
  /** Hands it out again, after `delayMs`. */
  retry(delayMs: number): void;
  /** Tells the broker that the work goes on. */
  working(): void;
};

export type ConsumerOptions = {
  stream: StreamName;
  /** The durable name: all processes that use it share the work. */
  durable: string;
  /** One subject, wildcards allowed. (Several need a server of 2.10 or newer.) */
  subject: string;
  /** Messages in hand at once in this process. */
  concurrency: number;
  /** How long the broker waits for an ack or a sign of life before it hands the message out again. */
  ackWaitMs: number;
};

export type Broker = ReturnType<typeof openBroker>;

/** A connection that is made in the background and healed for ever: a service runs while its broker is away. */
export function openBroker({ url, name, log }: { url: string; name: string; log: Log }) {
  let connection: NatsConnection | undefined;
  let streamClient: JetStreamClient | undefined;
  let closed = false;
  let connections = 0;
  const consumers: Array<() => Promise<void>> = [];

  const connected = (async () => {
    const forEver = { maxReconnectAttempts: -1, waitOnFirstConnect: true, reconnectTimeWait: 250, pingInterval: 5000 };
    // The client would note the stack of every publication and acknowledgement, in case that it fails.
    connection = await connect({ ...serverOf(url), ...forEver, name, noAsyncTraces: true });
    if (closed) return connection.close();
    streamClient = connection.jetstream({ timeout: 5000 });
    connections++;
    void followStatus(connection, log, () => connections++);
  })();
  connected.catch((error: unknown) => log.error('the broker cannot be used', { error }));

  async function manager(): Promise<JetStreamManager> {
    await connected;
    if (!connection || closed) throw unavailable();
    return connection.jetstreamManager({ checkAPI: false, timeout: 5000 });
  }

  return {
    /** Stores a message and returns its sequence. The broker drops a second one with the same `id` for 10 minutes. */
    async publish(subject: string, body: string, id: string, fields: Record<string, string> = {}): Promise<number> {
      if (!streamClient || connection?.isClosed()) throw unavailable();
      return store(streamClient, { subject, body, id, fields });
    },

    /** When the oldest message of a stream on this subject came in; undefined where there is none. */
    async oldest(stream: StreamName, subject: string): Promise<Date | undefined> {
      return (await readOldest(await manager(), stream, subject))?.time;
    },

    /** How the streams stand. Those that are missing are made first. */
    states: async (): Promise<Record<StreamName, StreamState>> => readStates(await manager(), isCluster(connection)),

    /** What a stream holds under a number; undefined where that is nothing. */
    held: async (stream: StreamName, seq: number): Promise<Held | undefined> => readHeld(await manager(), stream, seq),

    /** How often the broker was connected to: another number than before means that it was away meanwhile. */
    connections: () => connections,

    /** Hands messages to `handle` until the broker is closed. A handler that throws gives its message back. */
    consume(options: ConsumerOptions, handle: (message: BrokerMessage) => Promise<void>): void {
      const run = consumeForever({ manager, client: () => streamClient, log, isClosed: () => closed, isCluster: () => isCluster(connection) }, options, handle);
      consumers.push(run);
    },

    /** Tells whoever listens right now; kept nowhere. `reply` names the subject for their answers. */
    signal(subject: string, body: string, reply?: string): void {
      if (connection && !connection.isClosed()) connection.publish(subject, Buffer.from(body), reply === undefined ? {} : { reply });
    },

    /** Listens to signals until the broker is closed, also over reconnections. Resolves once the broker knows of it. */
    async listen(subject: string, handle: (body: string, answer: (body: string) => void) => void): Promise<void> {
      await connected;
      connection?.subscribe(subject, {
        callback: (error, message) => {
          if (!error) handle(message.string(), (body) => void message.respond(Buffer.from(body)));
        },
      });
      await connection?.flush();
    },

    /** Resolves when the broker has answered everything that was sent before: it is there. Rejects where it is not. */
    async reach(timeoutMs: number): Promise<void> {
      if (!connection || connection.isClosed() || !connectionAlive(connection)) throw unavailable();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(unavailable()), timeoutMs)));
      await Promise.race([connection.flush(), late]).finally(() => clearTimeout(timer));
    },

    isConnected: () => streamClient !== undefined && connection?.isClosed() === false && connectionAlive(connection),

    /** Stops taking messages, waits for those in hand, and closes. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all(consumers.map((stop) => stop()));
      // What was acknowledged last is on its way.
      await Promise.race([connection?.flush().catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
      await connection?.close();
    },
  };
}

/** Whether the broker does not take a message for its size. It will not the next time either. */
export const isTooLarge = (error: unknown): boolean => error instanceof NatsError && error.code === ErrorCode.MaxPayloadExceeded;

type Outgoing = { subject: string; body: string; id: string; fields: Record<string, string> };

function store(client: JetStreamClient, { subject, body, id, fields }: Outgoing): Promise<number> {
  return publishing(subject, id, async (trace) => {
    const head = headers();
    for (const [field, value] of Object.entries({ ...fields, ...trace })) head.set(field, value);
    const stored = await client.publish(subject, Buffer.from(body), { msgID: id, headers: head });
    if (stored.duplicate) publishDuplicates.add({});
    return stored.seq;
  });
}

// The client reads neither the user and password of a URL nor that it is to be over TLS: without `tls` it would follow a server that
// does not ask for that.
function serverOf(text: string): ConnectionOptions {
  const url = new URL(text);
  const credentials = url.username === '' ? {} : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return { servers: `${url.protocol}//${url.host}`, ...credentials, ...(url.protocol === 'tls:' && { tls: {} }) };
}

// The client keeps the state of its socket to itself; the round trip time of its last ping does not.
const disconnected = new WeakSet<NatsConnection>();
const connectionAlive = (connection: NatsConnection) => !disconnected.has(connection);
const isCluster = (connection: NatsConnection | undefined) => connection?.info?.cluster !== undefined;

async function followStatus(connection: NatsConnection, log: Log, reconnected: () => void): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect') disconnected.add(connection);
    if (status.type === 'reconnect') {
      disconnected.delete(connection);
      reconnected();
    }
    if (status.type === 'disconnect' || status.type === 'reconnect') log.warn(`broker: ${status.type}`);
  }
}

/** Of one consumer, in the hands of all processes together: a hundred workers of the default size. */
const maxInHand = 20_000;

// An existing consumer keeps its place and takes these settings on: a new version may want others.
async function ensureConsumer(manager: JetStreamManager, { stream, durable, subject, ackWaitMs }: ConsumerOptions): Promise<ConsumerInfo> {
  // Handed out without end: no message stays behind at a limit, for which somebody would have to listen.
  const settings = { ack_wait: nanos(ackWaitMs), max_deliver: -1, max_ack_pending: maxInHand, filter_subject: subject };
  const exists = await manager.consumers.info(stream, durable).then(
    () => true,
    () => false,
  );
  if (exists) return manager.consumers.update(stream, durable, settings);
  return manager.consumers.add(stream, { ...settings, durable_name: durable, ack_policy: AckPolicy.Explicit });
}

type Link = {
  manager: () => Promise<JetStreamManager>;
  client: () => JetStreamClient | undefined;
  log: Log;
  isClosed: () => boolean;
  isCluster: () => boolean;
};

function consumeForever({ manager, client, log, isClosed, isCluster }: Link, options: ConsumerOptions, handle: (message: BrokerMessage) => Promise<void>) {
  let stopping = false;
  let stopPull = () => {};
  const inHand = new Set<Promise<void>>();

  async function pull(): Promise<void> {
    const managing = await manager();
    await ensureStreams(managing, isCluster());
    await ensureConsumer(managing, options);
    const consumer = await client()?.consumers.get(options.stream, options.durable);
    if (!consumer || stopping) return;
    while (!stopping) {
      // Only as many as there are free hands: what waited in the client's own buffer would give no sign of
      // life, so that the broker would hand it out a second time. A moment's wait lets several get free.
      if (inHand.size >= options.concurrency) await Promise.race(inHand);
      if (inHand.size > options.concurrency / 2) await new Promise((resolve) => setTimeout(resolve, 5));
      const free = options.concurrency - inHand.size;
      if (free > 0) await pullSome(consumer, free);
    }
  }

  async function pullSome(consumer: Consumer, limit: number): Promise<void> {
    const messages = await consumer.fetch({ max_messages: limit, expires: 30_000, idle_heartbeat: 5000 });
    stopPull = () => messages.stop();
    if (stopping) stopPull();
    // A broker that lost its store forgets the consumer: the missed heartbeats end this pull and the loop makes it anew.
    let lost = false;
    void (async () => {
      for await (const status of await messages.status()) {
        if (
          status.type !== 'heartbeats_missed' &&
          status.type !== 'consumer_not_found' &&
          status.type !== 'stream_not_found' &&
          status.type !== 'consumer_deleted'
        )
          continue;
        lost = true;
        messages.stop();
      }
    })();
    for await (const message of messages) {
      if (stopping) message.nak();
      else {
        const work = settle(message, options, handle, log).finally(() => inHand.delete(work));
        inHand.add(work);
      }
    }
    if (lost && !stopping) throw new Error('the consumer does not answer');
  }

  const loop = (async () => {
    while (!stopping) {
      await pull().catch((error: unknown) => {
        if (!isClosed()) log.warn('a consumer was interrupted and begins again', { durable: options.durable, error });
      });
      if (!stopping) await new Promise((resolve) => setTimeout(resolve, 500));
    }
  })();

  return async () => {
    stopping = true;
    stopPull();
    await Promise.all(inHand);
    // While the broker is away the loop may wait for it: nothing is in hand, so nobody needs it.
    await Promise.race([loop, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
  };
}

function settle(message: JsMsg, { stream, durable }: ConsumerOptions, handle: (message: BrokerMessage) => Promise<void>, log: Log): Promise<void> {
  const { deliveryCount: deliveries } = message.info;
  return handling({ stream, durable, deliveries, traceparent: message.headers?.get(traceparentHeader) }, async (span) => {
    try {
      await handle(opened(message));
    } catch (error) {
      log.error('a message could not be handled and comes again', { subject: message.subject, error });
      markFailed(span, toServiceError(error).code);
      message.nak(Math.min(1000 * deliveries, 30_000));
    }
  });
}

function opened(message: JsMsg): BrokerMessage {
  return {
    id: message.headers?.get('Nats-Msg-Id') ?? '',
    subject: message.subject,
    text: () => Buffer.from(message.data).toString(),
    header: (name) => message.headers?.get(name) ?? '',
    deliveries: message.info.deliveryCount,
    // Nobody waits for the broker's word: unacknowledged only means that it comes again, and whoever handles it knows what is done.
    ack: () => Promise.resolve(message.ack()),
    retry: (delayMs) => message.nak(delayMs),
    working: () => message.working(),
  };
}
