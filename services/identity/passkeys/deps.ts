import { type KeyRing } from '@bailiwick/keys';
import type { Refusals } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { PasswordPolicy } from '../passwords/policy.ts';

export type PasskeyDeps = {
  publicUrl: string;
  database: Database;
  keyRing: KeyRing;
  passwordPolicy: PasswordPolicy;
  authority: Pick<PeerClient<typeof Authority>, 'listUserTenants'>;
  refusals: Refusals;
};
