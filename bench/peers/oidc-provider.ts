import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { type JWK, Provider } from 'oidc-provider';
import { serveBench } from '../peer.ts';

// oidc-provider by itself, with its in-memory adapter: no database, no tenants, no rights. It
// signs in every visitor as the same person, without a question.
//
//   node oidc-provider.ts <client, as JSON>

const client = JSON.parse(process.argv[2] ?? '{}') as {
  client_id: string;
  client_secret: string;
  redirect_uris: string[];
};
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' } as JWK;

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...client,
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['bench'] },
    scopes: ['openid', 'offline_access'],
    pkce: { required: () => true },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    async loadExistingGrant(ctx) {
      const { client: asking, session, result } = ctx.oidc;
      const grantId = result?.consent?.grantId ?? session?.grantIdFor(asking?.clientId ?? '');
      if (grantId) return ctx.oidc.provider.Grant.find(grantId);
      const grant = new ctx.oidc.provider.Grant({
        clientId: asking?.clientId,
        accountId: session?.accountId,
      });
      grant.addOIDCScope('openid offline_access');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: 'person' } });
  });
  serveBench({ url: issuer });
});
