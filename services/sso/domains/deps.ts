import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Limiter } from '@bailiwick/shared/limits.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import type { Client } from '@connectrpc/connect';
import type { LookUpTxt } from './proof/txt.ts';

export type DomainDeps = {
  database: Database;
  admission: Client<typeof Admission>;
  authority: Client<typeof Authority>;
  limiter: Limiter;
  lookUp: LookUpTxt;
  pager: Pager;
  publicUrl: string;
};
