import { exampleId } from './example-tokens.ts';
import type { Json } from './types.ts';

/** Example values of domains and identity providers. */
export const ssoValues: Readonly<Record<string, Json | undefined>> = {
  // Domains
  'DomainRecord.ID': exampleId('dom'),
  'DomainRecord.Name': 'example.com',
  'DomainRecord.Status': 'verified',
  'DomainCreateResponse.Domain.Status': 'pending',
  'DomainCreateResponse.Domain.VerifiedAt': undefined,
  'DomainCreateResponse.Domain.LastCheckedAt': undefined,
  'DomainSuggestion.Name': 'example.com',
  TxtName: '_bailiwick-challenge.example.com',
  TxtValue: 'bailiwick-verify=Example',
  Capture: 'join',
  FailureReason: '',
  ChallengeExpiresAt: '2026-02-07T12:00:00.000Z',
  Redirect: `https://iam.example.com/auth/${exampleId('tnt')}/${exampleId('sso')}/login`,

  // Identity providers
  'SsoProvider.ID': exampleId('sso'),
  'SsoProvider.Kind': 'oidc',
  'SsoProvider.Name': 'Acme staff',
  Issuer: 'https://id.example.com',
  ClientID: 'bailiwick',
  Scopes: ['email', 'profile', 'groups'],
  TokenAuthMethod: 'client_secret_basic',
  ResponseMode: 'query',
  IdpEntityID: '',
  IdpSsoURL: '',
  IdpCertificates: [],
  RequestBinding: '',
  SpEntityID: '',
  AcsURL: '',
  SpCertificate: '',
  RedirectURI: `https://iam.example.com/auth/${exampleId('tnt')}/${exampleId('sso')}/callback`,
  AllowIdpInitiated: false,
  Jit: true,
  DefaultRoles: ['member'],
  'GroupMapping.Value': 'engineering',
  'GroupMapping.Group': 'eng',
  'GroupMapping.Role': '',
  AttributeMap: { Groups: 'groups' },
  AssuranceMap: {},
  LastError: '',
  'SsoSaveProviderRequest.Secret': 'Example',
  MetadataXML: '',
  MetadataURL: '',
  'SsoFinding.Check': 'discovery',
  'SsoFinding.Level': 'ok',
  'SsoFinding.Message':
    'The configuration at https://id.example.com/.well-known/openid-configuration can be read.',
  OK: true,
  Minutes: 60,
  'SsoLiftRequirementResponse.Until': '2026-01-31T13:00:00.000Z',

  // Social sign-in
  'SocialProvider.Name': 'Google',
  'SocialProvider.Kind': 'oidc',
  'SocialProvider.LoginURL': `https://iam.example.com/auth/platform/${exampleId('sso')}/login`,
  'TenantSettings.AllowedMethods': [],
  Preset: '',
};
