import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type Database } from '@bailiwick/database';
import { type TenantKeys } from '@bailiwick/keys';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import type { FindClient } from './clients.ts';
import {
  addRecord,
  consumeRecord,
  endFamily,
  endGrant,
  findRecord,
  type NewRecord,
  putRecord,
  type RecordRow,
  removeRecord,
} from './queries.ts';

// Where oidc-provider keeps its records. The database has hashes of ids, because an id may be a
// token, and the rest sealed.

type Deps = { database: Database; keys: TenantKeys; findClient: FindClient };

/** The lifetime of a record without one of its own. */
const defaultSeconds = 90 * 24 * 60 * 60;

const hashOf = (...parts: string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex');
const hashOrNone = (kind: string, value: string | undefined): string =>
  value === undefined ? '' : hashOf(kind, value);

/** Makes the store of each model of oidc-provider. */
export const createAdapter =
  (deps: Deps) =>
  (model: string): Adapter =>
    model === 'Client' ? clientStore(deps.findClient) : recordStore(deps, model);

/** Stores the mark of a proof or an assertion. Only one of several concurrent requests succeeds. */
async function addOnce(database: Database, record: NewRecord): Promise<void> {
  if (!(await addRecord(database, record))) throw new errors.InvalidRequest('it was used before');
}

/** The records of one model. */
export function recordStore(
  { database, keys }: Pick<Deps, 'database' | 'keys'>,
  model: string,
): Adapter {
  const idOf = (id: string) => hashOf(model, id);

  async function opened(row: RecordRow | undefined): Promise<AdapterPayload | undefined> {
    if (!row) return undefined;
    const { id, dekId, payloadEnc, consumedAt } = row;
    const plain = await keys.open('', { dekId, sealed: payloadEnc }, [id, 'payload']);
    const payload = JSON.parse(plain.toString()) as AdapterPayload;
    return consumedAt === null
      ? payload
      : { ...payload, consumed: Math.floor(new Date(consumedAt).getTime() / 1000) };
  }

  return {
    async upsert(given, payload, expiresIn) {
      const id = idOf(given);
      const store = model === 'ReplayDetection' ? addOnce : putRecord;
      const plain = Buffer.from(JSON.stringify(payload));
      const { dekId, sealed } = await keys.seal('', plain, [id, 'payload']);
      await store(database, {
        id,
        model,
        dekId,
        payloadEnc: sealed,
        grantHash: hashOrNone('grant', model === 'Grant' ? given : payload.grantId),
        uidHash: hashOrNone('uid', payload.uid),
        userCodeHash: hashOrNone('user code', payload.userCode),
        seconds: expiresIn ?? defaultSeconds,
      });
    },
    find: async (given) => opened(await findRecord(database, 'id', model, idOf(given))),
    findByUid: async (uid) => opened(await findRecord(database, 'uid', model, hashOf('uid', uid))),
    findByUserCode: async (code) =>
      opened(await findRecord(database, 'userCode', model, hashOf('user code', code))),
    async consume(given) {
      const id = idOf(given);
      if (await consumeRecord(database, id)) return;
      // A code or token that is used twice may be stolen, so all tokens that came from it end.
      await endFamily(database, id);
      throw model === 'PushedAuthorizationRequest'
        ? new errors.InvalidRequestUri('it was used before')
        : new errors.InvalidGrant('it was used before');
    },
    destroy: (given) => removeRecord(database, idOf(given)),
    revokeByGrantId: (grant) => endGrant(database, model, hashOf('grant', grant)),
  };
}

/** The clients are the apps, which oidc-provider only reads. */
function clientStore(findClient: FindClient): Adapter {
  const never = () => Promise.reject(new Error('apps are saved by their own operations'));
  return {
    find: findClient,
    upsert: never,
    findByUid: never,
    findByUserCode: never,
    consume: never,
    destroy: never,
    revokeByGrantId: never,
  };
}
