import type { Forgery } from './forgeries/forgery.ts';
import type { Json } from './jwt.ts';

// A provider of Microsoft's shape: one issuer stands for all directories, its discovery document
// names a template, and an ID token names the directory of its user.

export const directories = [
  '11111111-aaaa-4bbb-8ccc-000000000001',
  '22222222-aaaa-4bbb-8ccc-000000000002',
] as const;

export const anyDirectory = (base: string): string => `${base}/common/v2.0`;
export const issuerOf = (base: string, directory: string): string => `${base}/${directory}/v2.0`;

/** The answers of a directory, with the claims of its user. undefined leaves a claim out. */
export const answerAs = (base: string, tid: string, claims: Json = {}): Forgery => ({
  raw: {
    '/common/v2.0/.well-known/openid-configuration': (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          issuer: issuerOf(base, '{tenantid}'),
          authorization_endpoint: `${base}/authorize`,
          token_endpoint: `${base}/token`,
          userinfo_endpoint: `${base}/userinfo`,
          jwks_uri: `${base}/keys`,
          id_token_signing_alg_values_supported: ['RS256'],
        }),
      ),
  },
  answer: (parameters) => parameters.delete('iss'),
  token: (_header, token) =>
    void Object.assign(token, { iss: issuerOf(base, tid), tid, ...claims }),
});
