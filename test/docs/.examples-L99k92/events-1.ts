import type { Database } from '@bailiwick/database';
import { type Origin, recordChange } from '@bailiwick/events';

export const rename = (database: Database, origin: Origin, tenant: string, name: string) =>
  database.transaction(tenant, async (em) =>
    recordChange(em, origin, {
      tenant,
      type: 'tenant.updated',
      data: { ID: tenant, Name: name },
      targets: [{ Type: 'tenant', ID: tenant, Name: name }],
    }),
  );
