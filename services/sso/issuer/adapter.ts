import { Buffer } from 'node:buffer';
import { type Database } from '@bailiwick/database';
import { type TenantKeys } from '@bailiwick/keys';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { errors } from 'oidc-provider';
import { recordHash, signInHash } from '../app-sign-ins/record-hash.ts';
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
import { currentVisit } from './visit.ts';

// Where oidc-provider keeps its records. The database has hashes of ids, because an id may be a
// token, and the rest sealed.

type Deps = { database: Database; keys: TenantKeys; findClient: FindClient };

/** The lifetime of a record without one of its own. */
const defaultSeconds = 90 * 24 * 60 * 60;

const hashOrNone = (kind: string, value: string | undefined): string =>
  value === undefined ? '' : recordHash(kind, value);

/** The second key of a session, and of the codes and tokens that an app got from it. */
const uidHashOf = ({ uid, sessionUid, clientId }: AdapterPayload): string =>
  sessionUid !== undefined && clientId !== undefined
    ? signInHash(sessionUid, clientId)
    : hashOrNone('uid', uid);

/** The records that work once. A second use of one is audited. */
const single = new Set(['AuthorizationCode', 'RefreshToken']);

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
function recordStore({ database, keys }: Pick<Deps, 'database' | 'keys'>, model: string): Adapter {
  const idOf = (id: string) => recordHash(model, id);

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
        uidHash: uidHashOf(payload),
        userCodeHash: hashOrNone('user code', payload.userCode),
        seconds: expiresIn ?? defaultSeconds,
      });
    },
    async find(given) {
      const payload = await opened(await findRecord(database, 'id', model, idOf(given)));
      if (payload && single.has(model)) currentVisit().presented = { model, payload };
      return payload;
    },
    findByUid: async (uid) =>
      opened(await findRecord(database, 'uid', model, recordHash('uid', uid))),
    findByUserCode: async (code) =>
      opened(await findRecord(database, 'userCode', model, recordHash('user code', code))),
    async consume(given) {
      const id = idOf(given);
      if (await consumeRecord(database, id)) return;
      // A code or token that is used twice may be stolen, so all tokens that came from it end.
      await endFamily(database, id);
      currentVisit().reused = true;
      throw model === 'PushedAuthorizationRequest'
        ? new errors.InvalidRequestUri('it was used before')
        : new errors.InvalidGrant('it was used before');
    },
    destroy: (given) => removeRecord(database, idOf(given)),
    revokeByGrantId: (grant) => endGrant(database, model, recordHash('grant', grant)),
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
