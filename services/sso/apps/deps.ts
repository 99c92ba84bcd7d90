import { type EgressRules } from '@bailiwick/egress';
import type { Pager } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';

export type AppDeps = {
  database: Database;
  pager: Pager;
  egress: EgressRules;
  admission: PeerClient<typeof Admission>;
};
