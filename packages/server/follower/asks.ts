import { UnavailableError } from '../errors.ts';
import { type Lease, type Moment, momentOf } from './lease.ts';
import { createPace } from './pace.ts';
import type { Platform } from './platform.ts';
import type { PendingQuestion } from './question.ts';

/** A question whose answer could not be kept as often as this fails. */
const mostLostAnswers = 8;
/** A gateway answers 256 questions of a follower at a time, among them those that were withdrawn. */
const mostOpen = 200;
/** While questions wait for their turn, this is the time until the next ones are sent. */
const turnMs = 20;
/** The most characters of a question. A gateway refuses frames of more than 64 KiB. */
const maxLength = 16_000;

type AskDeps = {
  platform: Platform;
  lease: Lease;
  send: (frame: object) => void;
};

/** A question that was sent, and the moment before. */
export type OpenQuestion = { pending: PendingQuestion; from: Moment };

export type Asks = ReturnType<typeof createAsks>;

/** Sends the questions of one connection. */
export function createAsks({ platform, lease, send }: AskDeps) {
  const { clock } = platform;
  const mayAsk = createPace(clock);
  const waiting = new Set<PendingQuestion>();
  /** Questions whose answers came without a lease, and would again. */
  const waitingForLease = new Set<PendingQuestion>();
  /** In the order of their IDs. */
  const open = new Map<number, OpenQuestion>();
  let lastId = 0;
  let cancelTurn = () => {};

  function sendWaiting(): void {
    cancelTurn();
    for (const pending of waiting) {
      // The next answer sends more of them.
      if (open.size >= mostOpen) return;
      if (!mayAsk()) {
        cancelTurn = platform.after(turnMs, sendWaiting);
        return;
      }
      waiting.delete(pending);
      pending.askId = ++lastId;
      open.set(lastId, { pending, from: momentOf(clock) });
      send({ Type: 'ask', ID: lastId, ...pending.question });
    }
  }

  return {
    isOpen: () => open.size + waiting.size + waitingForLease.size > 0,
    lastId: () => lastId,
    /** The ID of the oldest question without an answer, or of the next one. */
    oldestId: (): number => open.keys().next().value ?? lastId + 1,
    stop: () => cancelTurn(),

    ask(pending: PendingQuestion): void {
      if (JSON.stringify(pending.question).length > maxLength)
        return pending.reject(new UnavailableError('the question is too large'));
      waiting.add(pending);
      sendWaiting();
    },

    /** Asks again, since an answer that cannot be kept decides nothing. */
    repeat(pending: PendingQuestion): void {
      pending.lostAnswers++;
      if (pending.lostAnswers >= mostLostAnswers)
        return pending.reject(new UnavailableError('the answer changes too often to be kept'));
      if (!lease.holds()) return void waitingForLease.add(pending);
      waiting.add(pending);
      sendWaiting();
    },

    /** Sends the questions that wait for a lease. */
    beginLease(): void {
      for (const pending of waitingForLease) waiting.add(pending);
      waitingForLease.clear();
      sendWaiting();
    },

    /** The question of an answer, which is open no longer. */
    take(id: number): OpenQuestion | undefined {
      const question = open.get(id);
      open.delete(id);
      sendWaiting();
      return question;
    },

    /** Forgets a question that no caller waits for any more. */
    withdraw(pending: PendingQuestion): void {
      waiting.delete(pending);
      waitingForLease.delete(pending);
      // The ID may be one of an earlier connection.
      if (open.get(pending.askId)?.pending === pending) open.delete(pending.askId);
    },
  };
}
