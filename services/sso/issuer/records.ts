import { Buffer } from 'node:buffer';
import { type TenantKeys } from '@bailiwick/keys';
import type { AdapterPayload } from 'oidc-provider';
import { recordHash, signInHash } from '../app-sign-ins/record-hash.ts';
import type { NewRecord, RecordRow } from './queries.ts';

// The rows of the OpenID provider. The database has hashes of ids, because an id may be a token, and
// the rest sealed.

/** A record of oidc-provider with the key that finds it, which may be a token. */
export type UnsealedRecord = {
  model: string;
  key: string;
  payload: AdapterPayload;
  seconds: number;
};

const hashOrNone = (kind: string, text: string | undefined): string =>
  text === undefined ? '' : recordHash(kind, text);

/** The second key of a session, and of the codes and tokens that an app got from it. */
const uidHashOf = ({ uid, sessionUid, clientId }: AdapterPayload): string =>
  sessionUid !== undefined && clientId !== undefined
    ? signInHash(sessionUid, clientId)
    : hashOrNone('uid', uid);

export async function sealRecord(
  keys: TenantKeys,
  { model, key, payload, seconds }: UnsealedRecord,
): Promise<NewRecord> {
  const id = recordHash(model, key);
  const plain = Buffer.from(JSON.stringify(payload));
  const { dekId, sealed } = await keys.seal('', plain, [id, 'payload']);
  return {
    id,
    model,
    dekId,
    payloadEnc: sealed,
    grantHash: hashOrNone('grant', model === 'Grant' ? key : payload.grantId),
    uidHash: uidHashOf(payload),
    userCodeHash: hashOrNone('user code', payload.userCode),
    seconds,
  };
}

export async function openRecord(
  keys: TenantKeys,
  { id, dekId, payloadEnc }: RecordRow,
): Promise<AdapterPayload> {
  const plain = await keys.open('', { dekId, sealed: payloadEnc }, [id, 'payload']);
  return JSON.parse(plain.toString()) as AdapterPayload;
}
