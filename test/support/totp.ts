import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { bodyOf } from './answers.ts';
import type { MailStack } from './people.ts';

// An authenticator app, independent of the product's library.

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The code of a secret, `steps` time steps from now (RFC 6238). */
export function totp(secret: string, steps = 0): string {
  const bits = Array.from(secret)
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** A code that the secret has at none of the accepted steps. */
export function wrongTotp(secret: string): string {
  const right = [-2, -1, 0, 1, 2].map((steps) => totp(secret, steps));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(
    (code) => !right.includes(code),
  ) as string;
}

/**
 * Adds an authenticator app to a user and returns its id and secret. It uses up the code of the
 * previous time step, so that those of this and the next one are left.
 */
export async function addTotp(
  stack: MailStack,
  token: string,
  name = 'Phone',
): Promise<{ id: string; secret: string }> {
  const response = bodyOf(await stack.call('Factors_BeginTotp', { Name: name }, token));
  const [id, secret] = [String(response['FactorID']), String(response['Secret'])];
  assert.match(secret, /^[A-Z2-7]{32}$/);
  const confirm = () =>
    stack.call('Factors_ConfirmTotp', { FactorID: id, Code: totp(secret, -1) }, token);
  const first = await confirm();
  // The time step may end between the code and its check.
  bodyOf(first.status === 200 ? first : await confirm());
  return { id, secret };
}
