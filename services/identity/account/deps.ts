import type { RightsCache } from '@bailiwick/broker';
import { homeNetwork, type ReturnRules } from '@bailiwick/contract';
import { type KeyRing, type TenantKeys } from '@bailiwick/keys';
import type { Handover } from '@bailiwick/outbox';
import type { Call, Refusals } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { SsoRecovery } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database, Limiter } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { AccountLimits } from '../limits.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { PasswordPolicy } from '../passwords/policy.ts';
import { isKnownNetwork } from '../passwords/queries.ts';
import type { Throttle } from '../passwords/throttle.ts';
import type { RegistrationRule } from '../users/registration.ts';
import type { ComparePassword } from './comparison.ts';
import type { InFlight } from './in-flight.ts';

export type AccountDeps = ReturnRules & {
  database: Database;
  handover: Handover;
  passwords: Passwords;
  passwordPolicy: PasswordPolicy;
  keyRing: KeyRing;
  keys: TenantKeys;
  authority: PeerClient<typeof Authority>;
  rightsCache: RightsCache;
  throttle: Throttle;
  comparePassword: ComparePassword;
  signIns: InFlight;
  limiter: Limiter;
  limits: AccountLimits;
  refusals: Refusals;
  admission: PeerClient<typeof Admission>;
  recovery: PeerClient<typeof SsoRecovery>;
  registration: RegistrationRule;
  /** The least number of characters in a password. */
  passwordLength: number;
  /** Whether passwords from known breaches are refused. */
  breachCheck: boolean;
  /** Whether users may sign in with a mailed code. */
  emailCodes: boolean;
};

/**
 * Whether one more mail of a kind may go to an address. Mails beyond the limit are dropped
 * silently, because an error would reveal the address. Kinds are counted apart: otherwise
 * registrations of an address by strangers could block its owner's password reset. Each network has
 * a limit of its own. Networks from which the user has signed in share a total of theirs: strangers,
 * with however many addresses, use up the total of all others only.
 */
export async function mayMail(
  { database, limiter, limits }: AccountDeps,
  kind: 'registration' | 'change' | 'reset' | 'code',
  emailKey: string,
  { caller }: Call,
): Promise<boolean> {
  const { each, known: knownTotal, others, seconds } = limits.mails;
  const network = homeNetwork(caller.ip);
  const isKnown = await isKnownNetwork(database, emailKey, network);
  const key = `mail ${kind} ${emailKey}`;
  if ((await limiter.use(`${key} ${network}`, { count: each, seconds })) > 0) return false;
  const total = isKnown
    ? await limiter.use(`${key} known`, { count: knownTotal, seconds })
    : await limiter.use(key, { count: others, seconds });
  return total === 0;
}

/** The value of a mail that says from where it was requested. */
export const requestedFrom = ({ caller }: Call) => ({ requestedFrom: caller.ip });
