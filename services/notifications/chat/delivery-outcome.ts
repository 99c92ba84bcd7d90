import {
  type Answer,
  type DeliveryOutcome,
  outcomeOfAnswer,
  readSeconds,
  waitOf,
} from '../sending/delivery-outcome.ts';

/**
 * The outcome of a chat service's response. A chat message is not a record: it is retried only
 * after temporary errors.
 */
export function outcomeOfChatAnswer(answer: Answer, now: Date): DeliveryOutcome {
  const { statusCode, headers, text } = answer;
  const outcome = outcomeOfAnswer(answer, now);
  if (outcome.status === 'delivered')
    return withWait(
      outcome,
      headers['x-ratelimit-remaining'] === '0' ? resetAfter(headers) : undefined,
    );
  if (outcome.status === 'retry' && !isTemporary(statusCode))
    return { ...outcome, status: 'failed' };
  if (statusCode !== 429) return outcome;
  // Discord's reset header comes first, because the unit of its other headers depends on the API
  // version.
  return withWait(outcome, resetAfter(headers) ?? waitOf(headers, now) ?? retryAfterOf(text));
}

const isTemporary = (statusCode: number): boolean =>
  statusCode >= 500 || [408, 425, 429].includes(statusCode);

const withWait = (outcome: DeliveryOutcome, retryAfterMs: number | undefined): DeliveryOutcome =>
  retryAfterMs === undefined ? outcome : { ...outcome, retryAfterMs };

function resetAfter({ 'x-ratelimit-reset-after': seconds }: Answer['headers']): number | undefined {
  return typeof seconds === 'string' ? readSeconds(seconds) : undefined;
}

/** The `retry_after` seconds of Discord's response body. */
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
    return undefined; // most services respond with plain text
  }
}
