import type { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { invalid, unauthenticated } from '@bailiwick/errors';
import { endWith, type Upgrade } from '@bailiwick/process';
import { WebSocketServer } from 'ws';
import { rawResponse, sendJson } from '../http/errors.ts';
import { readJson } from '../http/json-body.ts';
import { RoutingError } from '../http/routing-error.ts';
import { bearerOf } from '../operations/operations.ts';
import type { RequestOrigin } from '../session/authenticate.ts';
import { assertCovered, createErrorAnswers } from './answers.ts';
import { type Connection, type FollowDeps, serveFollower } from './connection.ts';
import { BadFrame, readQuestion } from './frames.ts';
import { createCounts, limits } from './limits.ts';
import { nameOf } from './questions.ts';
import { nameOfScope } from './scope.ts';

// Rights in the memory of applications. docs/follow.md describes the protocol, and decision 39 says
// why the gateway is one holder for all of its followers.

export const followPath = '/follow';
export const followMethods = ['GET', 'POST'];

type Options = Omit<FollowDeps, 'errorAnswer' | 'followers' | 'followersOfTenant'> & {
  /** The path of the public URL, without a slash at its end. */
  prefix: string;
  addressOf: (request: IncomingMessage) => string;
};

// The types of the library lack `closeTimeout`.
const socketOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: limits.frameBytes,
  closeTimeout: limits.closeMs,
};

type FollowRequest = { request: IncomingMessage; response: ServerResponse; origin: RequestOrigin };

export type Follow = ReturnType<typeof createFollow>;

export function createFollow({ prefix, addressOf, ...rest }: Options) {
  const deps: FollowDeps = {
    ...rest,
    errorAnswer: createErrorAnswers(rest.log),
    followers: createCounts(limits.followers),
    followersOfTenant: createCounts(limits.followersOfTenant),
  };
  const connections = new Set<Connection>();
  const handshakes = createHandshakeLimits();
  const sockets = new WebSocketServer(socketOptions);

  function serve(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ip = addressOf(request);
    const refusal = handshakes.refusalOf(request, ip);
    if (refusal) return endWith(socket, refusal);
    const leave = handshakes.enter(ip);
    socket.once('close', leave);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const connection = serveFollower(webSocket, ip, deps, {
        onConfirmed: leave,
        onEnd: () => connections.delete(connection),
      });
      connections.add(connection);
    });
  }

  const upgrade: Upgrade = {
    accepts: ({ method, url = '', headers }) =>
      method === 'GET' &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      [followPath, `${prefix}${followPath}`].includes(url.split('?', 1)[0] ?? ''),
    handle: serve,
  };

  return {
    upgrade,
    /** Answers a question without a WebSocket, and a GET that asks for none. */
    async answer({ request, response, origin }: FollowRequest): Promise<void> {
      if (request.method === 'GET') {
        response.setHeader('upgrade', 'websocket');
        throw new RoutingError(426, 'connect with a WebSocket, or ask with POST', 'POST');
      }
      sendJson(response, 200, await answerOnce(deps, request, response, origin.ip));
    },
    /** From now on new followers are refused, so that they move to another gateway. */
    refuseNew: handshakes.close,
    /** Ends all followers. Resolves once none of them can use anything any more. */
    async close(): Promise<void> {
      handshakes.close();
      await Promise.all([...connections].map((connection) => connection.close()));
    },
  };
}

async function answerOnce(
  { rightsCache, loadScope, loadAnswer, errorAnswer }: FollowDeps,
  request: IncomingMessage,
  response: ServerResponse,
  ip: string,
) {
  const token = bearerOf(request.headers.authorization ?? '');
  if (token === '') throw unauthenticated();
  const { json } = await readJson(request, response, ip);
  const scope = await rightsCache.getOrLoad(nameOfScope(token), () =>
    loadScope(token, ip, undefined),
  );
  if (!scope.serves(ip)) throw unauthenticated();
  scope.noteUse();
  const question = questionOf(json);
  try {
    assertCovered(scope, question);
    const load = () => loadAnswer(question, ip);
    const Value = await rightsCache.getOrLoad(nameOf(question), load);
    return { Type: 'answer', Value };
  } catch (thrown) {
    return { Type: 'answer', ...errorAnswer(thrown) };
  }
}

function questionOf(json: Record<string, unknown>) {
  try {
    return readQuestion(json);
  } catch (thrown) {
    throw thrown instanceof BadFrame ? invalid(thrown.message) : thrown;
  }
}

/** Limits the connections whose credential is not confirmed. */
function createHandshakeLimits() {
  const ofAddress = createCounts(limits.newOfAddress);
  let open = 0;
  let isClosed = false;
  return {
    /** The raw response that refuses a handshake; undefined = none. */
    refusalOf({ headers }: IncomingMessage, ip: string): string | undefined {
      // Browsers send it, and a follower is a server: no page connects with its user's cookies.
      if (headers.origin !== undefined)
        return rawResponse(403, 'permission_denied', 'a browser cannot follow');
      const isFull = open >= limits.newConnections || ofAddress.isFull(ip);
      return isClosed || isFull ? rawResponse(503, 'unavailable', 'try again later') : undefined;
    },
    /** Counts a connection until its credential is confirmed. Returns what ends that. */
    enter(ip: string): () => void {
      open += 1;
      ofAddress.add(ip);
      let hasLeft = false;
      return () => {
        if (hasLeft) return;
        hasLeft = true;
        open -= 1;
        ofAddress.remove(ip);
      };
    },
    close: (): void => void (isClosed = true),
  };
}
