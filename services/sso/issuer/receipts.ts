import { Buffer } from 'node:buffer';
import type { Handlers } from '@bailiwick/pipeline';
import type { AppSignOuts } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import { CompactSign, importJWK, type JWK } from 'jose';
import type { createSigningKeys } from './signing-keys.ts';

type Deps = { signingKeys: ReturnType<typeof createSigningKeys>; publicUrl: string };

/**
 * Signs the receipts of locks. Without `aud`, `sub` and `exp`, and with a type of its own, no verifier
 * takes one for an access token or an ID token.
 */
export const receiptHandlers = ({
  signingKeys,
  publicUrl,
}: Deps): Pick<Handlers<typeof AppSignOuts>, 'signReceipt'> => ({
  async signReceipt({ id, receipt }) {
    const key = (await signingKeys.current()).find(({ alg }) => alg === 'RS256');
    if (!key?.kid) throw new Error('the issuer has no key for RS256');
    const claims = {
      iss: publicUrl,
      iat: Math.floor(Date.now() / 1000),
      jti: id,
      receipt: JSON.parse(receipt) as unknown,
    };
    const signed = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'lock-receipt+jwt' })
      .sign(await importJWK(key as JWK, 'RS256'));
    return { signed };
  },
});
