import { generateKeyPairSync } from 'node:crypto';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import type { UpdateCase, UpdatePlace } from '../update-case.ts';

// The providers that updates.ts changes.

/** The providers of a tenant: OpenID Connect and SAML. */
export async function providers({
  token,
  tenant,
  make,
  readOf,
}: UpdatePlace): Promise<UpdateCase[]> {
  const Tenant = tenant;
  const [old, next] = await Promise.all([createSpCertificate('a'), createSpCertificate('b')]);
  const create = async (fields: object, secrets: object = {}) =>
    (
      await make(
        'Sso_SaveProvider',
        { Provider: { Tenant, Name: 'a', ...fields }, ...secrets },
        'Provider',
      )
    ).ID;
  const oidc = await create(
    { Kind: 'oidc', Issuer: 'https://a.example', ClientID: 'a' },
    { Secret: 's' },
  );
  const saml = await create({
    Kind: 'saml',
    IdpEntityID: 'https://a.example',
    IdpSsoURL: 'https://a.example/sso',
    IdpCertificates: [old.certificate],
  });
  const provider = (ID: string) => ({
    operation: 'Sso_SaveProvider',
    token,
    key: 'Provider',
    needed: { Tenant, ID },
    elsewhere: ['Kind', 'Preset', 'MetadataURL'],
    read: readOf('Sso_GetProvider', { Tenant, ID }, 'Provider'),
  });
  return [
    {
      ...provider(oidc),
      filled: {
        Name: 'b',
        Active: false,
        TokenAuthMethod: 'none',
        Issuer: 'https://b.example',
        ClientID: 'b',
        Scopes: ['email'],
        ResponseMode: 'form_post',
        AllowIdpInitiated: true,
        Jit: false,
        DefaultRoles: ['member'],
        GroupMappings: [{ Value: 'v', Group: '', Role: 'member' }],
        AttributeMap: { Email: 'mail' },
        AssuranceMap: { mfa: 'aal2' },
        AbsentGroups: 'keep',
      },
      cleared: {
        Scopes: [],
        DefaultRoles: [],
        GroupMappings: [],
        AttributeMap: {},
        AssuranceMap: {},
      },
    },
    {
      ...provider(saml),
      filled: {
        Name: 'b',
        IdpEntityID: 'https://b.example',
        IdpSsoURL: 'https://b.example/sso',
        IdpCertificates: [next.certificate.trim()],
        RequestBinding: 'post',
        WantEncrypted: true,
        CertificateChanges: 'ask',
      },
      cleared: {},
    },
  ];
}

/** The providers of the platform: OAuth 2.0, and the one whose secret is a key. */
export async function platformProviders({
  stack,
  make,
  readOf,
}: UpdatePlace): Promise<UpdateCase[]> {
  const token = stack.platformKey;
  const create = async (fields: object, secrets: object) =>
    (
      await make(
        'Sso_SaveProvider',
        { Provider: { Name: 'a', ClientID: 'a', ...fields }, ...secrets },
        'Provider',
        token,
      )
    ).ID;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const apple = await create(
    { Kind: 'oidc', Preset: 'apple', KeyID: 'a', TeamID: 'a' },
    { PrivateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() },
  );
  const github = await create({ Kind: 'oauth', Preset: 'github' }, { Secret: 's' });
  const provider = (ID: string) => ({
    operation: 'Sso_SaveProvider',
    token,
    key: 'Provider',
    needed: { ID },
    read: readOf('Sso_GetProvider', { ID }, 'Provider', token),
  });
  return [
    { ...provider(apple), filled: { Name: 'b', KeyID: 'b', TeamID: 'b' }, cleared: {} },
    {
      ...provider(github),
      filled: {
        Name: 'b',
        Active: false,
        AuthorizationURL: 'https://b.example/authorize',
        UserinfoURL: 'https://b.example/user',
        EmailsURL: 'https://b.example/emails',
        TokenAuthMethod: 'none',
        TokenURL: 'https://b.example/token',
      },
      cleared: { EmailsURL: '' },
    },
  ];
}
