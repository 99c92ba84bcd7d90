export type KeyState = 'active' | 'ending' | 'expired' | 'revoked';

type Key = { ExpiresAt?: string; RevokedAt?: string };

const day = 86_400_000;

/** Whether a key works. A key that ends within 14 days is shown as ending. */
export function stateOf({ ExpiresAt = '', RevokedAt }: Key, now: number = Date.now()): KeyState {
  const remainingMs = Date.parse(ExpiresAt) - now;
  if (RevokedAt !== undefined && Date.parse(RevokedAt) <= now) return 'revoked';
  if (remainingMs <= 0) return 'expired';
  return remainingMs < 14 * day ? 'ending' : 'active';
}

/** A time that many days ahead, at the full minute so that it does not change while it is shown. */
export function daysAhead(days: number, now: number = Date.now()): string {
  const at = now + days * day;
  return new Date(at - (at % 60_000)).toISOString();
}
