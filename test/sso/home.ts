import { randomBytes } from 'node:crypto';
import { recordIn } from '../answers.ts';
import type { Stack } from '../harness.ts';
import { signUp, tenantFor } from '../people.ts';
import { rowsOf } from '../store.ts';
import { type Browser, formOf, type Page, startBrowser } from './browse.ts';
import { type EvilIdp } from './saml/evil-idp.ts';

// A tenant whose people sign in at a provider, and a browser that goes through it.

export type Home = { tenant: string; domain: string; owner: Awaited<ReturnType<typeof signUp>> };

/** A tenant with an owner, who has a password, and a domain that is verified. */
export async function createHome(stack: Stack): Promise<Home> {
  const owner = await signUp(stack);
  const tenant = await tenantFor(stack, owner.id);
  return { tenant, domain: await ownDomain(stack, { tenant, owner }), owner };
}

/** Gives a tenant a domain, verified past the product: how that is done is tested elsewhere. */
export async function ownDomain(
  stack: Stack,
  { tenant: Tenant, owner }: Pick<Home, 'tenant' | 'owner'>,
  fields: object = {},
): Promise<string> {
  const Name = `d${randomBytes(6).toString('hex')}.example.com`;
  const { ID } = recordIn(
    await stack.call('Domain_Create', { Tenant, Name, ...fields }, owner.token),
    'Domain',
  ) as { ID: string };
  await rowsOf(
    stack,
    `update sso.domain set status = 'verified', verified_at = now(), next_check_at = now() + interval '1 day' where id = $1`,
    [ID],
  );
  return Name;
}

export type Saved = {
  ID: string;
  Tenant: string;
  RedirectURI: string;
  SpCertificate: string;
  SpEntityID: string;
  AcsURL: string;
  LastError: string;
  LastLoginAt?: string;
};

export async function saveProvider(
  stack: Stack,
  { tenant: Tenant, owner }: Home,
  provider: object,
  rest: object = {},
): Promise<Saved> {
  return recordIn(
    await stack.call(
      'Sso_SaveProvider',
      { Provider: { Tenant, Name: 'Acme staff', ...provider }, ...rest },
      owner.token,
    ),
    'Provider',
  ) as Saved;
}

export const readProvider = async (
  stack: Stack,
  { tenant: Tenant, owner }: Home,
  { ID }: Saved,
): Promise<Saved> =>
  recordIn(await stack.call('Sso_GetProvider', { Tenant, ID }, owner.token), 'Provider') as Saved;

export const oidcOf = (issuer: string) => ({
  Kind: 'oidc',
  Issuer: issuer,
  ClientID: 'bailiwick',
  Scopes: ['email', 'profile', 'groups'],
});
export const samlOf = ({ entityId, ssoUrl, certificate }: EvilIdp) => ({
  Kind: 'saml',
  IdpEntityID: entityId,
  IdpSsoURL: ssoUrl,
  IdpCertificates: [certificate],
});

export const loginUrl = (stack: Stack, { Tenant, ID }: Saved, returnTo = '') =>
  `${stack.url}/auth/${Tenant}/${ID}/login${returnTo === '' ? '' : `?return_to=${encodeURIComponent(returnTo)}`}`;

export const sessionCookie = 'bailiwick_session';

/** Goes to a provider, fills in what it asks and comes back. The page is where that ends: ours, or an application's. */
export async function goThrough(
  stack: Stack,
  start: string,
  { login = 'ada', browser = startBrowser() }: { login?: string; browser?: Browser } = {},
) {
  let page = await browser.open(start);
  // Our own form leads to a provider that wants its request posted.
  while (isTheirs(stack, page) && page.text.includes('<form')) {
    const form = formOf(page);
    if ('login' in form.fields) form.fields['login'] = login;
    page = await browser.send(form);
  }
  return { page, browser, token: browser.cookie(sessionCookie) };
}

const isTheirs = ({ url }: Stack, page: Page): boolean =>
  !page.url.startsWith(`${url}/`) || page.url.startsWith(`${url}/auth/`);

/** The code of a refusal, as an ErrorResponse has it. */
export const refusalIn = ({
  page,
}: {
  page: Page;
}): { status: number; Code: string; Message: string } => ({
  status: page.status,
  ...(JSON.parse(page.text) as { Code: string; Message: string }),
});
