import { UnavailableError } from '../errors.ts';
import { type Entry, isCurrent } from './entries.ts';
import type { Platform } from './platform.ts';
import type { PendingQuestion, Question } from './question.ts';

/** A question waits this long for its answer, over several connections if need be. */
const answerMs = 3000;

export const closedMessage = 'the follower is closed';

/** How questions reach a gateway now. */
export type Route = {
  find: (key: string) => Entry | undefined;
  ask: (pending: PendingQuestion) => void;
  withdraw: (pending: PendingQuestion) => void;
};

export type Questions = ReturnType<typeof createQuestions>;

/** Finds the answers to questions, in memory or by asking. */
export function createQuestions({ clock, after }: Platform, route: Route) {
  const waiting = new Set<PendingQuestion>();
  /** The last of the waiting questions with each key. */
  const byKey = new Map<string, ReturnType<typeof createPending>>();
  let isClosed = false;

  function rejectWaiting(error: Error): void {
    for (const pending of waiting) pending.reject(error);
  }

  async function ask(key: string, question: Question): Promise<Entry> {
    const pending = createPending(key, question);
    waiting.add(pending);
    byKey.set(key, pending);
    const cancel = after(answerMs, () =>
      pending.reject(new UnavailableError('Bailiwick does not answer in time')),
    );
    route.ask(pending);
    try {
      return await pending.answer;
    } finally {
      cancel();
      waiting.delete(pending);
      if (byKey.get(key) === pending) byKey.delete(key);
      route.withdraw(pending);
    }
  }

  function entryOf(question: Question): Promise<Entry> | Entry {
    const key = JSON.stringify(question);
    const entry = route.find(key);
    if (entry) return entry;
    if (isClosed) throw new UnavailableError(closedMessage);
    const pending = byKey.get(key);
    return pending && !pending.isPlain ? pending.answer : ask(key, question);
  }

  return {
    /** @throws InvalidTokenError if the token has ended; UnavailableError if it cannot be known */
    async currentEntry(question: Question): Promise<Entry> {
      const entry = await entryOf(question);
      if (isCurrent(entry, clock)) return entry;
      // A drop has overtaken the answer.
      const next = await entryOf(question);
      if (isCurrent(next, clock)) return next;
      throw new UnavailableError('the answer changes too often to be kept');
    },

    /** Asks the waiting questions in the way that there is now. */
    askWaiting(): void {
      for (const pending of waiting) route.ask(pending);
    },

    rejectWaiting,

    close(): void {
      isClosed = true;
      rejectWaiting(new UnavailableError(closedMessage));
    },
  };
}

function createPending(key: string, question: Question) {
  let settle: Pick<PendingQuestion, 'resolve' | 'reject'> | undefined;
  const answer = new Promise<Entry>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // The executor of a promise runs at once.
  const { resolve, reject } = settle as Pick<PendingQuestion, 'resolve' | 'reject'>;
  return { key, question, answer, resolve, reject, isPlain: false, askId: 0, lostAnswers: 0 };
}
