import { createHash } from 'node:crypto';
import { createCode, normaliseCode } from '@bailiwick/contract';

/** Enough for a tenant's owners, on one sheet of paper. */
export const codesPerTenant = 8;

export const createCodes = (): string[] =>
  Array.from({ length: codesPerTenant }, () => createCode(4));

/**
 * SHA-256 of a code as a person types it. With 100 random bits a slow hash would add no protection,
 * and the hash finds the tenant: the time of the look-up depends on no stored code.
 */
export const codeHash = (code: string): Uint8Array =>
  createHash('sha256')
    .update(`sso recovery ${normaliseCode(code)}`)
    .digest();
