import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createToken } from '@bailiwick/shared/tokens.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** What an installation's own Secret would hold under a key of that name. */
export function sampleSecret(secret: string, key: string): string {
  if (key.endsWith('.pub')) return publicKey.export({ type: 'spki', format: 'pem' }).toString();
  if (key.endsWith('.key')) return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  if (/platform/.test(key)) return createToken('botKey');
  if (/worker/.test(key)) return createToken('worker');
  if (/ring/.test(key)) return `sample:${randomBytes(32).toString('base64')}`;
  if (/proxy/.test(key)) return `http://user:password@${secret}:3128`;
  return `postgres://${secret}`;
}
