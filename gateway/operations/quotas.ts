import type { LimitProfile } from '@bailiwick/contract';
import { exhausted } from '@bailiwick/errors';
import type { Quota } from '../http/rate-limit.ts';

// Quotas of authenticated calls: off by default, and counted by each gateway alone. They keep a
// runaway client from starving the others. They are not a security boundary, so they cost no
// database look-up.

const windowMs = 60_000;

type Quotas = { user: number; bot: number; tenant: number };

/** Calls per minute; 0 = no quota. */
export const callQuotas: Record<LimitProfile, Omit<Quotas, 'tenant'>> = {
  standard: { user: 0, bot: 0 },
  strict: { user: 600, bot: 3000 },
  off: { user: 0, bot: 0 },
};

/** A quota after one call. The call may have exceeded it. */
type CountedQuota = Quota & { exceeded: boolean };

export function createQuotas(quotas: Quotas, now: () => number = Date.now) {
  let counts = new Map<string, number>();
  let windowEnds = now() + windowMs;

  function count(key: string, name: string, limit: number): CountedQuota | undefined {
    if (limit === 0) return undefined;
    if (now() >= windowEnds) {
      counts = new Map();
      windowEnds = now() + windowMs;
    }
    const used = (counts.get(key) ?? 0) + 1;
    counts.set(key, used);
    const resetSeconds = Math.max(1, Math.ceil((windowEnds - now()) / 1000));
    return {
      name,
      limit,
      windowSeconds: windowMs / 1000,
      remaining: Math.max(0, limit - used),
      resetSeconds,
      exceeded: used > limit,
    };
  }

  return {
    /** Counts a call of a session or bot key. Undefined = no quota. */
    take({ type, credentialId }: { type: string; credentialId: string }): CountedQuota | undefined {
      if (!['user', 'bot', 'support', 'portal'].includes(type)) return undefined;
      const kind = type === 'bot' ? 'bot' : 'user';
      return count(`credential ${credentialId}`, kind === 'user' ? 'session' : 'bot', quotas[kind]);
    },
    /**
     * Counts a call in the caller's tenant, if the caller has permissions there: strangers can name
     * any tenant and must not use up its quota.
     */
    takeTenant({ tenant, permissions }: { tenant: string; permissions: Uint8Array }): void {
      const counted =
        tenant !== '' && permissions.some((bits) => bits !== 0)
          ? count(`tenant ${tenant}`, 'tenant', quotas.tenant)
          : undefined;
      if (counted?.exceeded)
        throw exhausted('too many calls, try again later', counted.resetSeconds);
    },
  };
}

export type CallQuotas = ReturnType<typeof createQuotas>;
