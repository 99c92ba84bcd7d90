import type { Limit, ReturnRules } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Limiter } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { ProviderDeps } from '../providers/deps.ts';

export type SignInDeps = Pick<
  ProviderDeps,
  'database' | 'keys' | 'federation' | 'admission' | 'protocols' | 'publicUrl'
> &
  ReturnRules & {
    credentials: Pick<PeerClient<typeof Credentials>, 'endSession' | 'resolve'>;
    authority: Pick<PeerClient<typeof Authority>, 'getAppUrl'>;
    limiter: Limiter;
    /** The limit of sign-in starts and ends per IP address. */
    signInLimit: Limit | undefined;
    log: Log;
  };
