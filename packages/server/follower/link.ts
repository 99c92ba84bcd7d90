import { isRefusal, retryMs } from './backoff.ts';
import {
  type Connection,
  type ConnectionDeps,
  type ConnectionEnd,
  openConnection,
} from './connection.ts';

/** A connection that has lasted this long has not failed. */
const lastingMs = 1000;

export type LinkDeps = Omit<ConnectionDeps, 'onWelcome' | 'onClose'> & {
  onWelcome: (connection: Connection) => void;
  onClose: (connectionEnd: ConnectionEnd) => void;
};

export type Link = ReturnType<typeof createLink>;

/** Keeps a connection to a gateway, and makes a new one when it ends. */
export function createLink(deps: LinkDeps) {
  const { platform } = deps;
  const { monotonicMs } = platform.clock;
  /** The attempts in a row that led to no lasting connection. */
  let failures = 0;
  /** The newest connection, which may still wait for `welcome`. */
  let latest: Connection | undefined;
  /** The connection that has got its `welcome`. */
  let connection: Connection | undefined;
  /** Why the last attempt failed. */
  let lastEnd: ConnectionEnd | undefined;
  let cancelRetry = () => {};
  let isClosed = false;

  function open(): void {
    let welcomeAt: number | undefined;
    const next = openConnection({
      ...deps,
      onWelcome() {
        welcomeAt = monotonicMs();
        lastEnd = undefined;
        connection = next;
        deps.onWelcome(next);
      },
      onClose(connectionEnd) {
        connection = undefined;
        if (isClosed) return;
        lastEnd = connectionEnd;
        if (welcomeAt !== undefined && monotonicMs() - welcomeAt >= lastingMs) failures = 0;
        cancelRetry = platform.after(retryMs(connectionEnd, failures, platform.random()), open);
        failures++;
        deps.onClose(connectionEnd);
      },
    });
    latest = next;
  }

  open();
  return {
    connection: () => connection,
    /** Why the credential is refused, if it is. */
    refusal: () => (lastEnd && isRefusal(lastEnd.code) ? lastEnd : undefined),
    /** Whether the way to the gateway refuses WebSockets, or the gateway cannot be reached. */
    isUpgradeRefused: () => lastEnd !== undefined && !lastEnd.wasOpened,
    close(): void {
      isClosed = true;
      cancelRetry();
      latest?.close();
    },
  };
}
