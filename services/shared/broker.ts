import { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
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
import { unavailable } from './errors.ts';
import type { Log } from './log.ts';
import { publishDuplicates, publishing } from './messages.ts';
import {
  type Held,
  readHeld,
  readOldest,
  readStates,
  type StreamName,
  type StreamState,
} from './streams.ts';

// The only module that knows the broker's client, with consumer.ts and streams.ts behind it: another client line is three files away.

export type { BrokerMessage };

export type Broker = ReturnType<typeof openBroker>;

/** A connection that is made in the background and healed for ever: a service runs while its broker is away. */
export function openBroker({ url, name, log }: { url: string; name: string; log: Log }) {
  let connection: NatsConnection | undefined;
  let streamClient: JetStreamClient | undefined;
  let closed = false;
  let connections = 0;
  const consumers: Array<() => Promise<void>> = [];

  const connected = (async () => {
    // A login that is refused twice would be the end: a password that is replaced is known here before it is there, or after.
    const forEver = {
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: 250,
      pingInterval: 5000,
    };
    // The client would note the stack of every publication and acknowledgement, in case that it fails.
    connection = await connectAtLast(
      { ...serverOf(url), ...forEver, name, noAsyncTraces: true },
      () => closed,
      log,
    );
    if (closed) return connection.close();
    streamClient = connection.jetstream({ timeout: 5000 });
    connections++;
    void followStatus(connection, log, () => connections++);
  })();
  connected.catch((error: unknown) => closed || log.error('the broker cannot be used', { error }));

  async function manager(): Promise<JetStreamManager> {
    await connected;
    if (!connection || closed) throw unavailable();
    return connection.jetstreamManager({ checkAPI: false, timeout: 5000 });
  }

  return {
    /** Stores a message and returns its sequence. The broker drops a second one with the same `id` for 10 minutes. */
    async publish(
      subject: string,
      body: string,
      id: string,
      fields: Record<string, string> = {},
    ): Promise<number> {
      if (!streamClient || connection?.isClosed()) throw unavailable();
      return store(streamClient, { subject, body, id, fields });
    },

    /** When the oldest message of a stream on this subject came in; undefined where there is none. */
    async oldest(stream: StreamName, subject: string): Promise<Date | undefined> {
      return (await readOldest(await manager(), stream, subject))?.time;
    },

    /** How the streams stand. Those that are missing are made first. */
    states: async (): Promise<Record<StreamName, StreamState>> =>
      readStates(await manager(), isCluster(connection)),

    /** What a stream holds under a number; undefined where that is nothing. */
    held: async (stream: StreamName, seq: number): Promise<Held | undefined> =>
      readHeld(await manager(), stream, seq),

    /** How often the broker was connected to: another number than before means that it was away meanwhile. */
    connections: () => connections,

    /** Hands messages to `handle` until the broker is closed. A handler that throws gives its message back. */
    consume(options: ConsumerOptions, handle: (message: BrokerMessage) => Promise<void>): void {
      const run = consumeForever(
        {
          manager,
          client: () => streamClient,
          log,
          isClosed: () => closed,
          isCluster: () => isCluster(connection),
        },
        options,
        handle,
      );
      consumers.push(run);
    },

    /** Tells whoever listens right now; kept nowhere. `reply` names the subject for their answers. */
    signal(subject: string, body: string, reply?: string): void {
      if (connection && !connection.isClosed())
        connection.publish(subject, Buffer.from(body), reply === undefined ? {} : { reply });
    },

    /** Listens to signals until the broker is closed, also over reconnections. Resolves once the broker knows of it. */
    async listen(
      subject: string,
      handle: (body: string, answer: (body: string) => void) => void,
    ): Promise<void> {
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
      const late = new Promise<never>(
        (_, reject) => (timer = setTimeout(() => reject(unavailable()), timeoutMs)),
      );
      await Promise.race([connection.flush(), late]).finally(() => clearTimeout(timer));
    },

    isConnected: () =>
      streamClient !== undefined && connection?.isClosed() === false && connectionAlive(connection),

    /** Stops taking messages, waits for those in hand, and closes. */
    async close(): Promise<void> {
      closed = true;
      await Promise.all(consumers.map((stop) => stop()));
      // What was acknowledged last is on its way.
      await Promise.race([
        connection?.flush().catch(() => {}),
        new Promise((resolve) => setTimeout(resolve, 1000).unref()),
      ]);
      await connection?.close();
    },
  };
}

/** Whether the broker does not take a message for its size. It will not the next time either. */
export const isTooLarge = (error: unknown): boolean =>
  error instanceof NatsError && error.code === ErrorCode.MaxPayloadExceeded;

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

/** The first connection. The client would wait for it too, and say nothing of what is in the way. */
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

// The client keeps the state of its socket to itself; the round trip time of its last ping does not.
const disconnected = new WeakSet<NatsConnection>();
const connectionAlive = (connection: NatsConnection) => !disconnected.has(connection);
const isCluster = (connection: NatsConnection | undefined) =>
  connection?.info?.cluster !== undefined;

async function followStatus(
  connection: NatsConnection,
  log: Log,
  reconnected: () => void,
): Promise<void> {
  let lastError = '';
  for await (const { type, data } of connection.status()) {
    if (type === 'disconnect') disconnected.add(connection);
    if (type === 'reconnect') {
      disconnected.delete(connection);
      reconnected();
      lastError = '';
    }
    if (type === 'disconnect' || type === 'reconnect') log.warn(`broker: ${type}`);
    // The same with every attempt, such as a password that is refused.
    if (type === 'error' && typeof data === 'string' && data !== lastError)
      log.warn(`broker: ${(lastError = data)}`);
  }
}
