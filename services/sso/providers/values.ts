import { type EgressRules, urlProblem } from '@bailiwick/egress';
import { invalid } from '@bailiwick/errors';
import type { SsoProvider } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { normaliseCertificate } from '../saml/certificates.ts';
import type { Settable } from './api-record.ts';
import type { KnownMetadata } from './metadata.ts';
import { presets } from './presets.ts';

// The fields of a provider that a client may set, and the checks that they are complete.

const fresh: Settable = {
  name: '',
  active: true,
  issuer: '',
  clientId: '',
  scopes: [],
  tokenAuthMethod: '',
  responseMode: '',
  idpEntityId: '',
  idpSsoUrl: '',
  idpCertificates: [],
  requestBinding: '',
  allowIdpInitiated: false,
  jit: true,
  defaultRoles: [],
  groupMappings: [],
  attributeMap: {},
  preset: '',
  authorizationUrl: '',
  tokenUrl: '',
  userinfoUrl: '',
  emailsUrl: '',
  assuranceMap: {},
  keyId: '',
  teamId: '',
  absentGroups: 'remove',
  wantEncrypted: false,
  metadataUrl: '',
  certificateChanges: 'auto',
};

const defaults: Readonly<Record<string, Partial<Settable>>> = {
  oidc: {
    scopes: ['email', 'profile'],
    tokenAuthMethod: 'client_secret_basic',
    responseMode: 'query',
  },
  oauth: { tokenAuthMethod: 'client_secret_basic', responseMode: 'query' },
  saml: { requestBinding: 'redirect' },
};

/**
 * The new columns: the sent values, else the stored ones, else the defaults. Metadata takes
 * precedence over sent values.
 */
export function settableOf(
  kind: string,
  input: SsoProvider,
  stored: Settable | undefined,
  metadata: KnownMetadata | undefined,
): Settable {
  const defaultValues: Settable = { ...fresh, ...defaults[kind] };
  const { preset } = stored ?? input;
  const start = stored ?? { ...defaultValues, ...presets[preset]?.values, preset };
  const idpEntityId = metadata?.idpEntityId ?? input.idpEntityId ?? start.idpEntityId;
  // The stored address describes the stored entity only.
  const isOther = stored !== undefined && stored.idpEntityId !== idpEntityId;
  return {
    name: input.name ?? start.name,
    active: input.active ?? start.active,
    issuer: input.issuer ?? start.issuer,
    clientId: input.clientId ?? start.clientId,
    scopes: input.scopes
      ? [...new Set(input.scopes.items)].filter((scope) => scope !== 'openid')
      : start.scopes,
    tokenAuthMethod:
      (input.tokenAuthMethod ?? start.tokenAuthMethod) || defaultValues.tokenAuthMethod,
    responseMode: (input.responseMode ?? start.responseMode) || defaultValues.responseMode,
    idpEntityId,
    idpSsoUrl: metadata?.idpSsoUrl ?? input.idpSsoUrl ?? start.idpSsoUrl,
    idpCertificates:
      metadata?.idpCertificates ??
      (input.idpCertificates
        ? readCertificates(input.idpCertificates.items)
        : start.idpCertificates),
    requestBinding:
      metadata?.requestBinding ??
      ((input.requestBinding ?? start.requestBinding) || defaultValues.requestBinding),
    allowIdpInitiated: input.allowIdpInitiated ?? start.allowIdpInitiated,
    jit: input.jit ?? start.jit,
    defaultRoles: input.defaultRoles ? [...new Set(input.defaultRoles.items)] : start.defaultRoles,
    groupMappings: input.groupMappings
      ? input.groupMappings.items.map(({ value, group, role }) => ({ value, group, role }))
      : start.groupMappings,
    attributeMap: input.attributeMap ? { ...input.attributeMap.items } : start.attributeMap,
    preset,
    authorizationUrl: input.authorizationUrl ?? start.authorizationUrl,
    tokenUrl: input.tokenUrl ?? start.tokenUrl,
    userinfoUrl: input.userinfoUrl ?? start.userinfoUrl,
    emailsUrl: input.emailsUrl ?? start.emailsUrl,
    assuranceMap: input.assuranceMap ? { ...input.assuranceMap.items } : start.assuranceMap,
    keyId: input.keyId ?? start.keyId,
    teamId: input.teamId ?? start.teamId,
    absentGroups: (input.absentGroups ?? start.absentGroups) || fresh.absentGroups,
    wantEncrypted: input.wantEncrypted ?? start.wantEncrypted,
    metadataUrl: metadata?.url ?? (isOther ? '' : (input.metadataUrl ?? start.metadataUrl)),
    certificateChanges:
      (input.certificateChanges ?? start.certificateChanges) || fresh.certificateChanges,
  };
}

const readCertificates = (items: readonly string[]): string[] => [
  ...new Set(items.map(normaliseCertificate)),
];

/** Context for the completeness checks. */
type CheckContext = {
  tenant: string;
  /** Whether there is a client secret, and a key that signs one. */
  hasSecret: boolean;
  hasSigningKey: boolean;
  egress: EgressRules;
};

/** Throws invalid_argument with everything that is missing or wrong for this kind. */
export function assertComplete(kind: string, values: Settable, context: CheckContext): void {
  const problems = completenessProblems(kind, values, context);
  if (problems.length > 0) throw invalid(problems);
}

/**
 * The same problems for a new provider whose values are all in its request. Its certificates are
 * parsed later, together with those of metadata.
 */
