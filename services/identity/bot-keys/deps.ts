import type { Pager } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';

export type BotKeyDeps = {
  database: Database;
  authority: PeerClient<typeof Authority>;
  pager: Pager;
};
