import type { DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { findOwner } from './queries.ts';

/** Whose are the people with addresses at a domain? */
export function ownerHandlers({ database }: { database: Database }): Handlers<typeof DomainOwner> {
  return {
    find: async ({ domain }) => ({ tenant: (await findOwner(database, domain)) ?? '' }),
  };
}
