import { isId, type Limit } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import { onPool } from '@bailiwick/store';
import { giverLater } from '../decisions/delegation.ts';
import type { Source } from '../decisions/sources.ts';
import type { ScimDeps, ScimRequest } from './deps.ts';
import { findPerson } from './queries.ts';

// A directory acts with the rights of the maker of its key or trust.

/** A source that may give nothing. */
export const unknownSource = (tenant: string): Source => ({
  id: '',
  maker: giverLater(tenant, { type: '', id: '', narrowedTo: [] }),
});

/**
 * Asks identity who made the key of the call: before a transaction, never inside one. The maker of a
 * key never changes, and a trust may be saved by another one.
 */
export async function findSource(
  { directory, rightsCache }: ScimDeps,
  tenant: string,
  call: Call,
): Promise<Source> {
  const { credentialId } = call.caller;
  const ask = () => directory.findMaker({ tenant, credentialId }, call, { signal: call.signal });
  const load = async () => ({
    value: await ask(),
    keys: [`credential:${credentialId}` as const],
    lastsMs: Number.POSITIVE_INFINITY,
  });
  const maker = await (isId('bky', credentialId)
    ? rightsCache.getOrLoad(`maker ${tenant} ${credentialId}`, load)
    : ask());
  return { id: credentialId, maker: giverLater(tenant, maker) };
}

/** Owners learn of refused requests against one of them at most once an hour. */
const announced: Limit = { count: 1, seconds: 60 * 60 };

/** Announces to the owners that a directory has tried to end something of an owner. Rethrows. */
export async function announceRefusal(
  { database, limiter }: ScimDeps,
  { tenant, call, source }: ScimRequest,
  path: string,
  error: unknown,
): Promise<never> {
  const { reason, code } = toServiceError(error);
  if (reason !== 'OWNER_PROTECTED') throw error;
  if ((await limiter.use(`owner kept ${tenant} ${path}`, announced)) > 0) throw error;
  const id = path.split('/')[1] ?? '';
  const person = path.startsWith('Users/')
    ? await findPerson(onPool(database), tenant, id)
    : undefined;
  await database.transaction({ call, tenant }, (tx) => {
    record(tx, {
      tenant,
      type: 'tenant.owner_kept',
      data: { Tenant: tenant, UserID: person?.userId ?? '' },
      code,
      targets: [
        person
          ? { Type: 'user', ID: person.userId, Name: '' }
          : { Type: 'group', ID: id, Name: '' },
        { Type: 'bot_key', ID: source.id, Name: '' },
      ],
    });
    return Promise.resolve();
  });
  throw error;
}
