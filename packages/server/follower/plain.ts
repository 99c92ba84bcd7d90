import { UnavailableError } from '../errors.ts';
import { errorOf } from './answers.ts';
import type { Entry } from './entries.ts';
import { fieldsIn, readAnswer } from './frames.ts';
import { momentOf } from './lease.ts';
import type { Matchers } from './patterns.ts';
import type { Platform } from './platform.ts';
import type { PendingQuestion } from './question.ts';
import { readState } from './state.ts';

const callMs = 3000;
/** The answer to a plain call serves the callers that asked before the call, and is not kept. */
const lastsMs = 1000;

export type PlainDeps = {
  url: string;
  credential: string;
  matchers: Matchers;
  platform: Platform;
};

export type PlainCalls = ReturnType<typeof createPlainCalls>;

/** Asks without a WebSocket. */
export function createPlainCalls({ url, credential, matchers, platform }: PlainDeps) {
  const post = (body: object): Promise<Response> =>
    platform.fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(callMs),
    });

  async function ask(pending: PendingQuestion): Promise<Entry> {
    pending.isPlain = true;
    const from = momentOf(platform.clock);
    const response = await post(pending.question).catch(() => undefined);
    if (!response) throw new UnavailableError(`${url} cannot be reached`);
    const fields = fieldsIn(await response.text().catch(() => ''));
    const answer = response.status === 200 && fields ? readAnswer(fields) : undefined;
    if (!answer) throw new UnavailableError(`${url} answered ${response.status}`);
    if (answer.Error) throw errorOf(answer.Error);
    return {
      key: pending.key,
      handle: 0,
      state: readState(answer.Value, matchers),
      from,
      lastsMs: Math.min(lastsMs, answer.LastsMs),
      lease: { holds: () => true },
      isDropped: false,
    };
  }

  return {
    settle: (pending: PendingQuestion): Promise<void> =>
      ask(pending).then(pending.resolve, pending.reject),

    /**
     * Settles a question if there is an answer, and returns whether this call did. Otherwise it goes on
     * waiting, since a WebSocket may open before its time is over.
     */
    async trySettle(pending: PendingQuestion): Promise<boolean> {
      if (pending.isPlain) return false;
      try {
        pending.resolve(await ask(pending));
        return true;
      } catch (error) {
        if (!(error instanceof UnavailableError)) {
          pending.reject(error as Error);
          return true;
        }
        pending.isPlain = false;
        return false;
      }
    },

    /** Whether a gateway answers: it refuses an empty question. */
    async hasGateway(): Promise<boolean> {
      const response = await post({}).catch(() => undefined);
      await response?.body?.cancel();
      return response?.status === 400;
    },
  };
}
