import { type FailureName, type RequestFailed } from '@bailiwick/egress';

// Maps a receiver's response, or its absence, to an outcome. docs/webhooks.md documents it for
// receivers.

export type Status = 'delivered' | 'retry' | 'failed' | 'dropped';

type ErrorName =
  | ''
  | FailureName
  | 'redirect'
  | 'http_status'
  | 'rate_limited'
  | 'payload_too_large'
  | 'endpoint_inactive'
  | 'endpoint_not_found'
  | 'suppressed';

export type DeliveryOutcome = {
  status: Status;
  /** 0 = no response. */
  statusCode: number;
  error: ErrorName;
  message: string;
  /** The delay that the receiver asked for. */
  retryAfterMs?: number;
};

export const dropped = (error: 'endpoint_inactive' | 'endpoint_not_found'): DeliveryOutcome => ({
  status: 'dropped',
  statusCode: 0,
  error,
  message: error === 'endpoint_inactive' ? 'the endpoint is inactive' : 'the endpoint was deleted',
});

/** A receiver's response. `text` is the beginning of its body. */
export type Answer = {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
};

/** The outcome of a webhook receiver's response. */
export function outcomeOfAnswer({ statusCode, headers }: Answer, now: Date): DeliveryOutcome {
  const summary = `the receiver answered ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300)
    return { status: 'delivered', statusCode, error: '', message: '' };
  if (statusCode >= 300 && statusCode < 400)
    return {
      status: 'retry',
      statusCode,
      error: 'redirect',
      message: `${summary}: redirects are not followed`,
    };
  if (statusCode === 410)
    return {
      status: 'failed',
      statusCode,
      error: 'http_status',
      message: `${summary}: the endpoint is switched off`,
    };
  const error = statusCode === 429 ? 'rate_limited' : 'http_status';
  const wait = statusCode === 429 || statusCode === 503 ? waitOf(headers, now) : undefined;
  return {
    status: 'retry',
    statusCode,
    error,
    message: summary,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

/**
 * Retry-After in milliseconds: an HTTP date, or seconds (RFC 9110 §10.2.3). Some services send
 * fractions of a second.
 */
export function waitOf(
  { 'retry-after': retryAfter }: Answer['headers'],
  now: Date,
): number | undefined {
  if (typeof retryAfter !== 'string') return undefined;
  const seconds = readSeconds(retryAfter);
  if (seconds !== undefined) return seconds;
  const wait = new Date(retryAfter.trim()).getTime() - now.getTime();
  return Number.isNaN(wait) || wait < 0 ? undefined : Math.min(wait, longestWaitMs);
}

/** No receiver pauses longer than attempts are kept. */
const longestWaitMs = 30 * 24 * 3_600_000;

/** Seconds with optional fractions as milliseconds; undefined for any other text. */
export const readSeconds = (text: string): number | undefined =>
  /^\s*\d+(\.\d+)?\s*$/.test(text)
    ? Math.min(Math.ceil(Number(text) * 1000), longestWaitMs)
    : undefined;

/** The outcome of a request without a response. */
export const outcomeOfFailure = ({ failure, message }: RequestFailed): DeliveryOutcome => ({
  status: 'retry',
  statusCode: 0,
  error: failure,
  message,
});
