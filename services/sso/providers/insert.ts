import { limitReached } from '@bailiwick/errors';
import type { Transaction } from '@bailiwick/store';
import { lockProviders } from '../requirement/lock.ts';
import { type ProviderValues, recordProviderEvent } from './api-record.ts';
import type { ProviderDeps } from './deps.ts';
import { ProviderEntity } from './entities.ts';
import type { newColumns } from './rollover/save.ts';

const maxProviders = 20;

type NewProvider = Omit<
  ProviderValues,
  | 'lastLoginAt'
  | 'lastError'
  | 'groupsStatedAt'
  | 'lastWarningAt'
  | 'createdAt'
  | 'updatedAt'
  | keyof ReturnType<typeof newColumns>
> &
  ReturnType<typeof newColumns>;

/** Creates a provider. @throws failed_precondition beyond the limit of the tenant */
export async function insertProvider(
  { publicUrl }: ProviderDeps,
  tx: Transaction,
  values: NewProvider,
): Promise<ProviderValues> {
  // The lock keeps two concurrent creates from taking the same last place.
  await lockProviders(tx, values.tenant);
  if ((await tx.em.count(ProviderEntity, { tenant: values.tenant })) >= maxProviders)
    throw limitReached(
      `${values.tenant === '' ? 'the platform' : 'a tenant'} has at most ${maxProviders} providers`,
      maxProviders,
    );
  const now = new Date();
  const row = tx.em.create(ProviderEntity, {
    ...values,
    lastLoginAt: null,
    lastError: '',
    groupsStatedAt: null,
    lastWarningAt: values.lastWarning === '' ? null : now,
    createdAt: now,
    updatedAt: now,
  });
  tx.em.persist(row);
  recordProviderEvent(tx, 'sso_provider.created', { row, publicUrl });
  return row;
}
