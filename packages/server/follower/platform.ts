import type { Clock } from './lease.ts';

/** An open WebSocket. */
export type Socket = {
  send(text: string): void;
  close(code: number, reason?: string): void;
};

export type SocketEvents = {
  onOpen: () => void;
  /** Anything but text is no frame. */
  onMessage: (message: unknown) => void;
  /** The code is 1006 if there was no close frame. It follows each error. */
  onClose: (code: number, reason: string) => void;
};

export type Connect = (url: string, events: SocketEvents) => Socket;

/** The parts of the platform that a follower uses. */
export type Platform = {
  clock: Clock;
  /** From 0 to 1. */
  random: () => number;
  /** Runs something later; the result cancels it. */
  after: (ms: number, run: () => void) => () => void;
  fetch: typeof globalThis.fetch;
  /** Undefined on a platform without WebSocket. */
  connect: Connect | undefined;
};

/** The platform's WebSocket, as far as a follower uses it. */
type HostSocket = Socket & {
  readonly readyState: number;
  addEventListener(
    type: 'open' | 'message' | 'close' | 'error',
    listen: (event: { data?: unknown; code?: number; reason?: string }) => void,
  ): void;
};
type HostSocketConstructor = new (url: string) => HostSocket;

/** The platform that runs this process. */
export function hostPlatform(): Platform {
  const { WebSocket: Constructor } = globalThis as { WebSocket?: HostSocketConstructor };
  return {
    clock: { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
    random: () => Math.random(),
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    fetch: (...request) => globalThis.fetch(...request),
    connect: Constructor && connectWith(Constructor),
  };
}

/** `readyState` of an open socket. */
const open = 1;

function connectWith(Constructor: HostSocketConstructor): Connect {
  return (url, { onOpen, onMessage, onClose }) => {
    const socket = new Constructor(url);
    socket.addEventListener('open', onOpen);
    socket.addEventListener('message', ({ data: message }) => onMessage(message));
    socket.addEventListener('close', ({ code = 1006, reason = '' }) => onClose(code, reason));
    return {
      // A socket that closes throws on some platforms; `close` follows anyway.
      send: (text) => {
        if (socket.readyState === open) socket.send(text);
      },
      close: (code, reason) => socket.close(code, reason),
    };
  };
}
