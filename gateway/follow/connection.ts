import type { Buffer } from 'node:buffer';
import type { RightsCache } from '@bailiwick/broker';
import type { Log } from '@bailiwick/process';
import type { WebSocket } from 'ws';
import { createAnswers, type ErrorAnswer, type LoadAnswer } from './answers.ts';
import { BadFrame, type FollowerFrame, readFrame } from './frames.ts';
import { createHolder, type FollowerHolder } from './holder.ts';
import { awaitLease } from './lend.ts';
import { type Counts, createBucket, limits } from './limits.ts';
import { closeCodes, createLink, type Link } from './link.ts';
import type { Loans } from './loans.ts';
import { metrics } from './metrics.ts';
import { createRight, type LoadScope } from './right.ts';
import type { Scope } from './scope.ts';

// One follower: a connection from its first frame to the end of its lease.

/** The times between beats, which the follower learns with `welcome`. */
const beatMs = 500;
const idleBeatMs = 20_000;
/** A connection that is silent for this long is closed. */
const silenceMs = 60_000;
/** How long an `ok` may wait for the gateway's own lease to begin. It counts from the beat anyway. */
const leaseWaitMs = 400;
/** Copies whose time has ended are removed this often. */
const sweepMs = 10_000;

export type FollowDeps = {
  rightsCache: RightsCache;
  loans: Loans;
  loadScope: LoadScope;
  loadAnswer: LoadAnswer;
  errorAnswer: ErrorAnswer;
  /** The followers by credential, and by the tenant of their bots. */
  followers: Counts;
  followersOfTenant: Counts;
  log: Log;
};

export type Connection = {
  /** Ends it. Resolves once the follower cannot use anything any more. */
  close(): Promise<void>;
};

type Hello = Extract<FollowerFrame, { type: 'hello' }>;

/**
 * Serves a follower. `onConfirmed` is called once its credential is confirmed, and `onEnd` when it
 * holds nothing.
 */
export function serveFollower(
  socket: WebSocket,
  ip: string,
  deps: FollowDeps,
  { onConfirmed, onEnd }: { onConfirmed: () => void; onEnd: () => void },
): Connection {
  const { rightsCache, loadScope, loadAnswer, errorAnswer, log } = deps;
  const link = createLink(socket);
  const holder = createHolder({ loans: deps.loans, link, onLapse: () => right.lapse() });
  const right = createRight({ rightsCache, loadScope, holder, ip, log });
  const answer = createAnswers({
    rightsCache,
    loadAnswer,
    errorAnswer,
    holder,
    send: link.send,
    ip,
  });
  const extendLease = createLeases(rightsCache, holder, link);
  let state: 'new' | 'opening' | 'open' = 'new';

  async function open(hello: Hello): Promise<void> {
    state = 'opening';
    const scope = await right.open(hello);
    onConfirmed();
    if (holder.isEnding()) return;
    scope.noteUse();
    if (!admit(deps, scope, socket)) return link.close(closeCodes.limit, 'too many followers');
    state = 'open';
    const { tenants } = scope;
    const times = { BeatMs: beatMs, IdleBeatMs: idleBeatMs };
    link.send({ Type: 'welcome', ...(tenants && { Tenants: tenants }), ...times });
  }

  function receive(frame: FollowerFrame): void {
    if (frame.type === 'hello') {
      if (state !== 'new') throw new BadFrame('hello comes once');
      // The right ends the connection of one that has none.
      return void open(frame).catch(() => {});
    }
    if (state !== 'open') throw new BadFrame('hello and welcome come first');
    if (frame.type === 'beat') void extendLease(frame.id);
    else if (frame.type === 'ask') void answer(frame.id, frame.question, right.current());
    else if (frame.type === 'forget') holder.forget(frame.handles);
    else holder.acknowledge(frame.id);
  }

  followMessages(socket, link, {
    receive: (text) => receive(readFrame(text)),
    isFirst: () => state === 'new',
  });
  const sweep = setInterval(() => holder.sweep(performance.now()), sweepMs).unref();
  socket.once('close', () => {
    right.stop();
    clearInterval(sweep);
    void holder.lose().then(onEnd);
  });

  return {
    async close() {
      await holder.end(closeCodes.stopping, 'the gateway stops');
      await holder.lose();
    },
  };
}

/** Counts a follower until its connection ends; false = there are too many. */
function admit(
  { followers, followersOfTenant, log }: FollowDeps,
  { credentialId, ownTenant, tenants }: Scope,
  socket: WebSocket,
): boolean {
  if (followers.isFull(credentialId) || followersOfTenant.isFull(ownTenant)) return false;
  followers.add(credentialId);
  followersOfTenant.add(ownTenant);
  metrics.followers.change(1, {});
  socket.once('close', () => {
    followers.remove(credentialId);
    followersOfTenant.remove(ownTenant);
    metrics.followers.change(-1, {});
  });
  log.info('a follower is connected', { credentialId, tenants: tenants ?? 'all' });
  return true;
}

/** Answers beats with a lease, once the gateway has one itself. */
function createLeases(
  rightsCache: Pick<RightsCache, 'leaseLeftMs'>,
  holder: FollowerHolder,
  link: Link,
) {
  return async (id: number): Promise<void> => {
    const leftMs = await awaitLease(rightsCache, leaseWaitMs);
    link.send({ Type: 'ok', ID: id, LeaseMs: holder.extendLease(leftMs) });
  };
}

type Receiver = {
  /** @throws BadFrame */
  receive: (text: string) => void;
  /** Whether no frame has come. */
  isFirst: () => boolean;
};

/** Hands each text frame over, and closes a connection that is silent, too busy or wrong. */
function followMessages(socket: WebSocket, link: Link, { receive, isFirst }: Receiver): void {
  const bucket = createBucket();
  const closeSilent = () => link.close(closeCodes.silent, 'no frame in time');
  let silence = setTimeout(closeSilent, limits.helloMs);

  socket.on('message', (message: Buffer, isBinary) => {
    // Frames that were on their way when the gateway closed the connection.
    if (socket.readyState !== socket.OPEN) return;
    if (!bucket.take()) return link.close(closeCodes.limit, 'too many frames');
    clearTimeout(silence);
    silence = setTimeout(closeSilent, silenceMs);
    try {
      if (isBinary) throw new BadFrame('binary frames are refused');
      if (isFirst() && message.length > limits.helloBytes)
        throw new BadFrame(`hello must have at most ${limits.helloBytes} bytes`);
      receive(message.toString('utf8'));
    } catch (thrown) {
      if (!(thrown instanceof BadFrame)) throw thrown;
      link.close(closeCodes.badFrame, thrown.message);
    }
  });
  // The library closes the connection for it: a frame that is too large, or none.
  socket.on('error', () => {});
  socket.once('close', () => clearTimeout(silence));
}
