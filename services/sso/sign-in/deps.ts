import { type Limit, type Limiter } from '@bailiwick/limits';
import { type Log } from '@bailiwick/telemetry';
import type { ProviderDeps } from '../providers/deps.ts';

export type SignInDeps = Pick<
  ProviderDeps,
  'database' | 'keys' | 'federation' | 'admission' | 'protocols' | 'publicUrl'
> & {
  limiter: Limiter;
  /** The limit of sign-in starts and ends per IP address. */
  signInLimit: Limit | undefined;
  /** Origins of applications to which users may return. */
  allowedOrigins: readonly string[];
  log: Log;
};
