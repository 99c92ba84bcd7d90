import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@bailiwick/errors';
import { type Log } from '@bailiwick/telemetry';
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
import { createPublications, createWriter, type Publications } from './publications.ts';
import {
  type Held,
  readHeld,
  readOldest,
  readStates,
  type StreamName,
  type StreamState,
} from './streams.ts';

// The only module that uses the broker's client, with consumer.ts, publications.ts and streams.ts
// behind it: replacing the client changes these four files.

export type { BrokerMessage };

/** The connection to the broker. */
export type Broker = ReturnType<typeof openBroker>;

/** How long the broker may take to answer. */
const answerMs = 5000;

type Options = { url: string; name: string; log: Log };

/** The connection, which is made in the background and comes back after every loss. */
function openConnection({ url, name, log }: Options) {
  let connection: NatsConnection | undefined;
  let streamClient: JetStreamClient | undefined;
  let publications: Publications | undefined;
  const writer = createWriter();
  let closed = false;
  let connections = 0;

  const connected = (async () => {
    // By default the client gives up after two refused logins. A rotated password may arrive here
    // earlier or later than at the broker.
    const forEver = {
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      pingInterval: 5000,
    };
    // The client would capture a stack trace for each publication and acknowledgement.
    connection = await connectAtLast(
      { ...serverOf(url), ...forEver, name, noAsyncTraces: true },
      () => closed,
      log,
    );
    if (closed) return connection.close();
    streamClient = connection.jetstream({ timeout: answerMs });
    publications = createPublications(connection, writer, { timeoutMs: answerMs });
    connections++;
    void followStatus(connection, log, () => connections++);
  })();
  connected.catch(
    (error: unknown) => closed || log.error('connecting to the broker failed', { error }),
  );

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
    isCluster: () => connection?.info?.cluster !== undefined,
    takesSeveral: () => isAtLeast(connection?.info?.version ?? '', 2, 10),
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

/** Connects in the background and reconnects for ever: a service runs while the broker is away. */
export function openBroker(options: Options) {
  const link = openConnection(options);
  const consumers: Array<() => Promise<void>> = [];

  return {
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
      return store(publications, { subject, body, id, fields });
    },

    /** The time of a stream's oldest message on this subject, or undefined. */
    async oldest(stream: StreamName, subject: string): Promise<Date | undefined> {
      return (await readOldest(await link.manager(), stream, subject))?.time;
    },

    /** The state of the streams. Missing streams are created first. */
    states: async (): Promise<Record<StreamName, StreamState>> =>
      readStates(await link.manager(), link.isCluster()),

    /** The message with this sequence number in a stream, or undefined. */
    held: async (stream: StreamName, seq: number): Promise<Held | undefined> =>
      readHeld(await link.manager(), stream, seq),

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
      consumers.push(consumeForever(link, options, handle));
    },

    /**
     * Publishes a signal, which the broker does not store. `reply` is the subject for the
     * listeners' answers.
     */
    signal(subject: string, body: string, reply?: string): void {
      link.open()?.publish(subject, Buffer.from(body), reply === undefined ? {} : { reply });
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
      const connection = link.open();
      if (!connection) throw unavailable();
      connection.subscribe(subject, {
        callback: (error, message) => {
          if (!error) handle(message.string(), (body) => void message.respond(Buffer.from(body)));
        },
      });
      await connection.flush();
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

/** Whether a server's version is this one or newer. */
function isAtLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}

/** Whether the broker rejected a message for its size. A retry cannot succeed. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.MaxPayloadExceeded;

type Outgoing = { subject: string; body: string; id: string; fields: Record<string, string> };

function store(publish: Publications, { subject, body, id, fields }: Outgoing): Promise<number> {
  return publishing(subject, id, async (trace) => {
    const head = headers();
    head.append('Nats-Msg-Id', id);
    for (const [field, value] of Object.entries({ ...fields, ...trace })) head.append(field, value);
    const stored = await publish(subject, Buffer.from(body), head);
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
