import type { Pager } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database, Limiter } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { LookUpTxt } from './proof/txt.ts';

export type DomainDeps = {
  database: Database;
  admission: PeerClient<typeof Admission>;
  /** Calls access in the name of the caller. */
  ownAdmission: PeerClient<typeof Admission>;
  authority: PeerClient<typeof Authority>;
  limiter: Limiter;
  lookUp: LookUpTxt;
  pager: Pager;
  publicUrl: string;
};
