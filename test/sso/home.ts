import { randomBytes } from 'node:crypto';
import { recordIn } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { type Browser, formOf, type Page, startBrowser } from './browse.ts';
import { type EvilIdp } from './saml/evil-idp.ts';

// A tenant whose users sign in at a provider, and a browser that completes the sign-in.

export type Home = { tenant: string; domain: string; owner: Awaited<ReturnType<typeof signUp>> };

/** Creates a tenant with a verified domain and an owner who has a password. */
export async function createHome(stack: Stack): Promise<Home> {
  const owner = await signUp(stack);
  const tenant = await tenantFor(stack, owner.id);
  return { tenant, domain: await ownDomain(stack, { tenant, owner }), owner };
}

/** Gives a tenant a domain and marks it verified in the store. Other tests cover verification. */
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

export type ProviderRecord = {
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
): Promise<ProviderRecord> {
  return recordIn(
    await stack.call(
      'Sso_SaveProvider',
      { Provider: { Tenant, Name: 'Acme staff', ...provider }, ...rest },
      owner.token,
    ),
    'Provider',
  ) as ProviderRecord;
}

export const readProvider = async (
  stack: Stack,
  { tenant: Tenant, owner }: Home,
  { ID }: ProviderRecord,
): Promise<ProviderRecord> =>
  recordIn(
    await stack.call('Sso_GetProvider', { Tenant, ID }, owner.token),
    'Provider',
  ) as ProviderRecord;

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

export const loginUrl = (stack: Stack, { Tenant, ID }: ProviderRecord, returnTo = '') =>
  `${stack.url}/auth/${Tenant}/${ID}/login${returnTo === '' ? '' : `?return_to=${encodeURIComponent(returnTo)}`}`;

export const sessionCookie = 'bailiwick_session';

/**
 * Signs in at a provider, filling in its forms. `page` is the last page: one of the product or of
 * an application.
 */
export async function goThrough(
  stack: Stack,
  start: string,
  { login = 'ada', browser = startBrowser() }: { login?: string; browser?: Browser } = {},
) {
  let page = await browser.open(start);
  // The product answers with a form if the provider expects its request by POST.
  while (isTheirs(stack, page) && page.text.includes('<form')) {
    const form = formOf(page);
    if ('login' in form.fields) form.fields['login'] = login;
    page = await browser.send(form);
  }
  return { page, browser, token: browser.cookie(sessionCookie) };
}

const isTheirs = ({ url }: Stack, page: Page): boolean =>
  !page.url.startsWith(`${url}/`) || page.url.startsWith(`${url}/auth/`);

/** The status, code and message of an ErrorResponse. */
export const refusalIn = ({
  page,
}: {
  page: Page;
}): { status: number; Code: string; Reason?: string; Message: string } => ({
  status: page.status,
  ...(JSON.parse(page.text) as { Code: string; Reason?: string; Message: string }),
});
