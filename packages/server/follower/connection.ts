import { createAnswers } from './answers.ts';
import { createAsks } from './asks.ts';
import { createBeats } from './beats.ts';
import { createEntries } from './entries.ts';
import { type Frame, readFrame } from './frames.ts';
import { createLease } from './lease.ts';
import type { Matchers } from './patterns.ts';
import type { Connect, Platform } from './platform.ts';
import type { PendingQuestion } from './question.ts';

/** The time until `welcome`. */
const helloMs = 5000;
const mostForgotten = 500;

export type ConnectionEnd = {
  /** The code of the close frame; 1006 without one. */
  code: number;
  reason: string;
  /** Whether the upgrade to a WebSocket was accepted. */
  wasOpened: boolean;
};

export type ConnectionDeps = {
  url: string;
  credential: string;
  tenants: readonly string[] | undefined;
  maxEntries: number;
  matchers: Matchers;
  platform: Platform;
  connect: Connect;
  onWelcome: () => void;
  onClose: (connectionEnd: ConnectionEnd) => void;
};

export type Connection = ReturnType<typeof openConnection>;

/**
 * One connection to a gateway. Its lease, its entries and its questions end with it.
 */
export function openConnection(deps: ConnectionDeps) {
  const { platform, credential, tenants } = deps;
  let wasOpened = false;
  let isClosed = false;
  const socket = deps.connect(deps.url, {
    onOpen() {
      if (isClosed) return;
      wasOpened = true;
      send({ Type: 'hello', Credential: credential, ...(tenants && { Tenants: tenants }) });
    },
    onMessage(message) {
      if (!isClosed && !memory.receive(readFrame(message))) close(4400, 'a bad frame');
    },
    onClose: end,
  });
  const send = (frame: object): void => socket.send(JSON.stringify(frame));
  const cancelHello = platform.after(helloMs, () => close(4408, 'no welcome in time'));
  const memory = createMemory(
    {
      ...deps,
      onWelcome() {
        cancelHello();
        deps.onWelcome();
      },
    },
    { send, close },
  );

  function end(code: number, reason: string): void {
    if (isClosed) return;
    isClosed = true;
    cancelHello();
    memory.clear();
    deps.onClose({ code, reason, wasOpened });
  }

  /** Drops the entries, so that no revocation waits for their lease, and then closes the socket. */
  function close(code: number, reason: string): void {
    if (isClosed) return;
    memory.clear();
    memory.sendForgotten();
    socket.close(code, reason);
    end(code, reason);
  }

  return {
    find: memory.find,
    ask: memory.ask,
    withdraw: memory.withdraw,
    close: () => close(1000, ''),
  };
}

type Gateway = { send: (frame: object) => void; close: (code: number, reason: string) => void };

/** The lease, the entries and the questions of a connection. */
function createMemory(deps: ConnectionDeps, { send, close }: Gateway) {
  const { clock } = deps.platform;
  const { forget, sendForgotten } = createForget(send);
  const entries = createEntries(deps.maxEntries, forget);
  const lease = createLease(clock, entries.clear);
  const asks = createAsks({ ...deps, lease, send });
  const answers = createAnswers({ ...deps, clock, lease, entries, asks, forget });
  const beats = createBeats({
    platform: deps.platform,
    lease,
    send,
    /** An entry that is over keeps no follower busy. */
    onBeat() {
      entries.evictOver(clock);
      sendForgotten();
    },
    isBusy: () => entries.size() > 0 || asks.isOpen(),
    onSilence: () => close(4408, 'the gateway is silent'),
  });
  let isWelcome = false;

  return {
    find: (key: string) => entries.find(key, clock),
    withdraw: asks.withdraw,
    sendForgotten,

    /** Sends a question. After an idle time a beat goes ahead of it. */
    ask(pending: PendingQuestion): void {
      beats.wake();
      asks.ask(pending);
    },

    /** Returns false for a frame that no gateway sends now. */
    receive(frame: Frame | undefined): boolean {
      if (frame?.Type === 'welcome' && !isWelcome) {
        isWelcome = true;
        beats.start(frame.BeatMs, frame.IdleBeatMs);
        deps.onWelcome();
        return true;
      }
      if (!frame || !isWelcome || frame.Type === 'welcome') return false;
      if (frame.Type === 'answer') return answers.receive(frame);
      if (frame.Type === 'ok') {
        beats.receiveOk(frame.ID, frame.LeaseMs);
        if (lease.holds()) asks.beginLease();
        return true;
      }
      answers.drop(frame.Handles);
      send({ Type: 'dropped', ID: frame.ID });
      return true;
    },

    clear(): void {
      lease.end();
      beats.stop();
      asks.stop();
    },
  };
}

/** Collects the handles that left without a drop. */
function createForget(send: (frame: object) => void) {
  let handles: number[] = [];
  function sendForgotten(): void {
    if (handles.length > 0) send({ Type: 'forget', Handles: handles });
    handles = [];
  }
  function forget(handle: number): void {
    handles.push(handle);
    if (handles.length >= mostForgotten) sendForgotten();
  }
  return { forget, sendForgotten };
}
