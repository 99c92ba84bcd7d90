import { createId } from '@bailiwick/contract';
import { limitReached } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import {
  type SsoReservation,
  SsoReservationSchema,
  type SsoReserveProviderRequest,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import type { Database } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { addressOf } from '../../addresses.ts';
import { lockProviders } from '../../requirement/lock.ts';
import { providerNotFound } from '../queries.ts';
import { countYoung, insertReservation, isReserved } from './queries.ts';

type Deps = { database: Database; publicUrl: string };

/** The most reservations of a tenant. */
const limit = 20;

/** Reserves the ID of a provider, or finds an earlier reservation. */
export async function reserveProvider(
  { database, publicUrl }: Deps,
  { tenant, id }: SsoReserveProviderRequest,
  call: Call,
): Promise<SsoReservation> {
  if (id !== '' && !(await isReserved(database, tenant, id))) throw providerNotFound();
  const provider = { tenant, id: id === '' ? await reserve(database, tenant, call) : id };
  const callback = addressOf(publicUrl, provider, 'callback');
  return create(SsoReservationSchema, {
    id: provider.id,
    redirectUri: callback,
    acsUrl: callback,
    spEntityId: addressOf(publicUrl, provider, 'metadata'),
  });
}

/**
 * Adds a reservation. The oldest ones of the tenant give way, but none that is younger than a day:
 * an administrator could otherwise end those of all others.
 * @throws failed_precondition if none can give way
 */
async function reserve(database: Database, tenant: string, call: Call): Promise<string> {
  const id = createId('sso');
  await database.transaction({ call, tenant }, async (tx) => {
    await lockProviders(tx, tenant);
    if ((await countYoung(tx.query, tenant)) >= limit)
      throw limitReached(
        `${tenant === '' ? 'the platform' : 'a tenant'} has at most ${limit} reservations that are younger than a day`,
        limit,
      );
    await insertReservation(tx.query, tenant, id, limit - 1);
    const targets = [{ Type: 'sso_provider', ID: id, Name: '' }];
    record(tx, { tenant, type: 'sso_provider.reserved', data: null, targets });
  });
  return id;
}
