import type { Pager } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database, Limiter } from '@bailiwick/store';
import type { Client } from '@connectrpc/connect';
import type { LookUpTxt } from './proof/txt.ts';

export type DomainDeps = {
  database: Database;
  admission: Client<typeof Admission>;
  /** Calls access in the name of the caller. */
  ownAdmission: Client<typeof Admission>;
  authority: Client<typeof Authority>;
  limiter: Limiter;
  lookUp: LookUpTxt;
  pager: Pager;
  publicUrl: string;
};
