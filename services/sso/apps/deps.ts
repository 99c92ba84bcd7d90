import type { Revoke } from '@bailiwick/broker';
import { type EgressRules } from '@bailiwick/egress';
import type { Pager } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Locks } from '@bailiwick/proto/gen/bailiwick/identity/v1/locks_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';

export type AppDeps = {
  database: Database;
  pager: Pager;
  egress: EgressRules;
  admission: PeerClient<typeof Admission>;
  /** Keeps the receipts of locks. */
  locks: PeerClient<typeof Locks>;
  revoke: Revoke;
};
