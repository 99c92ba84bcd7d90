import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, type JWK, SignJWT } from 'jose';

// An issuer on loopback, with real keys.

export const audience = 'https://reports.example.com';

export type Signer = { kid: string; alg: string; keys: GenerateKeyPairResult };

/** Makes a key that the issuer does not publish yet. */
export async function newSigner(kid: string, alg = 'ES256'): Promise<Signer> {
  return { kid, alg, keys: await generateKeyPair(alg, { extractable: true }) };
}

export const publicJwk = async ({ kid, alg, keys }: Signer): Promise<JWK> => ({
  ...(await exportJWK(keys.publicKey)),
  kid,
  alg,
  use: 'sig',
});

/** Starts an issuer with one key. `answers` are the paths that it was asked for. */
export async function startIssuer(t: Pick<TestContext, 'after'>) {
  const own = await newSigner('first');
  const published = [own];
  const paths: string[] = [];
  let metadata: (url: string) => object = (url) => ({ issuer: url, jwks_uri: `${url}/oauth/jwks` });
  const server: Server = createServer((request, response) => {
    const path = request.url ?? '';
    paths.push(path);
    const send = (body: object) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === '/.well-known/openid-configuration') send(metadata(issuer));
    else if (path === '/oauth/jwks')
      void Promise.all(published.map(publicJwk)).then((keys) => send({ keys }));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const now = () => Math.floor(Date.now() / 1000);

  /** Signs an access token. Undefined claims and header fields are left out. */
  const sign = (
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    { kid, alg, keys }: Signer = own,
  ): Promise<string> =>
    new SignJWT({
      iss: issuer,
      aud: audience,
      sub: 'usr_01arz3ndektsv4rrffq69g5fav',
      client_id: 'app_1',
      iat: now(),
      exp: now() + 300,
      tenant: 'tnt_1',
      permissions: ['app.reports.read', 'app.notes.*'],
      ...claims,
    })
      .setProtectedHeader({ alg, kid, typ: 'at+jwt', ...header })
      .sign(keys.privateKey);

  return {
    issuer,
    own,
    published,
    paths,
    sign,
    now,
    setMetadata: (next: typeof metadata) => {
      metadata = next;
    },
  };
}

export type Issuer = Awaited<ReturnType<typeof startIssuer>>;
