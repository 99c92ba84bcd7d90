// What an attempt's answer or failure means (the table of delivery.md §4). Texts for people name no URL and
// no address: whoever reads the log of attempts need not know where a name leads inside our network.

export type Status = 'delivered' | 'retry' | 'failed' | 'dropped';

export type ErrorName =
  | ''
  | 'timeout'
  | 'dns_error'
  | 'connection_refused'
  | 'connection_reset'
  | 'tls_error'
  | 'blocked_address'
  | 'invalid_url'
  | 'redirect'
  | 'http_status'
  | 'rate_limited'
  | 'response_too_large'
  | 'payload_too_large'
  | 'endpoint_inactive'
  | 'endpoint_not_found'
  | 'suppressed'
  | 'aborted_by_receiver';

export type Outcome = {
  status: Status;
  /** 0 = there was no answer. */
  statusCode: number;
  error: ErrorName;
  message: string;
  /** How long the receiver asked to be left alone. */
  retryAfterMs?: number;
};

export const dropped = (error: 'endpoint_inactive' | 'endpoint_not_found'): Outcome => ({
  status: 'dropped',
  statusCode: 0,
  error,
  message: error === 'endpoint_inactive' ? 'the endpoint is inactive' : 'the endpoint is gone',
});

/** What a receiver's answer means. */
export function outcomeOfAnswer(statusCode: number, retryAfter: string | undefined, now: Date): Outcome {
  const answered = `the receiver answered ${statusCode}`;
  if (statusCode >= 200 && statusCode < 300) return { status: 'delivered', statusCode, error: '', message: '' };
  if (statusCode >= 300 && statusCode < 400) return { status: 'retry', statusCode, error: 'redirect', message: `${answered}: redirects are not followed` };
  if (statusCode === 410) return { status: 'failed', statusCode, error: 'http_status', message: `${answered}: the endpoint is switched off` };
  const error = statusCode === 429 ? 'rate_limited' : 'http_status';
  const wait = statusCode === 429 || statusCode === 503 ? waitOf(retryAfter, now) : undefined;
  return { status: 'retry', statusCode, error, message: answered, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
}

// Seconds or an HTTP date (RFC 9110 §10.2.3).
function waitOf(retryAfter: string | undefined, now: Date): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const wait = new Date(retryAfter).getTime() - now.getTime();
  return Number.isNaN(wait) || wait < 0 ? undefined : wait;
}

const messages = {
  timeout: 'the receiver did not answer in time',
  dns_error: "the receiver's name does not resolve",
  connection_refused: 'the receiver does not accept connections',
  connection_reset: 'the connection was closed before the receiver answered',
  tls_error: 'no trusted TLS connection could be made',
  blocked_address: 'the address is not allowed for receivers',
  invalid_url: 'the URL cannot be used',
  response_too_large: "the answer's headers are too large",
  aborted_by_receiver: 'the receiver broke off its answer',
} as const satisfies Partial<Record<ErrorName, string>>;

type FailureName = keyof typeof messages;

// Node's, c-ares', OpenSSL's and undici's codes. The first match counts.
const failures: ReadonlyArray<readonly [RegExp, FailureName]> = [
  [/^BLOCKED_ADDRESS$/, 'blocked_address'],
  [/^ERR_INVALID_URL$|^UND_ERR_INVALID_ARG$/, 'invalid_url'],
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'timeout'],
  [/^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EAI_.*|ETIMEOUT|EBADRESP|EBADNAME|ENONAME)$/, 'dns_error'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/, 'connection_refused'],
  [/^UND_ERR_HEADERS_OVERFLOW$|^HPE_HEADER_OVERFLOW$/, 'response_too_large'],
  [/^(ERR_TLS_.*|ERR_SSL_.*|EPROTO|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$/, 'tls_error'],
];

/** What a failure without an answer means. `answering`: the receiver had begun to answer. */
export function outcomeOfFailure(thrown: unknown, answering: boolean): Outcome {
  const error = failureName(thrown) ?? (answering ? 'aborted_by_receiver' : 'connection_reset');
  return { status: 'retry', statusCode: 0, error, message: messages[error] };
}

function failureName(thrown: unknown): FailureName | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; error = error.cause, depth++) {
    if (error.name === 'TimeoutError') return 'timeout';
    // A name with several addresses fails once for each of them; the first speaks for all.
    if (error instanceof AggregateError && error.errors.length > 0) return failureName(error.errors[0]);
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const known = failures.find(([pattern]) => pattern.test(code));
    if (known) return known[1];
  }
  return undefined;
}
