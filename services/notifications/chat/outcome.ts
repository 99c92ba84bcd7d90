import {
  type Answer,
  isSeconds,
  type Outcome,
  outcomeOfAnswer,
  waitOf,
} from '../sending/outcome.ts';

/**
 * What the answer of a chat service means. A message is no record: what the service refuses is not sent again, and
 * only what will pass is waited for.
 */
export function outcomeOfChatAnswer(answer: Answer, now: Date): Outcome {
  const { statusCode, headers, text } = answer;
  const outcome = outcomeOfAnswer(answer, now);
  if (outcome.status === 'delivered')
    return withWait(
      outcome,
      headers['x-ratelimit-remaining'] === '0' ? resetAfter(headers) : undefined,
    );
  if (outcome.status === 'retry' && !passes(statusCode)) return { ...outcome, status: 'failed' };
  if (statusCode !== 429) return outcome;
  // The header of Discord comes first: in what unit the others are there depends on the version of its API.
  return withWait(outcome, resetAfter(headers) ?? waitOf(headers, now) ?? retryAfterOf(text));
}

const passes = (statusCode: number): boolean =>
  statusCode >= 500 || [408, 425, 429].includes(statusCode);

const withWait = (outcome: Outcome, retryAfterMs: number | undefined): Outcome =>
  retryAfterMs === undefined ? outcome : { ...outcome, retryAfterMs };

function resetAfter({ 'x-ratelimit-reset-after': seconds }: Answer['headers']): number | undefined {
  return typeof seconds === 'string' && isSeconds(seconds)
    ? Math.ceil(Number(seconds) * 1000)
    : undefined;
}

/** The seconds that Discord gives in its body. */
function retryAfterOf(text: string): number | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const seconds: unknown =
      typeof json === 'object' && json !== null && 'retry_after' in json
        ? json.retry_after
        : undefined;
    return typeof seconds === 'number' && seconds >= 0 && seconds < 1e9
      ? Math.ceil(seconds * 1000)
      : undefined;
  } catch {
    return undefined; // most services answer with a word
  }
}
