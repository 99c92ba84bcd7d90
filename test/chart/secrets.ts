import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createToken } from '@bailiwick/contract';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

// A sample certificate that nothing trusts.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBODCB66ADAgECAhQp7Ng+Ih9bPGbI9GWeAjuqMZM8HDAFBgMrZXAwETEPMA0G
A1UEAwwGc2FtcGxlMCAXDTI2MTEyMTIwNTI1MFoYDzIxMjYxMDI4MjA1MjUwWjAR
MQ8wDQYDVQQDDAZzYW1wbGUwKjAFBgMrZXADIQBvICWQRBtqeCP6ALfJ+HoKZZXe
xPffY8dnPZF5Fy7hKaNTMFEwHQYDVR0OBBYEFHfBtTThSxOuIxB+QRlhFvpL3t/6
MB8GA1UdIwQYMBaAFHfBtTThSxOuIxB+QRlhFvpL3t/6MA8GA1UdEwEB/wQFMAMB
Af8wBQYDK2VwA0EA5h/WHozk086FLBDZEKFbbRonzxpGQ0rj4TXpcgw2zAiKk6YC
wUxY2JDI8ilfiNI3sGY/NjwQ/UyakkpXNoeACg==
-----END CERTIFICATE-----`;

/** A sample value for a key of that name in an installation's Secret. */
export function sampleSecret(secret: string, key: string): string {
  if (key.endsWith('.pub')) return publicKey.export({ type: 'spki', format: 'pem' }).toString();
  if (key.endsWith('.crt')) return certificate;
  if (key.endsWith('.key')) return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (/platform/.test(key)) return createToken('botKey');
  if (/worker/.test(key)) return createToken('worker');
  if (/ring/.test(key)) return `sample:${randomBytes(32).toString('base64')}`;
  if (/proxy/.test(key)) return `http://user:password@${secret}:3128`;
  return `postgres://${secret}`;
}
