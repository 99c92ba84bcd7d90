import { createId } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type {
  SsoReservation,
  SsoReserveProviderRequest,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { SsoReservationSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import type { Database } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { addressOf } from '../../addresses.ts';
import { providerNotFound } from '../queries.ts';
import { addReservation, isReserved } from './queries.ts';

type Deps = { database: Database; publicUrl: string };

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

async function reserve(database: Database, tenant: string, call: Call): Promise<string> {
  const id = createId('sso');
  await database.transaction({ call, tenant }, async (tx) => {
    await addReservation(tx, tenant, id);
    const targets = [{ Type: 'sso_provider', ID: id, Name: '' }];
    record(tx, { tenant, type: 'sso_provider.reserved', data: null, targets });
  });
  return id;
}
