import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// How a listener lets go of its HTTP/1.1 connections without losing a call. A busy one ends with its answer, which says so. For an
// idle one HTTP/1.1 has no way to say "this ends, and what you may be sending just now is not processed": a server that merely
// closes it leaves a caller whose request was on its way, and who cannot know whether it may be sent again. So between our own
// processes there is such a word.

/** How our own client names itself (User-Agent): it understands the answer below. */
export const hopAgent = 'bailiwick';

/** In a 408: the server has processed nothing of the request, if there was one, and never will. */
export const unprocessedHeader = 'x-bailiwick-unprocessed';

const unprocessedAnswer = Buffer.from(
  `HTTP/1.1 408 Request Timeout\r\n${unprocessedHeader}: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
);

/** What our own client has to close a connection that it was told is ending: one way there and one back. */
const dismissMs = 500;

/**
 * Requests that a connection may have unanswered. Node reads and begins whatever has been sent, also while nobody reads the answers:
 * one connection could hold gigabytes. No browser, proxy or process of ours sends a second request before the first is answered.
 */
const maxUnanswered = 16;

export type Connections = ReturnType<typeof createConnections>;

export function createConnections() {
  const answering = new Set<ServerResponse>();
  const unanswered = new WeakMap<Socket, number>();
  /** Whether the one at the other end is our own client, which never pipelines. */
  const idle = new Map<Socket, boolean>();
  const known = new WeakSet<Socket>();
  const dismissed = new WeakSet<Socket>();
  let retiring = false;

  return {
    /** A request has come. False where its connection was dismissed before, or now since it has too many: it must not be processed. */
    begin(request: IncomingMessage, response: ServerResponse): boolean {
      const { socket, headers } = request;
      if (dismissed.has(socket)) return false;
      const before = unanswered.get(socket) ?? 0;
      if (before >= maxUnanswered) {
        dismissed.add(socket);
        socket.destroy();
        return false;
      }
      unanswered.set(socket, before + 1);
      idle.delete(socket);
      if (!known.has(socket)) {
        known.add(socket);
        socket.once('close', () => idle.delete(socket));
      }
      answering.add(response);
      response.once('close', () => {
        answering.delete(response);
        unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
        if (!socket.destroyed) idle.set(socket, headers['user-agent'] === hopAgent);
      });
      if (retiring) response.setHeader('connection', 'close');
      return true;
    },

    /** From here on every answer ends its connection, those of the calls in flight too. */
    retire(): void {
      retiring = true;
      for (const response of answering)
        if (!response.headersSent) response.setHeader('connection', 'close');
    },

    /** Ends the connections that wait for a request. */
    dismiss(): void {
      for (const [socket, own] of idle) {
        idle.delete(socket);
        dismissed.add(socket);
        if (!own) {
          socket.destroy();
          continue;
        }
        socket.end(unprocessedAnswer);
        setTimeout(() => socket.destroy(), dismissMs).unref();
      }
    },
  };
}
