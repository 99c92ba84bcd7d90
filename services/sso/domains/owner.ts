import type { Handlers } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { findOwner } from './queries.ts';

type Deps = { database: Database; admission: Pick<PeerClient<typeof Admission>, 'isOpen'> };

/** Finds the tenant that owns a mail domain. */
export function ownerHandlers({ database, admission }: Deps): Handlers<typeof DomainOwner> {
  return {
    async find({ domain, activeTenant }, call) {
      const tenant = await findOwner(database, domain);
      // Suspended tenants and tenants being deleted get no events about users.
      const isOpen =
        tenant !== undefined &&
        (tenant === activeTenant || (await admission.isOpen({ tenant }, call)).open);
      return { tenant: isOpen ? tenant : '' };
    },
  };
}
