import type { Buffer } from 'node:buffer';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RightsCache } from '@bailiwick/broker';
import type { Host } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type { WebSocket } from 'ws';
import { createAnswers, type LoadAnswer } from './answers.ts';
import { BadFrame, type FollowerFrame, readFrame } from './frames.ts';
import { createHolder, sweepMs } from './holder.ts';
import { createBucket, type createCounts, limits } from './limits.ts';
import { closeCodes, createLink } from './link.ts';
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
const leasePollMs = 20;

/** The services that can revoke what a follower holds: its lease rests on the gateway's with them. */
const revokers: readonly Host[] = ['identity', 'access', 'sso'];

export type FollowDeps = {
  rightsCache: RightsCache;
  loans: Loans;
  loadScope: LoadScope;
  loadAnswer: LoadAnswer;
  /** The followers by credential. */
  followers: ReturnType<typeof createCounts>;
  log: Log;
};

export type Connection = {
  /** Ends it. Resolves once the follower cannot use anything any more. */
  close(): Promise<void>;
};

/** Serves a follower. `onHello` is called with its first frame, and `onEnd` when it holds nothing. */
export function serveFollower(
  socket: WebSocket,
  ip: string,
  deps: FollowDeps,
  { onHello, onEnd }: { onHello: () => void; onEnd: () => void },
): Connection {
  const { rightsCache, loans, loadScope, loadAnswer, followers, log } = deps;
  const link = createLink(socket);
  const holder = createHolder({ loans, link });
  const right = createRight({ rightsCache, loadScope, holder, ip, log });
  const answer = createAnswers({ rightsCache, loadAnswer, holder, send: link.send, ip, log });
  let scope: Scope | 'none' | 'wanted' = 'none';

  async function open(frame: Extract<FollowerFrame, { type: 'hello' }>): Promise<void> {
    scope = 'wanted';
    onHello();
    const confirmed = await right.confirm(frame);
    if (holder.isEnding()) return;
    confirmed.noteUse();
    const { credentialId, tenants } = confirmed;
    if (followers.isFull(credentialId))
      return link.close(closeCodes.limit, `a credential has at most ${limits.followers} followers`);
    followers.add(credentialId);
    metrics.followers.change(1, {});
    socket.once('close', () => {
      followers.remove(credentialId);
      metrics.followers.change(-1, {});
    });
    scope = confirmed;
    const times = { BeatMs: beatMs, IdleBeatMs: idleBeatMs };
    link.send({ Type: 'welcome', ...(tenants && { Tenants: tenants }), ...times });
  }

  /** Grants a lease, once the gateway has one itself. */
  async function grant(id: number): Promise<void> {
    const until = performance.now() + leaseWaitMs;
    while (rightsCache.leaseLeftMs(revokers) === 0 && performance.now() < until)
      await sleep(leasePollMs);
    const leaseMs = holder.grant(rightsCache.leaseLeftMs(revokers));
    link.send({ Type: 'ok', ID: id, LeaseMs: leaseMs });
  }

  function receive(frame: FollowerFrame): void {
    if (frame.type === 'hello') {
      if (scope !== 'none') throw new BadFrame('hello comes once');
      return void open(frame).catch(right.refuse);
    }
    if (typeof scope === 'string') throw new BadFrame('hello and welcome come first');
    if (frame.type === 'beat') void grant(frame.id);
    else if (frame.type === 'ask') void answer(frame.id, frame.question, scope);
    else if (frame.type === 'forget') holder.forget(frame.handles);
    else holder.acknowledge(frame.id);
  }

  followMessages(socket, link, {
    receive: (text) => receive(readFrame(text)),
    isFirst: () => scope === 'none',
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

type Receiver = {
  /** @throws BadFrame */
  receive: (text: string) => void;
  /** Whether no frame has come. */
  isFirst: () => boolean;
};

/** Hands each text frame over, and closes a connection that is silent, too busy or wrong. */
function followMessages(
  socket: WebSocket,
  link: ReturnType<typeof createLink>,
  { receive, isFirst }: Receiver,
): void {
  const bucket = createBucket();
  const closeSilent = () => link.close(closeCodes.silent, 'no frame in time');
  let silence = setTimeout(closeSilent, limits.helloMs);

  socket.on('message', (data: Buffer, isBinary) => {
    // Frames that were on their way when the gateway closed the connection.
    if (socket.readyState !== socket.OPEN) return;
    if (!bucket.take()) return link.close(closeCodes.limit, 'too many frames');
    clearTimeout(silence);
    silence = setTimeout(closeSilent, silenceMs);
    try {
      if (isBinary) throw new BadFrame('a frame must be text');
      if (isFirst() && data.length > limits.helloBytes)
        throw new BadFrame(`hello must have at most ${limits.helloBytes} bytes`);
      receive(data.toString('utf8'));
    } catch (thrown) {
      if (!(thrown instanceof BadFrame)) throw thrown;
      link.close(closeCodes.badFrame, thrown.message);
    }
  });
  // The library closes the connection for it: a frame that is too large, or none.
  socket.on('error', () => {});
  socket.once('close', () => clearTimeout(silence));
}
