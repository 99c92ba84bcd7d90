import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import type { Client } from '@connectrpc/connect';

export type BotKeyDeps = { database: Database; authority: Client<typeof Authority>; pager: Pager };
