import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Federation } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import type { Egress } from '@bailiwick/shared/egress/request.ts';
import type { TenantKeys } from '@bailiwick/shared/keys/tenant-keys.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import type { Client } from '@connectrpc/connect';
import type { Protocols } from '../sign-in/protocols.ts';

export type ProviderDeps = Egress & {
  database: Database;
  keys: TenantKeys;
  pager: Pager;
  federation: Client<typeof Federation>;
  admission: Client<typeof Admission>;
  protocols: Protocols;
  publicUrl: string;
};
