import { generateSecret, generateURI, verifySync } from 'otplib';

// RFC 6238 with what every authenticator app supports: SHA-1, 6 digits, 30 seconds.

const form = { algorithm: 'sha1', digits: 6, period: 30 } as const;

/** A new secret of 160 bits in Base32. */
export const createSecret = (): string => generateSecret({ length: 20 });

/** The address that an app reads from a QR code. */
export const otpauthUri = (issuer: string, label: string, secret: string): string =>
  generateURI({ ...form, issuer, label, secret });

/** The digits of a code: keyboards for Chinese and Japanese type wide ones, and apps show groups. */
const readDigits = (code: string): string => code.normalize('NFKC').replaceAll(/[\s-]/g, '');

/**
 * The time step of a code, if it is that of the current step, the one before or the one after
 * (RFC 6238, section 5.2); else undefined.
 */
export function stepOf(secret: string, code: string, nowMs: number): number | undefined {
  const result = verifySync({
    ...form,
    strategy: 'totp',
    secret,
    token: readDigits(code),
    epoch: Math.floor(nowMs / 1000),
    epochTolerance: form.period,
  });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}
