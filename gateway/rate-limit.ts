import type { ServerResponse } from 'node:http';

// RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers, revision 8 and later: structured fields that name the
// policy. The RateLimit-Limit, -Remaining and -Reset of earlier revisions were removed from the draft. Only quotas of the
// caller's own address or credential are shown: counts of accounts and tenants would reveal what others do.

/** A quota after one call. `name` says what is counted, e.g. `login` or `session`. */
export type Quota = {
  name: string;
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};

/** Tells the client what is left of a quota. An answer shows one quota: an operation is open or has a credential. */
export function showQuota(
  response: ServerResponse,
  { name, limit, windowSeconds, remaining, resetSeconds }: Quota,
): void {
  response.setHeader('ratelimit-policy', `"${name}";q=${limit};w=${windowSeconds}`);
  response.setHeader('ratelimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}
