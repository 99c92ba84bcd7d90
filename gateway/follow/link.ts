import type { WebSocket } from 'ws';
import type { GatewayFrame } from './frames.ts';
import { limits } from './limits.ts';

/** Why a connection ends, as docs/follow.md lists them. */
export const closeCodes = {
  stopping: 1001,
  tryLater: 1013,
  badFrame: 4400,
  unauthenticated: 4401,
  denied: 4403,
  silent: 4408,
  changed: 4409,
  limit: 4429,
} as const;

/** The most bytes of a reason in a close frame (RFC 6455, section 5.5). */
const maxReason = 123;

/** The gateway's side of a connection. */
export type Link = {
  send(frame: GatewayFrame): void;
  /** Nothing is sent after it. The library cuts a connection that the follower does not close. */
  close(code: number, reason: string): void;
};

export function createLink(socket: WebSocket): Link {
  const close = (code: number, reason: string): void =>
    socket.close(code, reason.slice(0, maxReason));
  return {
    close,
    send(frame) {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > limits.unreadBytes)
        return close(closeCodes.limit, 'the follower does not read');
      socket.send(JSON.stringify(frame));
    },
  };
}
