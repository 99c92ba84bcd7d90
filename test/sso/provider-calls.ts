import { bodyOf, recordIn } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';

export type Person = Awaited<ReturnType<typeof signUp>>;
export type Provider = {
  ID: string;
  Tenant: string;
  Kind: string;
  Name: string;
  Active: boolean;
  SecretEnc: string;
  DekID: string;
  UpdatedAt: string;
  RedirectURI: string;
  SpEntityID: string;
  AcsURL: string;
  SpCertificate: string;
  Scopes: string[];
  Jit: boolean;
  IdpCertificates: string[];
  GroupMappings: Array<{ Value: string; Group: string; Role: string }>;
};

/** The set-up of a suite about providers. */
export type ProviderSuite = { stack: Stack; ada: Person; bob: Person; certificate: string };
export type ProviderCalls = ReturnType<typeof createProviderCalls>;

/** Calls that save and read providers, as `ada` by default. `suite` is called once it has started. */
export function createProviderCalls(suite: () => ProviderSuite) {
  /** A tenant that does not count as one of its owner's ten. */
  async function tenantOf({ id }: Person): Promise<string> {
    return tenantFor(suite().stack, id);
  }
  const oidc = (Tenant: string) => ({
    Tenant,
    Kind: 'oidc',
    Name: 'Staff',
    Issuer: 'https://id.example.com',
    ClientID: 'bailiwick',
  });
  const samlOf = (Tenant: string) => ({
    Tenant,
    Kind: 'saml',
    Name: 'Staff',
    IdpEntityID: 'https://idp.example.com',
    IdpSsoURL: 'https://idp.example.com/sso',
    IdpCertificates: [suite().certificate],
  });
  const save = (Provider: object, rest: object = {}, token = suite().ada.token) =>
    suite().stack.call('Sso_SaveProvider', { Provider, ...rest }, token);
  const saved = async (
    provider: object,
    rest: object = { Secret: 'client secret' },
    token = suite().ada.token,
  ) => recordIn(await save(provider, rest, token), 'Provider') as Provider;
  const read = (Tenant: string, ID: string, token = suite().ada.token) =>
    suite().stack.call('Sso_GetProvider', { Tenant, ID }, token);

  /** An administrator of the tenant who owns nothing. */
  async function adminOf(Tenant: string): Promise<Person> {
    const admin = await signUp(suite().stack);
    bodyOf(
      await suite().stack.call(
        'TenantMembers_Add',
        { Tenant, UserID: admin.id },
        suite().stack.platformKey,
      ),
    );
    bodyOf(
      await suite().stack.call(
        'Grants_Add',
        { Grant: { Tenant, UserID: admin.id, Role: 'admin' } },
        suite().ada.token,
      ),
    );
    return admin;
  }
  return { tenantOf, oidc, samlOf, save, saved, read, adminOf };
}
