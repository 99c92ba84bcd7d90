import { timingSafeEqual } from 'node:crypto';
import { createToken, tokenHash } from '@bailiwick/contract';
import type { AppRow } from './entities.ts';

type SecretColumns = Pick<
  AppRow,
  'secretHash' | 'secretCreatedAt' | 'previousSecretHash' | 'previousSecretUntil'
>;

/** Whether an app with this method has a client secret. */
export const usesSecret = (method: string): boolean => method.startsWith('client_secret_');

/** A new client secret, and the columns of an app that has only this one. */
export function createSecret(now: Date) {
  const secret = createToken('appSecret');
  const columns = {
    ...noSecret,
    secretHash: tokenHash(secret),
    secretCreatedAt: now,
  };
  return { secret, columns };
}

/** The columns of an app without a secret. */
export const noSecret = {
  secretHash: null,
  secretCreatedAt: null,
  previousSecretHash: null,
  previousSecretUntil: null,
};

/** Whether a client presented the app's secret, or the previous one before its end. */
export function isSecretOf(app: SecretColumns, presented: string, now = new Date()): boolean {
  const hash = tokenHash(presented);
  const isHash = (stored: Uint8Array | null | undefined) =>
    stored?.length === hash.length && timingSafeEqual(stored, hash);
  const { secretHash, previousSecretHash, previousSecretUntil } = app;
  const isOverlap = previousSecretUntil ? new Date(previousSecretUntil) > now : false;
  return isHash(secretHash) || (isOverlap && isHash(previousSecretHash));
}
