/** The request header, from the client to the gateway and on to the service. */
export const idempotencyKeyHeader = 'idempotency-key';

/** The response header of a replayed response. */
export const replayedHeader = 'idempotency-replayed';

/**
 * 1 to 255 printable ASCII characters. The quotes of a structured field (RFC 9651) belong to the
 * key.
 */
export const isIdempotencyKey = (text: string): boolean => /^[\x20-\x7e]{1,255}$/.test(text);
