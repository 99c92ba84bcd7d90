import { type Database } from '@bailiwick/database';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { type Pager } from '@bailiwick/rpc';
import type { Client } from '@connectrpc/connect';

export type BotKeyDeps = { database: Database; authority: Client<typeof Authority>; pager: Pager };
