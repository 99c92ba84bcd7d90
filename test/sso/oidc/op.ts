import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { type ClientMetadata, type Configuration, Provider } from 'oidc-provider';

// oidc-provider as the OpenID provider, with a login page that asks for a name and no password.

export type OpClient = {
  id: string;
  redirectUris: readonly string[];
  /** The default is client_secret_basic, or private_key_jwt with `jwks`. */
  method?: NonNullable<ClientMetadata['token_endpoint_auth_method']>;
  secret?: string;
  /** The client's public keys. */
  jwks?: { keys: JsonWebKey[] };
  idTokenAlgorithm?: ClientMetadata['id_token_signed_response_alg'];
};

/** How the provider says that it authenticates (amr). */
const methods = ['gold', 'mfa'];

/** The claims of the account with a login name. */
export type OpAccount = {
  sub?: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: readonly string[];
  /** The domain of the account's organisation, as Google names it. */
  hd?: string;
  /** The claims that are at other addresses, and where. */
  _claim_names?: Record<string, string>;
  _claim_sources?: Record<string, { endpoint: string }>;
  /** Entra ID says so that it has left out the groups. */
  hasgroups?: boolean;
  /** Keycloak nests its roles. */
  realm_access?: { roles: readonly string[] };
};

export type OpOptions = {
  clients: readonly OpClient[];
  /** Whether the ID token has the claims of the scopes. If not, only the userinfo endpoint has. */
  claimsInIdToken?: boolean;
  /** The path of the issuer, as providers with realms have. */
  path?: string;
  /** The registered secret for the one that a client sends, which Apple's clients sign. */
  secretFor?: (sent: string) => string;
};

export type Op = Awaited<ReturnType<typeof startOp>>;

/** Starts the provider. Tests change its accounts and clients while it runs. */
export async function startOp({
  clients: initial,
  claimsInIdToken = true,
  path = '',
  secretFor,
}: OpOptions) {
  const accounts = new Map<string, OpAccount>();
  const clients = new Map(initial.map((client) => [client.id, client]));
  let keys = makeKeys();
  let hasUserinfo = true;
  let provider: Provider;
  const server = createServer(
    (request, response) => void answer(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const issuer = `http://${loopback}:${(server.address() as AddressInfo).port}${path}`;

  // oidc-provider reads its configuration once, so a new instance replaces it, without the old
  // browser sessions.
  function configure(): void {
    provider = new Provider(
      issuer,
      configurationOf({ clients: [...clients.values()], accounts, claimsInIdToken, keys, path }),
    );
    // Its responses show refusals, so only server errors are printed.
    provider.on('server_error', (_context, error) => void process.stderr.write(`${error.stack}\n`));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = request.url ?? '';
    if (!url.startsWith(path)) return void response.writeHead(404).end();
    if (!hasUserinfo && url.startsWith(`${path}/me`)) return void response.writeHead(503).end();
    if (url.startsWith(`${path}/sign-in/`)) return signIn(provider, request, response);
    if (secretFor && url === `${path}/token`) {
      const body = Object.fromEntries(new URLSearchParams(await text(request)));
      // The library takes a body that was read before.
      Object.assign(request, {
        body: { ...body, client_secret: secretFor(body['client_secret'] ?? '') },
      });
    }
    Object.assign(request, { originalUrl: url, url: url.slice(path.length) });
    return provider.callback()(request, response);
  }

  configure();
  return {
    issuer,
    /** Sets the account of a login name. Other names cannot sign in. */
    setAccount: (login: string, account: OpAccount): void => void accounts.set(login, account),
    setClient(client: OpClient): void {
      clients.set(client.id, client);
      configure();
    },
    /** Breaks the userinfo endpoint, or repairs it. */
    setUserinfo: (isThere: boolean): void => void (hasUserinfo = isThere),
    /** Replaces all keys by new ones with new ids. */
    rotateKeys(): void {
      keys = makeKeys();
      configure();
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function makeKeys(): JsonWebKey[] {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const pairs = [
    rsa,
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
    generateKeyPairSync('ed25519').privateKey,
  ];
  return pairs.map((key) => ({
    ...key.export({ format: 'jwk' }),
    kid: randomBytes(6).toString('hex'),
    use: 'sig',
  }));
}

type OpConfiguration = {
  clients: readonly OpClient[];
  accounts: ReadonlyMap<string, OpAccount>;
  claimsInIdToken: boolean;
  keys: JsonWebKey[];
  path: string;
};

function configurationOf({
  clients,
  accounts,
  claimsInIdToken,
  keys,
  path,
}: OpConfiguration): Configuration {
  return {
    clients: clients.map(metadataOf),
    jwks: { keys },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: {
      openid: ['sub', 'amr', 'hd', 'hasgroups'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups', 'realm_access'],
    },
    conformIdTokenClaims: !claimsInIdToken,
    clientAuthMethods: [
      'client_secret_basic',
      'client_secret_post',
      'client_secret_jwt',
      'private_key_jwt',
      'none',
    ],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
    features: { devInteractions: { enabled: false } },
    // The default page loads fonts from the internet.
    renderError: (context, { error, error_description }) =>
      void Object.assign(context, {
        type: 'text/plain',
        body: `${error}: ${error_description ?? ''}`,
      }),
    interactions: { url: (_context, { uid }) => `${path}/sign-in/${uid}` },
    findAccount(_context, login) {
      const account = accounts.get(login);
      return (
        account && {
          accountId: login,
          claims: () => ({
            sub: login,
            ...account,
            ...(account.groups && { groups: [...account.groups] }),
          }),
        }
      );
    },
    // Grants all scopes without a consent page.
    async loadExistingGrant({ oidc }) {
      const { client, account } = oidc;
      if (!client || !account) return undefined;
      const grant = new oidc.provider.Grant({
        clientId: client.clientId,
        accountId: account.accountId,
      });
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
  };
}

function metadataOf({
  id,
  redirectUris,
  secret,
  jwks,
  method,
  idTokenAlgorithm = 'RS256',
}: OpClient): ClientMetadata {
  return {
    client_id: id,
    redirect_uris: [...redirectUris],
    response_types: ['code'],
    grant_types: ['authorization_code'],
    token_endpoint_auth_method: method ?? (jwks ? 'private_key_jwt' : 'client_secret_basic'),
    id_token_signed_response_alg: idTokenAlgorithm,
    ...(secret === undefined ? {} : { client_secret: secret }),
    ...(jwks === undefined ? {} : { jwks }),
  };
}

const page =
  '<!doctype html><html lang="en"><title>Sign in</title><form method="post"><label>Name <input name="login" autofocus></label><button>Sign in</button></form>';

async function signIn(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'POST')
    return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  const login = new URLSearchParams(await text(request)).get('login') ?? '';
  const outcome =
    login === ''
      ? { error: 'access_denied', error_description: 'cancelled' }
      : { login: { accountId: login, amr: methods } };
  await provider.interactionFinished(request, response, outcome, {
    mergeWithLastSubmission: false,
  });
}
