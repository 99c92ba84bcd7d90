import { readLogo } from '@bailiwick/contract';
import type { Transaction } from '@bailiwick/store';
import { deleteLogo, storeLogo } from './branding/queries.ts';

/** Stores or deletes the logo of a request that has one. */
export async function keepLogo(
  tx: Transaction,
  tenant: string,
  logo: Uint8Array | undefined,
): Promise<void> {
  if (!logo) return;
  const run = tx.query;
  if (logo.length === 0) return deleteLogo(run, tenant);
  await storeLogo(run, tenant, { type: readLogo(logo).type, content: logo });
}
