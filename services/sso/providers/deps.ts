import { type Egress } from '@bailiwick/egress';
import { type TenantKeys } from '@bailiwick/keys';
import type { Pager } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Federation } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { Protocols } from './protocols.ts';

export type ProviderDeps = Egress & {
  database: Database;
  keys: TenantKeys;
  pager: Pager;
  federation: PeerClient<typeof Federation>;
  /** Calls identity in the name of the caller, for what a save changes before its commit. */
  ownFederation: PeerClient<typeof Federation>;
  admission: PeerClient<typeof Admission>;
  protocols: Protocols;
  publicUrl: string;
};
