import type { Client } from '@connectrpc/connect';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Federation } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import type { TenantKeys } from '@bailiwick/shared/keys/tenant-keys.ts';
import type { Limit, Limiter } from '@bailiwick/shared/limits.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { Protocols } from './protocols.ts';

export type SignInDeps = {
  database: Database;
  keys: TenantKeys;
  federation: Client<typeof Federation>;
  admission: Client<typeof Admission>;
  protocols: Protocols;
  limiter: Limiter;
  /** Sign-ins of an address, begun or ended. */
  signInLimit: Limit | undefined;
  publicUrl: string;
  /** Of applications to which people may return. */
  allowedOrigins: readonly string[];
  log: Log;
};
