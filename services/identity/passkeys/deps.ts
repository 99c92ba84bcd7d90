import { type KeyRing } from '@bailiwick/keys';
import type { Refusals } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { Client } from '@connectrpc/connect';
import type { PasswordPolicy } from '../passwords/policy.ts';

export type PasskeyDeps = {
  publicUrl: string;
  database: Database;
  keyRing: KeyRing;
  passwordPolicy: PasswordPolicy;
  authority: Pick<Client<typeof Authority>, 'listUserTenants'>;
  refusals: Refusals;
};
