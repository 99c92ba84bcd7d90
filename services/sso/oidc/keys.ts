import { createPublicKey } from 'node:crypto';

// A look at the keys that a provider publishes, for the test of it. At sign-in the library chooses the key.

const families: ReadonlyArray<readonly [RegExp, (key: Record<string, unknown>) => boolean]> = [
  [/^[RP]S/, ({ kty }) => kty === 'RSA'],
  [/^ES256/, ({ crv }) => crv === 'P-256'],
  [/^ES384/, ({ crv }) => crv === 'P-384'],
  [/^ES512/, ({ crv }) => crv === 'P-521'],
  [/^Ed/, ({ crv }) => crv === 'Ed25519'],
];

/** RFC 7518 §3.3. */
const leastRsaBits = 2048;

/** Whether a published key can verify a signature of one of the algorithms. */
export function isUsableKey(value: unknown, algorithms: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const key = value as Record<string, unknown>;
  if (key['use'] !== undefined && key['use'] !== 'sig') return false;
  const fitting = algorithms.filter((alg) => families.some(([pattern, fits]) => pattern.test(alg) && fits(key)));
  if (fitting.length === 0 || (key['alg'] !== undefined && !fitting.includes(key['alg'] as string))) return false;
  try {
    const { modulusLength = leastRsaBits } = createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails ?? {};
    return modulusLength >= leastRsaBits;
  } catch {
    return false;
  }
}
