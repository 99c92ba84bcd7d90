import { InvalidTokenError, UnavailableError } from '../errors.ts';
import type { Asks, OpenQuestion } from './asks.ts';
import { type Entries, type Entry, isCurrent } from './entries.ts';
import type { Answer, AnswerFrame } from './frames.ts';
import type { Clock, Lease } from './lease.ts';
import type { Matchers } from './patterns.ts';
import { readState } from './state.ts';

type AnswerDeps = {
  clock: Clock;
  lease: Lease;
  entries: Entries;
  asks: Asks;
  matchers: Matchers;
  forget: (handle: number) => void;
};

/** Keeps the answers of one connection, and drops them. */
export function createAnswers({ clock, lease, entries, asks, matchers, forget }: AnswerDeps) {
  const dropsAhead = createDropsAhead();

  function entryOf(frame: AnswerFrame, { pending, from }: OpenQuestion): Entry | undefined {
    // An answer without a handle is not kept: the gateway could not take it back.
    if (frame.Error || frame.Handle === undefined) return undefined;
    const { Handle: handle, LastsMs: lastsMs, Value } = frame;
    const state = readState(Value, matchers);
    return { key: pending.key, handle, state, from, lastsMs, lease, isDropped: false };
  }

  return {
    /** Returns false if no gateway sends such an answer. */
    receive(frame: AnswerFrame): boolean {
      const { ID, Handle } = frame;
      if (ID > asks.lastId()) return false;
      if (Handle !== undefined && entries.hasHandle(Handle)) return false;
      const question = asks.take(ID);
      const isDropped = Handle !== undefined && dropsAhead.take(Handle);
      dropsAhead.removeBefore(asks.oldestId());
      const entry = question && entryOf(frame, question);
      const isKept = entry && !isDropped && isCurrent(entry, clock);
      if (isKept) entries.add(entry);
      else if (Handle !== undefined && !isDropped) forget(Handle);
      // Without a question it was withdrawn.
      if (frame.Error) question?.pending.reject(errorOf(frame.Error));
      else if (isKept) question.pending.resolve(entry);
      else if (question) asks.repeat(question.pending);
      return true;
    },

    /** Removes the entries of handles, and remembers those whose answers may be on their way. */
    drop(handles: readonly number[]): void {
      for (const handle of handles)
        if (!entries.drop(handle) && asks.oldestId() <= asks.lastId())
          dropsAhead.add(handle, asks.lastId());
    },
  };
}

/** Handles that were dropped before their answers, which may be on their way. */
function createDropsAhead() {
  /** Each with the last question whose answer can bring it. */
  const lastIds = new Map<number, number>();
  return {
    add: (handle: number, lastId: number) => void lastIds.set(handle, lastId),
    take: (handle: number): boolean => lastIds.delete(handle),
    removeBefore(id: number): void {
      for (const [handle, lastId] of lastIds) {
        if (lastId >= id) return;
        lastIds.delete(handle);
      }
    },
  };
}

/** The error of an answer: only `unauthenticated` says that the token has ended. */
export function errorOf({ Code, Message }: NonNullable<Answer['Error']>): Error {
  if (Code === 'unauthenticated')
    return new InvalidTokenError('its session, user, app or key has ended');
  return new UnavailableError(`Bailiwick does not answer: ${Code}: ${Message}`);
}
