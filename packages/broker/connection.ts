import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@bailiwick/errors';
import type { Log } from '@bailiwick/process';
import {
  type ConnectionOptions,
  connect,
  type JetStreamClient,
  type JetStreamManager,
  type NatsConnection,
} from 'nats';
import { BrokerProblem } from './owner.ts';
import { createPublications, createWriter, type Publications } from './publications.ts';

// The connection to the broker, which is made in the background and comes back after every loss.

/** The connection of a process. */
export type Connection = ReturnType<typeof openConnection>;

/** How long the broker may take to answer. */
const answerMs = 5000;

/** The oldest server with everything that is used here: metadata, and consumers of several subjects. */
const oldestServer = { major: 2, minor: 10 };

export type ConnectOptions = {
  url: string;
  name: string;
  log: Log;
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

/** Opens the connection in the background. */
export function openConnection({ url, name, log, refuse = () => {} }: ConnectOptions) {
  let connection: NatsConnection | undefined;
  let streamClient: JetStreamClient | undefined;
  let publications: Publications | undefined;
  const writer = createWriter();
  let closed = false;
  let connections = 0;
  // The client does not expose the state of its connection; its status events do.
  let isLost = false;

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
    const restored = () => {
      isLost = false;
      connections++;
    };
    void followStatus(connection, log, { lost: () => (isLost = true), restored });
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

  /** The connection; undefined before the first one, and after the end. */
  const open = () => (connection?.isClosed() ? undefined : connection);
  return {
    log,
    connected,
    open,
    /** The connection; undefined also while it is lost. */
    alive: () => (isLost ? undefined : open()),
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
      if (connection) await closeFlushed(connection);
    },
  };
}

async function closeFlushed(connection: NatsConnection): Promise<void> {
  await Promise.race([
    connection.flush().catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, 1000).unref()),
  ]);
  await connection.close();
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

async function followStatus(
  connection: NatsConnection,
  log: Log,
  { lost, restored }: { lost: () => void; restored: () => void },
): Promise<void> {
  let lastError = '';
  for await (const { type, data } of connection.status()) {
    if (type === 'disconnect') {
      lost();
      log.warn('the connection to the broker is lost, reconnecting');
    }
    if (type === 'reconnect') {
      restored();
      lastError = '';
      log.warn('reconnected to the broker');
    }
    // The same error comes with every attempt, such as a refused password: log it once.
    if (type === 'error' && typeof data === 'string' && data !== lastError)
      log.warn('the broker reported an error', { error: (lastError = data) });
  }
}
