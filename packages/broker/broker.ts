import { Buffer } from 'node:buffer';
import { unavailable } from '@bailiwick/errors';
import { ErrorCode, headers, type NatsConnection, NatsError } from 'nats';
import { type Connection, type ConnectOptions, openConnection } from './connection.ts';
import { type BrokerMessage, type ConsumerOptions, consumeForever } from './consumer.ts';
import { publishDuplicates, publishing } from './messages.ts';
import { createNames } from './names.ts';
import type { Owner } from './owner.ts';
import type { Publications } from './publications.ts';
import { type BrokerStorage, createFullness, readStorage } from './storage.ts';
import {
  ensureStreams,
  type Place,
  readOldest,
  readStates,
  readStored,
  type StoredMessage,
  type StreamName,
  type StreamState,
} from './streams.ts';

// The only module that uses the broker's client, with connection.ts, consumer.ts, publications.ts,
// storage.ts and streams.ts behind it: replacing the client changes these six files.

export type { BrokerMessage };

/** The connection to the broker. */
export type Broker = ReturnType<typeof openBroker>;

type Options = ConnectOptions & {
  /** The prefix of all streams and subjects; "" = none. */
  prefix?: string;
};

/**
 * The streams of the installation: checked once for each connection before anything is published,
 * and again whenever they may have been replaced.
 */
function createStreamGuard(link: Connection, names: Place['names'], owner: Promise<Owner>) {
  let checked: { connection: number; streams: Promise<unknown> } | undefined;

  const place = async (): Promise<Place> => {
    const [manager, installation] = [await link.manager(), await owner];
    return { manager, isCluster: link.isCluster(), names, owner: installation };
  };
  async function ensure(): Promise<Place> {
    const at = await place();
    const repaired = await ensureStreams(at).catch(failed);
    if (repaired.length > 0) link.log.warn('repaired settings of the streams', { repaired });
    return at;
  }
  const failed = (error: unknown): never => {
    link.report(error);
    throw error;
  };

  return {
    ensure,
    /** Resolves once the streams of this connection are known to be this installation's. */
    ensured(): Promise<unknown> {
      const connection = link.connections();
      if (checked?.connection !== connection) {
        const streams = ensure();
        checked = { connection, streams };
        streams.catch(() => (checked = undefined));
      }
      return checked.streams;
    },
    states: async () => readStates(await place()).catch(failed),
  };
}

/** Connects in the background and reconnects for ever: a service runs while the broker is away. */
export function openBroker(options: Options) {
  const link = openConnection(options);
  const names = createNames(options.prefix ?? '');
  const owner = Promise.withResolvers<Owner>();
  const guard = createStreamGuard(link, names, owner.promise);
  const fullness = createFullness(options.log);
  const consumers: Array<() => Promise<void>> = [];

  return {
    /**
     * Names the installation of this process. Streams are neither made nor used before, since they
     * may belong to another one.
     */
    claim: (claimed: Owner): void => owner.resolve(claimed),

    /**
     * Stores a message and returns its sequence number. The broker drops a second message with the
     * same `id` for 10 minutes.
     */
    async publish(
      subject: string,
      body: string,
      id: string,
      fields: Record<string, string> = {},
    ): Promise<number> {
      const publications = link.publications();
      if (!publications || !link.open()) throw unavailable();
      await guard.ensured();
      return fullness.watch(store(publications, names, { subject, body, id, fields }));
    },

    /** Whether the broker refused this process's last message, a moment ago, for want of room. */
    isFull: fullness.isFull,

    /** The storage that the account uses, and its limit. */
    storage: async (): Promise<BrokerStorage> => readStorage(await link.manager()),

    /** The time of a stream's oldest message on this subject, or undefined. */
    async oldest(stream: StreamName, subject: string): Promise<Date | undefined> {
      const manager = await link.manager();
      return (await readOldest(manager, names.stream(stream), names.subject(subject)))?.time;
    },

    /** The state of the streams. Missing streams are created first. */
    states: (): Promise<Record<StreamName, StreamState>> => guard.states(),

    /** The message with this sequence number in a stream, or undefined. */
    held: async (stream: StreamName, seq: number): Promise<StoredMessage | undefined> =>
      readStored(await link.manager(), names.stream(stream), seq),

    /**
     * The number of connections so far: a changed number means that the connection was lost in
     * between.
     */
    connections: link.connections,

    /**
     * Passes messages to `handle` until the broker is closed. If the handler throws, the message is
     * redelivered.
     */
    consume(options: ConsumerOptions, handle: (message: BrokerMessage) => Promise<void>): void {
      consumers.push(consumeForever({ ...link, names, ensure: guard.ensure }, options, handle));
    },

    /**
     * Publishes a signal, which the broker does not store. `reply` is the subject for the
     * listeners' answers.
     */
    signal(subject: string, body: string, reply?: string): void {
      const options = reply === undefined ? {} : { reply: names.subject(reply) };
      link.open()?.publish(names.subject(subject), Buffer.from(body), options);
    },

    /**
     * Listens to signals until the broker is closed, across reconnections. Resolves once the broker
     * has the subscription.
     */
    async listen(
      subject: string,
      handle: (body: string, answer: (body: string) => void) => void,
    ): Promise<void> {
      await link.connected;
      await subscribe(link.open(), names.subject(subject), handle);
    },

    /**
     * Resolves when the broker has answered everything sent before. Rejects if it is unreachable.
     */
    async reach(timeoutMs: number): Promise<void> {
      const connection = link.alive();
      if (!connection) throw unavailable();
      await within(connection.flush(), timeoutMs);
    },

    /** The name of this process, for the holders that it speaks for. */
    name: options.name,
    isConnected: () => link.client() !== undefined && link.alive() !== undefined,

    /** Stops consuming, waits for the messages in hand, and closes. */
    async close(): Promise<void> {
      link.abandon();
      await Promise.all(consumers.map((stop) => stop()));
      await link.close();
    },
  };
}

/** Whether the broker rejected a message for its size. A retry cannot succeed. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.MaxPayloadExceeded;

type Outgoing = { subject: string; body: string; id: string; fields: Record<string, string> };

function store(
  publish: Publications,
  names: Place['names'],
  { subject, body, id, fields }: Outgoing,
): Promise<number> {
  return publishing(subject, id, async (trace) => {
    const head = headers();
    head.append('Nats-Msg-Id', id);
    for (const [field, value] of Object.entries({ ...fields, ...trace })) head.append(field, value);
    const stored = await publish(names.subject(subject), Buffer.from(body), head);
    if (stored.duplicate) publishDuplicates.add({});
    return stored.seq;
  });
}

async function subscribe(
  connection: NatsConnection | undefined,
  subject: string,
  handle: (body: string, answer: (body: string) => void) => void,
): Promise<void> {
  if (!connection) throw unavailable();
  connection.subscribe(subject, {
    callback: (error, message) => {
      if (!error) handle(message.string(), (body) => void message.respond(Buffer.from(body)));
    },
  });
  await connection.flush();
}

async function within(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(unavailable()), timeoutMs)),
  );
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
