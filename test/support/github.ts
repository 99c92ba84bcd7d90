import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

// An OAuth 2.0 server of GitHub's shape: no ID token, user-info with a number as the id, a list of
// addresses, and errors of the token endpoint with status 200.

export type GithubUser = {
  id: unknown;
  name?: string | null;
  /** The public address of the profile, which says nothing about its verification. */
  email?: string | null;
  emails?: ReadonlyArray<{ email: string; primary: boolean; verified: boolean }>;
};

type Grant = { login: string; challenge: string; redirectUri: string; clientId: string };

export type Github = Awaited<ReturnType<typeof startGithub>>;

const page =
  '<!doctype html><html lang="en"><title>Sign in</title><form method="post"><label>Name <input name="login" autofocus></label><button>Authorize</button></form>';

export async function startGithub({ clientId, secret }: { clientId: string; secret: string }) {
  const users = new Map<string, GithubUser>();
  const codes = new Map<string, Grant>();
  const tokens = new Map<string, string>();
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const base = `http://${loopback}:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', base);
    if (url.pathname === '/login/oauth/authorize') return authorize(request, response, url);
    if (url.pathname === '/login/oauth/access_token')
      return send(response, 200, exchange(new URLSearchParams(await text(request))));
    // GitHub answers no request without a user agent.
    if (request.headers['user-agent'] === undefined) return send(response, 403, { message: 'no' });
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const login = tokens.get(token);
    const user = login === undefined ? undefined : users.get(login);
    if (!user) return send(response, 401, { message: 'Bad credentials' });
    if (url.pathname === '/user/emails') return send(response, 200, user.emails ?? []);
    const { emails: _emails, ...profile } = user;
    return send(response, 200, { login, avatar_url: `${base}/avatar.png`, ...profile });
  }

  async function authorize(
    request: IncomingMessage,
    response: ServerResponse,
    { searchParams }: URL,
  ): Promise<void> {
    const parameter = (name: string) => searchParams.get(name) ?? '';
    const redirectUri = parameter('redirect_uri');
    if (parameter('client_id') !== clientId) return send(response, 404, { message: 'Not Found' });
    if (request.method !== 'POST')
      return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    const login = new URLSearchParams(await text(request)).get('login') ?? '';
    const target = new URL(redirectUri);
    if (login === '') target.searchParams.set('error', 'access_denied');
    else {
      const code = randomBytes(10).toString('hex');
      codes.set(code, { login, challenge: parameter('code_challenge'), redirectUri, clientId });
      target.searchParams.set('code', code);
    }
    target.searchParams.set('state', parameter('state'));
    response.writeHead(302, { location: target.href }).end();
  }

  function exchange(body: URLSearchParams): object {
    const grant = codes.get(body.get('code') ?? '');
    codes.delete(body.get('code') ?? '');
    if (body.get('client_id') !== clientId || body.get('client_secret') !== secret)
      return { error: 'incorrect_client_credentials' };
    const verifier = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== verifier || grant.redirectUri !== body.get('redirect_uri'))
      return { error: 'bad_verification_code' };
    const token = `gho_${randomBytes(18).toString('hex')}`;
    tokens.set(token, grant.login);
    return { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' };
  }

  return {
    base,
    /** The fields of a provider that point here instead of at GitHub. */
    provider: {
      Kind: 'oauth',
      Preset: 'github',
      ClientID: clientId,
      Issuer: `${base}/login/oauth`,
      AuthorizationURL: `${base}/login/oauth/authorize`,
      TokenURL: `${base}/login/oauth/access_token`,
      UserinfoURL: `${base}/user`,
      EmailsURL: `${base}/user/emails`,
    },
    /** Sets the user of a login name. Other names get no answer. */
    setUser: (login: string, user: GithubUser): void => void users.set(login, user),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body));
}
