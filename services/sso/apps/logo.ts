import { describeLogo, readLogo } from '@bailiwick/contract';
import type { Handlers } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { AppRow } from './entities.ts';
import { deleteLogo, findApp, findLogo, storeLogo } from './queries.ts';

// The logos of apps, which pages show that ask people about an app.

/** Stores or deletes the logo of a request that has one. */
export async function keepLogo(
  tx: Transaction,
  row: AppRow,
  logo: Uint8Array | undefined,
): Promise<void> {
  if (!logo) return;
  const { tenant, id } = row;
  row.logo = describeLogo(logo) ?? null;
  if (row.logo) await storeLogo(tx, { tenant, app: id, type: readLogo(logo).type, content: logo });
  else await deleteLogo(tx, tenant, id);
}

type Deps = { database: Database; admission: Pick<PeerClient<typeof Admission>, 'isOpen'> };

/** Answers the gateway, which serves the logos of active apps of active tenants. */
export const logoHandler = ({
  database,
  admission,
}: Deps): Pick<Handlers<typeof Issuer>, 'getLogo'> => ({
  async getLogo({ app: id, knownVersion }, call) {
    const app = await findApp(database, id);
    if (!app?.active || !app.logo) return {};
    const { tenant, logo } = app;
    if (tenant !== '' && !(await admission.isOpen({ tenant }, call)).open) return {};
    if (logo.hash === knownVersion) return { version: logo.hash };
    return { ...(await findLogo(database, tenant, id)), version: logo.hash };
  },
});
