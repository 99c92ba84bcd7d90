import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@bailiwick/errors';
import type { Log } from '@bailiwick/process';
import {
  type ConnectionOptions,
  connect,
  ErrorCode,
  headers,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
  NatsError,
} from 'nats';
import { type BrokerMessage, type ConsumerOptions, consumeForever } from './consumer.ts';
import { publishDuplicates, publishing } from './messages.ts';
import { createNames } from './names.ts';
import { BrokerProblem, type Owner } from './owner.ts';
import { createPublications, createWriter, type Publications } from './publications.ts';
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

// The only module that uses the broker's client, with consumer.ts, publications.ts, storage.ts and
// streams.ts behind it: replacing the client changes these five files.

export type { BrokerMessage };

/** The connection to the broker. */
export type Broker = ReturnType<typeof openBroker>;

/** How long the broker may take to answer. */
const answerMs = 5000;

/** The oldest server with everything that is used here: metadata, and consumers of several subjects. */
const oldestServer = { major: 2, minor: 10 };

type Options = {
  url: string;
  name: string;
  log: Log;
  /** The prefix of all streams and subjects; "" = none. */
  prefix?: string;
  /**
   * Called with a problem that waiting does not solve, such as another installation's streams. The
   * message is one line for an operator.
   */
  refuse?: (message: string) => void;
};

// By default the client gives up after two refused logins. A rotated password may arrive here
// earlier or later than at the broker.
const forEver = {
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 250,
  pingInterval: 5000,
};

/** The connection, which is made in the background and comes back after every loss. */
function openConnection({ url, name, log, refuse = () => {} }: Options) {
  let connection: NatsConnection | undefined;
  let streamClient: JetStreamClient | undefined;
  let publications: Publications | undefined;
  const writer = createWriter();
  let closed = false;
  let connections = 0;

  const connected = (async () => {
    // The client would capture a stack trace for each publication and acknowledgement.
    connection = await connectAtLast(
      { ...serverOf(url), ...forEver, name, noAsyncTraces: true },
      () => closed,
      log,
    );
    if (closed) return connection.close();
    assertVersion(connection);
    streamClient = connection.jetstream({ timeout: answerMs });
    publications = createPublications(connection, writer, { timeoutMs: answerMs });
    connections++;
    void followStatus(connection, log, () => connections++);
  })();
  /** Reports a problem that waiting does not solve. */
  const report = (error: unknown): void => {
    if (error instanceof BrokerProblem) refuse(error.message);
  };
  connected.catch((error: unknown) => {
    if (closed) return;
    report(error);
    log.error('connecting to the broker failed', { error });
  });

  return {
    log,
    connected,
    /** The connection; undefined before the first one, and after the end. */
    open: () => (connection?.isClosed() ? undefined : connection),
    client: () => streamClient,
    publications: () => publications,
    writer,
    connections: () => connections,
    isClosed: () => closed,
    report,
    isCluster: () => connection?.info?.cluster !== undefined,
    async manager(): Promise<JetStreamManager> {
      await connected;
      if (!connection || closed) throw unavailable();
      return connection.jetstreamManager({ checkAPI: false, timeout: answerMs });
    },
    /** Ends the attempts to connect; `close` then closes the connection. */
    abandon(): void {
      closed = true;
    },
    async close(): Promise<void> {
      // Flushes the last acknowledgements.
      writer.flush();
      await Promise.race([
        connection?.flush().catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, 1000).unref()),
      ]);
      await connection?.close();
    },
  };
}

/**
 * The streams of the installation: checked once for each connection before anything is published,
 * and again whenever they may have been replaced.
 */
function createStreamGuard(
  link: ReturnType<typeof openConnection>,
  names: Place['names'],
  owner: Promise<Owner>,
) {
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
      const connection = aliveOf(link.open());
      if (!connection) throw unavailable();
      await within(connection.flush(), timeoutMs);
    },

    isConnected: () => link.client() !== undefined && aliveOf(link.open()) !== undefined,

    /** Stops consuming, waits for the messages in hand, and closes. */
    async close(): Promise<void> {
      link.abandon();
      await Promise.all(consumers.map((stop) => stop()));
      await link.close();
    },
  };
}

function assertVersion({ info }: NatsConnection): void {
  const version = info?.version ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldestServer.major || (major === oldestServer.major && minor >= oldestServer.minor))
    return;
  throw new BrokerProblem(
    `the NATS server is version ${version}, and ${oldestServer.major}.${oldestServer.minor} or newer is needed: upgrade it`,
  );
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

// The client ignores a URL's user, password and tls scheme: without `tls` it would connect in plain
// text to a server that does not require TLS.
function serverOf(text: string): ConnectionOptions {
  const url = new URL(text);
  const credentials =
    url.username === ''
      ? {}
      : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return {
    servers: `${url.protocol}//${url.host}`,
    ...credentials,
    ...(url.protocol === 'tls:' && { tls: {} }),
  };
}

/**
 * Makes the first connection. The client could retry by itself, but would not report the problem.
 */
async function connectAtLast(
  options: ConnectionOptions,
  isClosed: () => boolean,
  log: Log,
): Promise<NatsConnection> {
  for (let lastProblem = ''; ; ) {
    try {
      return await connect(options);
    } catch (error) {
      if (isClosed()) throw error;
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== lastProblem) log.warn('waiting for the broker', { error: problem });
      lastProblem = problem;
      await sleep(options.reconnectTimeWait);
    }
  }
}

// The client does not expose the state of its connection; its status events do.
const disconnected = new WeakSet<NatsConnection>();
const aliveOf = (connection: NatsConnection | undefined): NatsConnection | undefined =>
  connection && !disconnected.has(connection) ? connection : undefined;

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

async function followStatus(
  connection: NatsConnection,
  log: Log,
  reconnected: () => void,
): Promise<void> {
  let lastError = '';
  for await (const { type, data } of connection.status()) {
    if (type === 'disconnect') {
      disconnected.add(connection);
      log.warn('the connection to the broker is lost, reconnecting');
    }
    if (type === 'reconnect') {
      disconnected.delete(connection);
      reconnected();
      lastError = '';
      log.warn('reconnected to the broker');
    }
    // The same error comes with every attempt, such as a refused password: log it once.
    if (type === 'error' && typeof data === 'string' && data !== lastError)
      log.warn('the broker reported an error', { error: (lastError = data) });
  }
}
