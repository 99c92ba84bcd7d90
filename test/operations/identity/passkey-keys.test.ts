import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { type Cbor, createPasskey } from '../../support/authenticator.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { addPasskey, originOf, registrationOptions, signInWith } from '../../support/passkeys.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

// A passkey without an attestation is not used before the first sign-in, so its key is checked.

type Cose = Array<[number, Cbor]>;
const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
const jwkOf = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });
const ec = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const other = jwkOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const [x, y] = [bytes(ec.x), bytes(ec.y)];
const ec2 = (members: Cose = []): Cose => [[1, 2], [3, -7], [-1, 1], [-2, x], [-3, y], ...members];
function rsa(modulusLength: number, members: Cose = []): Cose {
  const { n, e } = jwkOf(generateKeyPairSync('rsa', { modulusLength }));
  return [[1, 3], [3, -257], [-1, bytes(n)], [-2, bytes(e)], ...members];
}
const okp = (point: Buffer): Cose => [
  [1, 1],
  [3, -8],
  [-1, 6],
  [-2, point],
];

const keys: Record<string, Cose> = {
  'no kind (kty 0)': ec2([[1, 0]]),
  'a symmetric kind': ec2([[1, 4]]),
  'an algorithm of another kind': ec2([[3, -257]]),
  'a curve of another algorithm': ec2([[-1, 2]]),
  'a point off the curve': ec2([[-3, bytes(other.y)]]),
  'the point zero': ec2([
    [-2, Buffer.alloc(32)],
    [-3, Buffer.alloc(32)],
  ]),
  'a coordinate that is too short': ec2([[-2, x.subarray(1)]]),
  'a coordinate that is a number': ec2([[-3, 7]]),
  'an RSA key of 512 bits': rsa(512),
  'an RSA key of 1024 bits': rsa(1024),
  'the RSA exponent 1': rsa(2048, [[-2, Buffer.from([1])]]),
  'the RSA exponent 3': rsa(2048, [[-2, Buffer.from([3])]]),
  'an even RSA exponent': rsa(2048, [[-2, Buffer.from([1, 0, 0])]]),
  'an Ed25519 point of small order': okp(Buffer.alloc(32)),
  'an Ed25519 point off the curve': okp(Buffer.from([2, ...Buffer.alloc(31)])),
};

describeOne('the key of a passkey', 'one process', (topology) => {
  let stack: Stack;
  let ada: { id: string; token: string };
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  async function register(cose: Cose) {
    const options = await registrationOptions(stack, ada.token);
    const { credential } = createPasskey(options, originOf(stack), { cose: new Map(cose) });
    const request = { Credential: credential, Name: 'Odd' };
    return stack.call('Passkeys_FinishRegistration', request, ada.token);
  }

  for (const [title, cose] of Object.entries(keys))
    test(`is refused and not stored: ${title}`, async () => {
      const answer = await register(cose);
      assertRefused(answer, 400, 'failed_precondition');
      assert.match(String(answer.body['Message']), /its public key/);
      assert.equal(await countOf(stack, 'identity.passkey where user_id = $1', [ada.id]), 0);
    });

  test('is accepted on P-256, with RSA of 2048 bits and with Ed25519', async () => {
    const point = bytes(jwkOf(generateKeyPairSync('ed25519')).x);
    for (const cose of [ec2(), rsa(2048), okp(point)]) bodyOf(await register(cose));
    assert.equal(await countOf(stack, 'identity.passkey where user_id = $1', [ada.id]), 3);
  });

  test('is checked again at the sign-in: one that was stored before opens no session', async () => {
    const { token } = await signUp(stack);
    const { passkey, record } = await addPasskey(stack, token);
    assert.equal((await signInWith(stack, passkey)).status, 200);
    const weak = createPasskey(await registrationOptions(stack, token), originOf(stack), {
      cose: new Map(rsa(2048, [[-2, Buffer.from([1])]])),
    });
    await rowsOf(stack, 'update identity.passkey set public_key = $2 where id = $1', [
      record.ID,
      weak.passkey.publicKey,
    ]);
    assert.equal((await signInWith(stack, passkey)).status, 401);
  });
});
