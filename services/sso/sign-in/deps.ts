import type { Limit, Limiter } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { ProviderDeps } from '../providers/deps.ts';

export type SignInDeps = Pick<
  ProviderDeps,
  'database' | 'keys' | 'federation' | 'admission' | 'protocols' | 'publicUrl'
> & {
  limiter: Limiter;
  /** Sign-ins of an address, begun or ended. */
  signInLimit: Limit | undefined;
  /** Of applications to which people may return. */
  allowedOrigins: readonly string[];
  log: Log;
};
