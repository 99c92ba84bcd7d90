import { lockName, type Transaction } from '@bailiwick/store';
import { rowOf } from '../rows.ts';

/**
 * Serialises decisions that depend on a tenant's providers: two concurrent deletes of the last two
 * providers would each rely on the other one.
 */
export const lockProviders = (tx: Transaction, tenant: string): Promise<void> =>
  lockName(tx, rowOf.providers(tenant));