export function newProblems(input: SsoProvider, context: CheckContext): string[] {
  const values = settableOf(
    input.kind,
    { ...input, idpCertificates: undefined },
    undefined,
    undefined,
  );
  return completenessProblems(
    input.kind,
    { ...values, idpCertificates: input.idpCertificates?.items ?? [] },
    context,
  );
}

const completenessProblems = (
  kind: string,
  values: Settable,
  { tenant, hasSecret, hasSigningKey, egress }: CheckContext,
): string[] => [
  ...(kind === 'saml'
    ? samlProblems(values, egress)
    : clientProblems(values, hasSecret || hasSigningKey, egress)),
  ...signingKeyProblems(values, hasSigningKey),
  ...(kind === 'oauth' ? oauthProblems(values, egress) : []),
  ...(tenant === '' ? platformProblems(kind, values) : tenantProblems(kind)),
  ...presetProblems(kind, values),
  ...metadataProblems(kind, values),
];

const metadataProblems = (
  kind: string,
  { metadataUrl, certificateChanges }: Settable,
): string[] => [
  ...(kind !== 'saml' && metadataUrl !== '' ? ['Provider.MetadataURL is for SAML only'] : []),
  ...(kind !== 'saml' && certificateChanges !== fresh.certificateChanges
    ? ['Provider.CertificateChanges is for SAML only']
    : []),
];

/** A tenant's provider has to prove its users by a signature. */
const tenantProblems = (kind: string): string[] =>
  kind === 'oauth' ? ['Provider.Kind must not be oauth if Provider.Tenant is not empty'] : [];

function presetProblems(kind: string, { preset }: Settable): string[] {
  const presetKind = presets[preset]?.kind ?? kind;
  return presetKind === kind ? [] : [`Provider.Kind must be ${presetKind} with Preset ${preset}`];
}

/**
 * A provider of the platform gives no rights in a tenant. SAML has no statement that an address is
 * verified, on which other users' accounts depend here.
 */
function platformProblems(
  kind: string,
  { defaultRoles, groupMappings, assuranceMap }: Settable,
): string[] {
  const without = 'if Provider.Tenant is empty';
  return [
    ...(kind === 'saml' ? [`Provider.Kind must not be saml ${without}`] : []),
    ...(defaultRoles.length > 0 ? [`Provider.DefaultRoles must be empty ${without}`] : []),
    ...(Object.keys(assuranceMap).length > 0
      ? [`Provider.AssuranceMap must be empty ${without}`]
      : []),
    ...(groupMappings.length > 0 ? [`Provider.GroupMappings must be empty ${without}`] : []),
  ];
}

/** A client secret that is signed for each request is Apple's own way to authenticate a client. */
function signingKeyProblems(
  { preset, keyId, teamId, tokenAuthMethod }: Settable,
  hasSigningKey: boolean,
): string[] {
  const isNamed = keyId !== '' || teamId !== '';
  if (preset !== 'apple')
    return [
      ...(isNamed ? ['Provider.KeyID and Provider.TeamID must be empty without Preset apple'] : []),
      ...(hasSigningKey ? ['PrivateKey must be empty without Preset apple'] : []),
    ];
  if (!hasSigningKey)
    return isNamed ? ['PrivateKey is required with Provider.KeyID and Provider.TeamID'] : [];
  return [
    ...(keyId === '' ? ['Provider.KeyID is required with PrivateKey'] : []),
    ...(teamId === '' ? ['Provider.TeamID is required with PrivateKey'] : []),
    ...(tokenAuthMethod === 'client_secret_post'
      ? []
      : ['Provider.TokenAuthMethod must be client_secret_post with PrivateKey']),
  ];
}

function clientProblems(
  { issuer, clientId, tokenAuthMethod }: Settable,
  hasSecret: boolean,
  egress: EgressRules,
): string[] {
  const problems = addressProblems('Provider.Issuer', issuer, egress);
  if (/[?#]/.test(issuer)) problems.push('Provider.Issuer must have no query and no fragment');
  if (/\/\.well-known\/(openid-configuration|oauth-authorization-server)\/?$/.test(issuer))
    problems.push('Provider.Issuer must be the issuer itself, without /.well-known/…');
  if (clientId === '') problems.push('Provider.ClientID is required');
  if (tokenAuthMethod.startsWith('client_secret') && !hasSecret)
    problems.push(`Secret is required with ${tokenAuthMethod}`);
  return problems;
}

function oauthProblems(
  { authorizationUrl, tokenUrl, userinfoUrl, emailsUrl }: Settable,
  egress: EgressRules,
): string[] {
  return [
    ...addressProblems('Provider.AuthorizationURL', authorizationUrl, egress),
    ...addressProblems('Provider.TokenURL', tokenUrl, egress),
    ...addressProblems('Provider.UserinfoURL', userinfoUrl, egress),
    ...(emailsUrl === '' ? [] : addressProblems('Provider.EmailsURL', emailsUrl, egress)),
  ];
}

function samlProblems(
  { idpEntityId, idpSsoUrl, idpCertificates }: Settable,
  egress: EgressRules,
): string[] {
  const problems = addressProblems('Provider.IdpSsoURL', idpSsoUrl, egress);
  if (idpEntityId === '') problems.push('Provider.IdpEntityID is required');
  if (idpCertificates.length === 0) problems.push('Provider.IdpCertificates is required');
  return problems;
}

function addressProblems(field: string, url: string, egress: EgressRules): string[] {
  if (url === '') return [`${field} is required`];
  const problem = urlProblem(url, egress);
  return problem ? [`${field} ${problem}`] : [];
}
