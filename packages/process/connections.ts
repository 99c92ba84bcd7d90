import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// Ends a listener's HTTP/1.1 connections without losing a call. A busy connection ends with its
// response, which carries Connection: close. For an idle one HTTP/1.1 has no way to announce the
// end: if the server just closes it, a client whose request is on its way cannot know whether a
// retry is safe. So our own processes get an explicit response.

/** The User-Agent of our own client, which understands the response below. */
export const hopAgent = 'bailiwick';

/** In a 408: the server has not processed a request on this connection and will not. */
export const unprocessedHeader = 'x-bailiwick-unprocessed';

const unprocessedAnswer = Buffer.from(
  `HTTP/1.1 408 Request Timeout\r\n${unprocessedHeader}: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
);

/** How long our own client has to close a connection after the response below: one round trip. */
const closeMs = 500;

/**
 * Limit of unanswered requests on one connection. Node reads and starts pipelined requests even if
 * the client does not read the responses: one connection could hold gigabytes. No browser, proxy or
 * process of ours pipelines requests.
 */
const maxUnanswered = 16;

export function createConnections() {
  const answering = new Set<ServerResponse>();
  const unanswered = new WeakMap<Socket, number>();
  /** Idle connections; true if the client is our own, which never pipelines. */
  const idle = new Map<Socket, boolean>();
  const sockets = new WeakSet<Socket>();
  const closing = new WeakSet<Socket>();
  let keepAliveDisabled = false;

  return {
    /**
     * Registers a request. False if it must not be processed: its connection is already closing, or
     * has too many requests.
     */
    begin(request: IncomingMessage, response: ServerResponse): boolean {
      const { socket, headers } = request;
      if (closing.has(socket)) return false;
      const before = unanswered.get(socket) ?? 0;
      if (before >= maxUnanswered) {
        closing.add(socket);
        socket.destroy();
        return false;
      }
      unanswered.set(socket, before + 1);
      idle.delete(socket);
      if (!sockets.has(socket)) {
        sockets.add(socket);
        socket.once('close', () => idle.delete(socket));
      }
      answering.add(response);
      response.once('close', () => {
        answering.delete(response);
        unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1);
        if (!socket.destroyed) idle.set(socket, headers['user-agent'] === hopAgent);
      });
      if (keepAliveDisabled) response.setHeader('connection', 'close');
      return true;
    },

    /** From now on every response closes its connection, including those of calls in flight. */
    disableKeepAlive(): void {
      keepAliveDisabled = true;
      for (const response of answering)
        if (!response.headersSent) response.setHeader('connection', 'close');
    },

    /** Closes the connections that wait for a request. */
    closeIdle(): void {
      for (const [socket, own] of idle) {
        idle.delete(socket);
        closing.add(socket);
        if (!own) {
          socket.destroy();
          continue;
        }
        socket.end(unprocessedAnswer);
        setTimeout(() => socket.destroy(), closeMs).unref();
      }
    },
  };
}
