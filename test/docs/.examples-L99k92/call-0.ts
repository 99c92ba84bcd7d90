import { generateKeyPairSync } from 'node:crypto';
import { createCallerSigner, createCallerVerifier, serviceCaller } from '@bailiwick/call';

const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const sign = createCallerSigner('sso', privateKey);
const verify = createCallerVerifier('identity', new Map([['sso', publicKey]]));

const caller = verify(sign(serviceCaller('sso', 'request-1'), 'identity'));
console.log(caller.type, caller.id, caller.requestId);
