import { type Caller, timeOf } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { TenantSettings } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';

// The second factor that a tenant requires of its members' sessions. A stricter requirement comes
// into force after the days of grace, a looser one at once.

/** A requirement: off, any or phishing_resistant. It is in force from a time (ISO 8601) on. */
export type FactorDemand = { required: string; graceDays: number; from: string; before: string };

/** A requirement as the API returns it. */
export const factorFields = (demand: FactorDemand | undefined) => ({
  requireFactor: demand?.required ?? 'off',
  ...(demand && demand.required !== 'off' && { factorRequiredFrom: timeOf(demand.from) }),
});

const dayMs = 86_400_000;
const levels = ['off', 'any', 'phishing_resistant'];
const isStricter = (one: string, other: string): boolean =>
  levels.indexOf(one) > levels.indexOf(other);

const inForce = (demand: FactorDemand | undefined, now: number): string => {
  if (!demand) return 'off';
  return Date.parse(demand.from) <= now ? demand.required : demand.before;
};

/** The requirement after a change of settings at this time. */
export function mergeFactor(
  stored: FactorDemand | undefined,
  input: Pick<TenantSettings, 'requireFactor' | 'factorGraceDays'>,
  now: number,
): FactorDemand {
  const current = stored ?? { required: 'off', graceDays: 0, from: isoOf(now), before: 'off' };
  const {
    requireFactor: required = current.required,
    factorGraceDays: graceDays = current.graceDays,
  } = input;
  if (required === current.required && graceDays === current.graceDays) return current;
  const before = inForce(current, now);
  if (isStricter(required, before))
    return { required, graceDays, before, from: isoOf(now + graceDays * dayMs) };
  const from = required === current.required ? current.from : isoOf(now);
  return { required, graceDays, before: required, from };
}

const isoOf = (time: number): string => new Date(time).toISOString();

/** The requirements of a tenant ('' = a new one) before and after a change at this time. */
type DemandChange = {
  tenant: string;
  before: FactorDemand | undefined;
  after: FactorDemand | undefined;
  now: number;
};

/**
 * Throws failed_precondition if a requirement comes into force at once that the user's session does
 * not meet: it would lock out the caller first. Bots and the platform stay able to undo it.
 */
export function assertFactorProven(
  { type, assurance, ownAssurance, ssoTenant }: Caller,
  { tenant, before, after, now }: DemandChange,
): void {
  const required = inForce(after, now);
  if (type !== 'user' || !isStricter(required, inForce(before, now))) return;
  // Another tenant's provider proves nothing here.
  const level = ssoTenant === '' || ssoTenant === tenant ? assurance : ownAssurance;
  if (level === 'phishing_resistant' || (required === 'any' && level === 'aal2')) return;
  throw failedPrecondition(
    'Tenant.Settings.RequireFactor can be switched on without FactorGraceDays in a session with such a factor, or with a bot’s key',
    'FACTOR_UNPROVEN',
  );
}
