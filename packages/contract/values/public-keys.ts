import { Buffer } from 'node:buffer';
import { createPublicKey, type KeyObject } from 'node:crypto';

// Public keys that a client or a provider gives us. A key that anyone can forge a signature for
// proves nothing, and the runtime imports some of these: RSA with the exponent 1, or an Ed25519 point
// of small order.

const curves = ['prime256v1', 'secp384r1', 'secp521r1'];

/** Why a public key proves nothing; undefined if it can verify signatures. */
export function keyProblem(key: KeyObject): string | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails = {} } = key;
  const { modulusLength = 0, publicExponent = 0n, namedCurve = '' } = asymmetricKeyDetails;
  switch (asymmetricKeyType) {
    case 'rsa':
      if (modulusLength < 2048 || modulusLength > 8192)
        return `its RSA key has ${modulusLength} bits: 2048 to 8192 are allowed`;
      return publicExponent >= 65_537n && publicExponent % 2n === 1n && isOdd(key)
        ? undefined
        : 'its RSA key needs an odd modulus, and an odd exponent of 65537 or more';
    case 'ec':
      return curves.includes(namedCurve) ? undefined : 'its curve must be P-256, P-384 or P-521';
    case 'ed25519':
      return isFullOrder(memberOf(key, 'x')) ? undefined : 'its Ed25519 point is not a usable one';
    default:
      return 'it must be an RSA, EC or Ed25519 key';
  }
}

/**
 * Imports a JSON Web Key. A point off its curve is refused here. Returns the key, or why it proves
 * nothing.
 */
export function readPublicKey(
  jwk: Readonly<Record<string, unknown>>,
): { key: KeyObject } | { problem: string } {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return { problem: 'it is not a valid public key' };
  }
  const problem = keyProblem(key);
  return problem === undefined ? { key } : { problem };
}

const memberOf = (key: KeyObject, name: 'n' | 'x'): Buffer =>
  Buffer.from(key.export({ format: 'jwk' })[name] ?? '', 'base64url');

const isOdd = (key: KeyObject): boolean => (memberOf(key, 'n').at(-1) ?? 0) % 2 === 1;

/** The prime and the constant of the curve Ed25519 (RFC 8032, section 5.1). */
const prime = 2n ** 255n - 19n;
const d = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

const mod = (number: bigint): bigint => ((number % prime) + prime) % prime;

function power(base: bigint, exponent: bigint): bigint {
  let [result, factor] = [1n, mod(base)];
  for (let rest = exponent; rest > 0n; rest /= 2n) {
    if (rest % 2n === 1n) result = mod(result * factor);
    factor = mod(factor * factor);
  }
  return result;
}
const inverse = (number: bigint): bigint => power(number, prime - 2n);

/**
 * Whether 32 bytes are a point of the curve whose order is large. For a point of small order there
 * are signatures that fit many messages.
 */
function isFullOrder(bytes: Buffer): boolean {
  const encoded = BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex') || '0'}`);
  let y = encoded & (2n ** 255n - 1n);
  if (bytes.length !== 32 || y >= prime) return false;
  // Each curve point has x² = (y² - 1) / (d·y² + 1), which must be a square.
  let xx = mod((y * y - 1n) * inverse(d * y * y + 1n));
  if (xx !== 0n && power(xx, (prime - 1n) / 2n) !== 1n) return false;
  // Small orders divide 8: doubling three times leads to the neutral point, y = 1.
  for (let doubling = 0; doubling < 3; doubling++) {
    const yy = mod(y * y);
    const product = mod(d * xx * yy);
    // x² of the double is 4x²y² / (1 + d·x²·y²)².
    const xScale = inverse(1n + product);
    y = mod((yy + xx) * inverse(1n - product));
    xx = mod(4n * xx * yy * xScale * xScale);
  }
  return !(y === 1n && xx === 0n);
}
