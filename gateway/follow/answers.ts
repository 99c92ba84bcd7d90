import type { Loaded, RightsCache } from '@bailiwick/broker';
import { denied, exhausted, invalid, toServiceError } from '@bailiwick/errors';
import type { Log } from '@bailiwick/process';
import type { AnswerFrame } from './frames.ts';
import type { FollowerHolder } from './holder.ts';
import { lendSoon } from './lend.ts';
import { limits } from './limits.ts';
import { type FollowedValue, nameOf, type Question } from './questions.ts';
import { covers, type Scope } from './scope.ts';

// Answers to the questions of followers.

export type LoadAnswer = (question: Question, ip: string) => Promise<Loaded<FollowedValue>>;

/** When a follower that is over a limit may ask again, in seconds. */
const retrySeconds = 1;

/** @throws permission_denied for a tenant that is not followed */
export function assertCovered(scope: Scope, { tenant }: Question): void {
  if (!covers(scope, tenant)) throw denied('the follower does not follow this tenant');
}

/** During an outage hundreds of questions a second may fail. */
const logMs = 10_000;

export type ErrorAnswer = ReturnType<typeof createErrorAnswers>;

/** Makes the content of the answer about a question that failed. Only failures of ours are logged. */
export function createErrorAnswers(log: Log) {
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (thrown: unknown): Pick<AnswerFrame, 'Error'> => {
    const { code, message } = toServiceError(thrown);
    const isOurs = code === 'internal' || code === 'unimplemented' || code === 'unavailable';
    if (!isOurs) return { Error: { Code: code, Message: message } };
    const now = performance.now();
    if (now - loggedAt > logMs) {
      loggedAt = now;
      log.warn('questions of followers are not answered', { error: thrown });
    }
    return { Error: unknownNow };
  };
}

const unknownNow = { Code: 'unavailable', Message: 'the answer is not known now' };

type Options = {
  rightsCache: Pick<RightsCache, 'lend' | 'leaseLeftMs'>;
  loadAnswer: LoadAnswer;
  errorAnswer: ErrorAnswer;
  holder: FollowerHolder;
  send: (answer: AnswerFrame) => void;
  ip: string;
};

/** Answers the questions of one follower, and notes the copies that it gets. */
export function createAnswers({ rightsCache, loadAnswer, errorAnswer, holder, send, ip }: Options) {
  let open = 0;

  function assertWithinLimits(): void {
    if (holder.isFull()) throw exhausted('too many entries: forget some', retrySeconds);
    // The present one counts.
    if (open > limits.questions)
      throw exhausted(
        `a follower asks at most ${limits.questions} questions at once`,
        retrySeconds,
      );
  }

  const lend = (id: number, question: Question): Promise<void> =>
    lendSoon(
      rightsCache,
      nameOf(question),
      () => loadAnswer(question, ip),
      (answer, terms) => {
        // A holder that is ending sends no further drop.
        if (holder.isEnding()) return;
        const lastsMs = Math.max(0, Math.floor(terms.lastsMs));
        send({
          Type: 'answer',
          ID: id,
          Handle: holder.add(terms),
          LastsMs: lastsMs,
          Value: answer,
        });
      },
    );

  return async (
    id: number,
    question: Question | { problem: string },
    right: Promise<Scope>,
  ): Promise<void> => {
    open += 1;
    try {
      const scope = await right;
      if ('problem' in question) throw invalid(question.problem);
      assertCovered(scope, question);
      assertWithinLimits();
      scope.noteUse();
      await lend(id, question);
    } catch (thrown) {
      send({ Type: 'answer', ID: id, ...errorAnswer(thrown) });
    } finally {
      open -= 1;
    }
  };
}
