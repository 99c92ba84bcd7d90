import type { Limit, ReturnRules } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Limiter } from '@bailiwick/store';
import type { Client } from '@connectrpc/connect';
import type { ProviderDeps } from '../providers/deps.ts';

export type SignInDeps = Pick<
  ProviderDeps,
  'database' | 'keys' | 'federation' | 'admission' | 'protocols' | 'publicUrl'
> &
  ReturnRules & {
    credentials: Pick<Client<typeof Credentials>, 'endSession' | 'resolve'>;
    authority: Pick<Client<typeof Authority>, 'getAppUrl'>;
    limiter: Limiter;
    /** The limit of sign-in starts and ends per IP address. */
    signInLimit: Limit | undefined;
    log: Log;
  };
