import type { Pager } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { Client } from '@connectrpc/connect';

export type BotKeyDeps = { database: Database; authority: Client<typeof Authority>; pager: Pager };
