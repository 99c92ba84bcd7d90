import { exhausted } from '@bailiwick/shared/errors.ts';
import type { LimitProfile } from '@bailiwick/shared/limits.ts';

// Quotas of calls that carry a credential: off unless they are asked for, and counted by each gateway for itself. They
// keep a runaway client from starving the others; they are no security boundary, so they cost no look-up in a database.

const windowMs = 60_000;

type Quotas = { user: number; bot: number; tenant: number };

/** Calls a minute; 0 = no quota. */
export const callQuotas: Record<LimitProfile, Omit<Quotas, 'tenant'>> = {
  standard: { user: 0, bot: 0 },
  strict: { user: 600, bot: 3000 },
  off: { user: 0, bot: 0 },
};

export function createQuotas(quotas: Quotas, now: () => number = Date.now) {
  let counts = new Map<string, number>();
  let windowEnds = now() + windowMs;

  function count(key: string, quota: number): void {
    if (quota === 0) return;
    if (now() >= windowEnds) {
      counts = new Map();
      windowEnds = now() + windowMs;
    }
    const used = (counts.get(key) ?? 0) + 1;
    counts.set(key, used);
    if (used > quota)
      throw exhausted(
        'too many calls, try again later',
        Math.max(1, Math.ceil((windowEnds - now()) / 1000)),
      );
  }

  return {
    /** Counts a call of a session or bot key. */
    take({ type, credentialId }: { type: string; credentialId: string }): void {
      if (type === 'user' || type === 'bot') count(`credential ${credentialId}`, quotas[type]);
    },
    /** Counts a call in the caller's tenant, if it holds anything there: a stranger names any tenant, and uses up nobody's quota with it. */
    takeTenant({ tenant, permissions }: { tenant: string; permissions: Uint8Array }): void {
      if (tenant !== '' && permissions.some((bits) => bits !== 0))
        count(`tenant ${tenant}`, quotas.tenant);
    },
  };
}

export type CallQuotas = ReturnType<typeof createQuotas>;
