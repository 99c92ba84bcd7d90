// Names the failure of a request. The texts contain no URL and no address: readers of the attempt
// log must not learn where a name resolves inside our network.

const messages = {
  timeout: 'the receiver did not answer in time',
  dns_error: "the receiver's name does not resolve",
  connection_refused: 'the receiver does not accept connections',
  connection_reset: 'the connection ended without a readable response',
  tls_error: 'a trusted TLS connection could not be established',
  blocked_address: 'the address is not allowed for receivers',
  invalid_url: 'the URL cannot be used',
  response_too_large: 'the answer is too large',
  aborted_by_receiver: 'the receiver closed the connection before its response was complete',
} as const;

/** The documented error names that a request without a response can end with. */
export type FailureName = keyof typeof messages;

/** A request that failed because of the receiver. */
export class RequestFailed extends Error {
  readonly failure: FailureName;

  constructor(failure: FailureName, cause: unknown) {
    super(messages[failure], { cause });
    this.name = 'RequestFailed';
    this.failure = failure;
  }
}

/** Aborts a request whose response is too large. */
export class AnswerTooLarge extends Error {
  readonly code = 'ANSWER_TOO_LARGE';
}

// Codes of Node, c-ares, OpenSSL, llhttp and undici, and our own. The first match counts.
const failures: ReadonlyArray<readonly [RegExp, FailureName]> = [
  [/^BLOCKED_ADDRESS$/, 'blocked_address'],
  [/^ERR_INVALID_URL$|^UND_ERR_INVALID_ARG$/, 'invalid_url'],
  [/^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/, 'timeout'],
  [
    /^(ENOTFOUND|ENODATA|ESERVFAIL|EREFUSED|EAI_.*|ETIMEOUT|EBADRESP|EBADNAME|ENONAME)$/,
    'dns_error',
  ],
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/,
    'connection_refused',
  ],
  [/^UND_ERR_HEADERS_OVERFLOW$|^HPE_HEADER_OVERFLOW$|^ANSWER_TOO_LARGE$/, 'response_too_large'],
  [
    /^(ERR_TLS_.*|ERR_SSL_.*|EPROTO|CERT_.*|UNABLE_TO_.*|DEPTH_ZERO_.*|SELF_SIGNED_.*|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)$/,
    'tls_error',
  ],
];

/** Maps a thrown value to a failure of the receiver. `answering`: the response had begun. */
export function failureOf(thrown: unknown, answering: boolean): RequestFailed {
  return new RequestFailed(
    nameOf(thrown) ?? (answering ? 'aborted_by_receiver' : 'connection_reset'),
    thrown,
  );
}

function nameOf(thrown: unknown): FailureName | undefined {
  for (
    let error = thrown, depth = 0;
    error instanceof Error && depth < 5;
    error = error.cause, depth++
  ) {
    if (error.name === 'TimeoutError') return 'timeout';
    // A name with several addresses fails once for each: use the first error.
    if (error instanceof AggregateError && error.errors.length > 0) return nameOf(error.errors[0]);
    const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
    const match = failures.find(([pattern]) => pattern.test(code));
    if (match) return match[1];
  }
  return undefined;
}
