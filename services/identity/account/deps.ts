import type { Client } from '@connectrpc/connect';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { KeyRing } from '@bailiwick/shared/seal.ts';
import type { Passwords } from './passwords.ts';

export type AccountDeps = { database: Database; passwords: Passwords; keyRing: KeyRing; authority: Client<typeof Authority> };
