import type { Handlers } from '@bailiwick/pipeline';
import type { PasswordPolicy } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import { findPasswordPolicy } from './queries.ts';

/** Says whether users with an address in a domain may sign in with a password. */
export function policyHandlers({
  database,
}: {
  database: Database;
}): Handlers<typeof PasswordPolicy> {
  return {
    async find({ domain }) {
      return (await findPasswordPolicy(database, domain)) ?? {};
    },
  };
}
