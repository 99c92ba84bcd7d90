import { createHash, randomBytes } from 'node:crypto';
import { callback as redirectUri } from '@bailiwick/test/sso/issuer/stage.ts';

/** A provider, an app of it, and the cookies of a person who is signed in there. */
export type Site = {
  url: string;
  id: string;
  secret: string;
  cookies: Map<string, string>;
  scope: string;
  resource?: string;
};
export type Tokens = { access_token: string; refresh_token: string };

/** A code flow, as a browser and an app do it. */
export async function signIn(site: Site): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: site.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: site.scope,
    ...(site.resource !== undefined && { resource: site.resource }),
    state: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const metadata = await addressesOf(site);
  let url = new URL(`${metadata.authorization_endpoint}?${query.toString()}`);
  for (let step = 0; url.origin === new URL(site.url).origin; step++) {
    if (step > 10) throw new Error(`the sign-in does not end: ${url.href}`);
    url = await follow(site, url);
  }
  const code = url.searchParams.get('code');
  if (code === null) throw new Error(`no code: ${url.href}`);
  return askForTokens(site, {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...(site.resource !== undefined && { resource: site.resource }),
  });
}

export const refresh = (site: Site, token: string): Promise<Tokens> =>
  askForTokens(site, { grant_type: 'refresh_token', refresh_token: token });

/** Opens an address with the site's cookies, and returns where it leads. */
async function follow({ cookies }: Site, url: URL): Promise<URL> {
  const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
  await response.arrayBuffer();
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }
  const location = response.headers.get('location');
  if (location === null) throw new Error(`${url.pathname} answered ${response.status}`);
  return new URL(location, url);
}

async function askForTokens(site: Site, fields: Record<string, string>): Promise<Tokens> {
  const { token_endpoint: endpoint } = await addressesOf(site);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${site.id}:${site.secret}`)}` },
    body: new URLSearchParams(fields),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as Tokens;
}

type Addresses = { authorization_endpoint: string; token_endpoint: string };
const cache = new Map<string, Promise<Addresses>>();

function addressesOf({ url }: Site): Promise<Addresses> {
  const addresses =
    cache.get(url) ??
    fetch(`${url}/.well-known/openid-configuration`).then(
      (response) => response.json() as Promise<Addresses>,
    );
  cache.set(url, addresses);
  return addresses;
}
