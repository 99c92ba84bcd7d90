import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';

// HTTP/1.1 has no way to say "this connection ends, what you are just sending was not processed": a server that closes an idle
// connection while a call is on its way to it leaves a caller that cannot know. So between our own processes there is one.

/** How our own client names itself (User-Agent): it understands the answer below. */
export const hopAgent = 'bailiwick';

/** In a 408: the server has processed nothing of the request, if there was one, and never will. */
export const unprocessedHeader = 'x-bailiwick-unprocessed';

const unprocessedAnswer = Buffer.from(`HTTP/1.1 408 Request Timeout\r\n${unprocessedHeader}: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);

export type IdleConnections = ReturnType<typeof createIdleConnections>;

/** The connections of our own client that wait for a request. It never pipelines, so one is either idle or busy with one request. */
export function createIdleConnections() {
  const known = new WeakSet<Socket>();
  const idle = new Set<Socket>();
  const dismissed = new Set<Socket>();

  return {
    /** A request has come. False where its connection was dismissed before: it must not be processed. */
    begin: (socket: Socket): boolean => {
      idle.delete(socket);
      return !dismissed.has(socket);
    },

    /** The request is answered. */
    end(socket: Socket): void {
      if (socket.destroyed) return;
      idle.add(socket);
      if (known.has(socket)) return;
      known.add(socket);
      socket.once('close', () => {
        idle.delete(socket);
        dismissed.delete(socket);
      });
    },

    /** Tells every idle connection that it ends, and waits until the clients have closed them: `limitMs` at most. */
    async dismiss(limitMs: number): Promise<void> {
      const closing = [...idle].map((socket) => {
        dismissed.add(socket);
        const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
        socket.end(unprocessedAnswer);
        return closed;
      });
      idle.clear();
      if (closing.length === 0) return;
      let limit: NodeJS.Timeout | undefined;
      const expired = new Promise<void>((resolve) => (limit = setTimeout(resolve, limitMs)));
      await Promise.race([Promise.all(closing), expired]);
      clearTimeout(limit);
    },
  };
}
