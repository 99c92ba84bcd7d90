import { type Database } from '@bailiwick/database';
import { type EgressRules } from '@bailiwick/egress';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { type Pager } from '@bailiwick/rpc';
import type { Client } from '@connectrpc/connect';

export type AppDeps = {
  database: Database;
  pager: Pager;
  egress: EgressRules;
  admission: Client<typeof Admission>;
};
