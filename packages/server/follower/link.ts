import { isRefusal, retryMs } from './backoff.ts';
import {
  type Closing,
  type Connection,
  type ConnectionDeps,
  openConnection,
} from './connection.ts';

/** A connection that has lasted this long has not failed. */
const lastingMs = 1000;

export type LinkDeps = Omit<ConnectionDeps, 'onWelcome' | 'onClose'> & {
  onWelcome: (connection: Connection) => void;
  onClose: (closing: Closing) => void;
};

export type Link = ReturnType<typeof createLink>;

/** Keeps a connection to a gateway, and makes a new one when it ends. */
export function createLink(deps: LinkDeps) {
  const { platform } = deps;
  const { monotonicMs } = platform.clock;
  /** The attempts in a row that led to no lasting connection. */
  let failures = 0;
  let opened: Connection | undefined;
  /** After `welcome`. */
  let connection: Connection | undefined;
  /** Why the last attempt failed. */
  let closing: Closing | undefined;
  let cancelRetry = () => {};
  let isClosed = false;

  function open(): void {
    let welcomeAt: number | undefined;
    const next = openConnection({
      ...deps,
      onWelcome() {
        welcomeAt = monotonicMs();
        closing = undefined;
        connection = next;
        deps.onWelcome(next);
      },
      onClose(ended) {
        connection = undefined;
        if (isClosed) return;
        closing = ended;
        if (welcomeAt !== undefined && monotonicMs() - welcomeAt >= lastingMs) failures = 0;
        cancelRetry = platform.after(retryMs(ended, failures, platform.random()), open);
        failures++;
        deps.onClose(ended);
      },
    });
    opened = next;
  }

  open();
  return {
    connection: () => connection,
    /** Why the credential is refused, if it is. */
    refusal: () => (closing && isRefusal(closing.code) ? closing : undefined),
    /** Whether the way to the gateway refuses WebSockets, or the gateway cannot be reached. */
    isUpgradeRefused: () => closing !== undefined && !closing.wasOpened,
    close(): void {
      isClosed = true;
      cancelRetry();
      opened?.close();
    },
  };
}
