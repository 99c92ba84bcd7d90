import { type TenantKeys } from '@bailiwick/keys';
import type { Database } from '@bailiwick/store';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { errors, Provider } from 'oidc-provider';
import { recordHash } from '../app-sign-ins/record-hash.ts';
import type { FindClient } from './clients.ts';
import { type RequestState, stateOf, type TokenRequest } from './context.ts';
import {
  addRecord,
  consumeRecord,
  endFamily,
  endGrant,
  findRecord,
  findWithGrant,
  putRecords,
  type RecordRow,
  removeRecord,
} from './queries.ts';
import { openRecord, sealRecord } from './records.ts';
import { byIssuer } from './request.ts';

// Where oidc-provider keeps its records. A request only collects its new records here:
// sign-in-audit.ts and token-requests.ts store them together. No request reads or removes a record
// that it has stored.

type Deps = { database: Database; keys: TenantKeys; findClient: FindClient };

/** The lifetime of a record without one of its own. */
const defaultSeconds = 90 * 24 * 60 * 60;

/** The records that work once. A second use of one is audited. */
const single = new Set(['AuthorizationCode', 'DeviceCode', 'RefreshToken']);

/** Makes the store of each model of oidc-provider. */
export const createAdapter =
  (deps: Deps) =>
  (model: string): Adapter =>
    model === 'Client' ? clientStore(deps.findClient) : recordStore(deps, model);

// The library calls an adapter without its context, which only its own `Provider.ctx` has.
/** The state of the request that the library works on. */
const currentState = (): RequestState | undefined => Provider.ctx && stateOf(Provider.ctx);

/** The marks of proofs and assertions. Each is accepted once. */
const isMark = (model: string): boolean => model === 'ReplayDetection';

/** The records of one model. */
function recordStore({ database, keys }: Pick<Deps, 'database' | 'keys'>, model: string): Adapter {
  const idOf = (id: string) => recordHash(model, id);

  async function opened(row: RecordRow | undefined): Promise<AdapterPayload | undefined> {
    if (!row) return undefined;
    const payload = await openRecord(keys, row);
    return row.consumedAt === null
      ? payload
      : { ...payload, consumed: Math.floor(new Date(row.consumedAt).getTime() / 1000) };
  }

  /** Reads the code or token of a request together with its grant, which the library asks for next. */
  async function findRow(id: string, tokens: TokenRequest | undefined) {
    if (tokens?.grant?.id === id) return tokens.grant;
    if (!tokens || !single.has(model)) return findRecord(database, 'id', model, id);
    const { row, grant } = await findWithGrant(database, model, id);
    tokens.grant = grant;
    return row;
  }

  return {
    async upsert(key, payload, expiresIn) {
      const seconds = expiresIn ?? defaultSeconds;
      const record = await sealRecord(keys, { model, key, payload, seconds });
      const state = currentState();
      if (!isMark(model)) {
        if (state) state.records.set(record.id, record);
        else await putRecords(database, byIssuer, [record]);
        return;
      }
      // Only one of several concurrent requests succeeds.
      if (await addRecord(database, byIssuer, record)) return;
      if (state?.tokens) state.tokens.isProofRepeated = true;
      throw new errors.InvalidRequest('it was used before');
    },
    async find(key) {
      const tokens = currentState()?.tokens;
      const payload = await opened(await findRow(idOf(key), tokens));
      if (!payload || !tokens) return payload;
      if (isMark(model)) tokens.isProofRepeated = true;
      if (!single.has(model)) return payload;
      tokens.presented = { model, id: idOf(key), payload };
      if (model !== 'RefreshToken') return payload;
      // A used refresh token may get its answer again: the library checks everything else first.
      const { consumed: _consumed, ...unused } = payload;
      return unused;
    },
    findByUid: async (uid) =>
      opened(await findRecord(database, 'uid', model, recordHash('uid', uid))),
    findByUserCode: async (code) =>
      opened(await findRecord(database, 'userCode', model, recordHash('user code', code))),
    async consume(key) {
      const id = idOf(key);
      const tokens = currentState()?.tokens;
      if (tokens) {
        tokens.uses = id;
        return;
      }
      if (await consumeRecord(database, byIssuer, id)) return;
      // A request that is used twice may be stolen, so all tokens that came from it end.
      await endFamily(database, byIssuer, id);
      throw new errors.InvalidRequestUri('it was used before');
    },
    destroy: (key) => removeRecord(database, byIssuer, idOf(key)),
    revokeByGrantId: (grant) => endGrant(database, byIssuer, model, recordHash('grant', grant)),
  };
}

/** The clients are the apps, which oidc-provider only reads. */
function clientStore(findClient: FindClient): Adapter {
  const never = () => Promise.reject(new Error('apps are saved by their own operations'));
  return {
    find: (clientId) => findClient(clientId, Provider.ctx),
    upsert: never,
    findByUid: never,
    findByUserCode: never,
    consume: never,
    destroy: never,
    revokeByGrantId: never,
  };
}
