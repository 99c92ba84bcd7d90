import type { ServerResponse } from 'node:http';

// RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers, revision 8 and later:
// structured fields that name the policy. The draft dropped the RateLimit-Limit, -Remaining and
// -Reset of earlier revisions. Only quotas of the caller's own address or credential are shown:
// counts of accounts and tenants would reveal the activity of others.

/** A quota after one call. `name` is the counted thing, e.g. `login` or `session`. */
export type Quota = {
  name: string;
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
};

/**
 * Shows the client its remaining quota. A response shows one quota: an operation is open or needs a
 * credential.
 */
export function showQuota(
  response: ServerResponse,
  { name, limit, windowSeconds, remaining, resetSeconds }: Quota,
): void {
  response.setHeader('ratelimit-policy', `"${name}";q=${limit};w=${windowSeconds}`);
  response.setHeader('ratelimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}
