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
  message: error === 'endpoint_inactive' ? 'the endpoint is inactive' : 'the endpoint is gone',
});

/** A receiver's response. `text` is the beginning of its body. */
export type Answer = {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
};

/** The outcome of a webhook receiver's response. */
export function outcomeOfAnswer({ statusCode, headers }: Answer, now: Date): DeliveryOutcome {
  const answered = `the receiver answered ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300)
    return { status: 'delivered', statusCode, error: '', message: '' };
  if (statusCode >= 300 && statusCode < 400)
    return {
      status: 'retry',
      statusCode,
      error: 'redirect',
      message: `${answered}: redirects are not followed`,
    };
  if (statusCode === 410)
    return {
      status: 'failed',
      statusCode,
      error: 'http_status',
      message: `${answered}: the endpoint is switched off`,
    };
  const error = statusCode === 429 ? 'rate_limited' : 'http_status';
  const wait = statusCode === 429 || statusCode === 503 ? waitOf(headers, now) : undefined;
  return {
    status: 'retry',
    statusCode,
    error,
    message: answered,
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
  if (isSeconds(retryAfter)) return Math.ceil(Number(retryAfter) * 1000);
  const wait = new Date(retryAfter).getTime() - now.getTime();
  return Number.isNaN(wait) || wait < 0 ? undefined : wait;
}

export const isSeconds = (text: string): boolean => /^\d{1,9}(\.\d{1,6})?$/.test(text);

/** The outcome of a request without a response. */
export const outcomeOfFailure = ({ failure, message }: RequestFailed): DeliveryOutcome => ({
  status: 'retry',
  statusCode: 0,
  error: failure,
  message,
});
