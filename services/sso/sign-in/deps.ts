import { type Limit, type Limiter } from '@bailiwick/limits';
import { type Log } from '@bailiwick/telemetry';
import type { ReturnRules } from '@bailiwick/values';
import type { ProviderDeps } from '../providers/deps.ts';

export type SignInDeps = Pick<
  ProviderDeps,
  'database' | 'keys' | 'federation' | 'admission' | 'protocols' | 'publicUrl'
> &
  ReturnRules & {
    limiter: Limiter;
    /** The limit of sign-in starts and ends per IP address. */
    signInLimit: Limit | undefined;
    log: Log;
  };
