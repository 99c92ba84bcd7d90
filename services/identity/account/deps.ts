import { type Database } from '@bailiwick/database';
import { type KeyRing, type TenantKeys } from '@bailiwick/keys';
import { type Limiter } from '@bailiwick/limits';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { type RightsCache } from '@bailiwick/revocation';
import { type Refusals } from '@bailiwick/service';
import type { ReturnRules } from '@bailiwick/values';
import type { Client } from '@connectrpc/connect';
import type { AccountLimits } from '../limits.ts';
import type { Passwords } from '../passwords/passwords.ts';
import type { PasswordPolicy } from '../passwords/policy.ts';
import type { Throttle } from '../passwords/throttle.ts';
import type { RegistrationRule } from '../users/registration.ts';
import type { ComparePassword } from './comparison.ts';
import type { InFlight } from './in-flight.ts';

export type AccountDeps = ReturnRules & {
  database: Database;
  passwords: Passwords;
  passwordPolicy: PasswordPolicy;
  keyRing: KeyRing;
  keys: TenantKeys;
  authority: Client<typeof Authority>;
  rightsCache: RightsCache;
  throttle: Throttle;
  comparePassword: ComparePassword;
  limiter: Limiter;
  signIns: InFlight;
  limits: AccountLimits;
  refusals: Refusals;
  admission: Client<typeof Admission>;
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
 * registrations of an address by strangers could block its owner's password reset.
 */
export async function mayMail(
  { limiter, limits }: AccountDeps,
  kind: 'registration' | 'change' | 'reset' | 'code',
  emailKey: string,
): Promise<boolean> {
  return (await limiter.use(`mail ${kind} ${emailKey}`, limits.mails)) === 0;
}
