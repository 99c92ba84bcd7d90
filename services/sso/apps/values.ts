import { readJwks } from '@bailiwick/contract';
import { type EgressRules, urlProblem } from '@bailiwick/egress';
import type { App } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import type { AppKind, AppRow, AuthMethod } from './entities.ts';
import { redirectProblem } from './redirects.ts';

// The fields of an app that a client may set, and the rules for them.

/** The columns that a client sets. */
export type Settable = Omit<
  AppRow,
  | 'tenant'
  | 'id'
  | 'kind'
  | 'secretHash'
  | 'secretCreatedAt'
  | 'previousSecretHash'
  | 'previousSecretUntil'
  | 'logo'
  | 'createdBy'
  | 'createdAt'
  | 'updatedAt'
>;

export const isKind = (text: string): text is AppKind =>
  ['web', 'spa', 'native', 'device', 'service'].includes(text);

/** Kinds that run on a server, which can keep a secret. */
const isConfidential = (kind: AppKind): boolean => kind === 'web' || kind === 'service';
/** Kinds whose users sign in in a browser that returns to the app. */
const hasRedirects = (kind: AppKind): boolean => kind !== 'device' && kind !== 'service';

const defaultsOf = (kind: AppKind): Settable => ({
  name: '',
  active: true,
  redirectUris: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: '',
  scopes: kind === 'service' ? [] : ['openid', 'profile', 'email'],
  resources: [],
  tokenLifetimeSeconds: 300,
  refreshReuseSeconds: null,
  requireConsent: false,
  requirePar: false,
  dpop: false,
  tokenEndpointAuthMethod: isConfidential(kind) ? 'client_secret_basic' : 'none',
  jwks: '',
});

/** The new columns: the sent values, else the stored ones, else the defaults. */
export function settableOf(kind: AppKind, input: App, stored?: Settable): Settable {
  const defaults = defaultsOf(kind);
  const start = stored ?? defaults;
  const method = input.tokenEndpointAuthMethod ?? start.tokenEndpointAuthMethod;
  const list = (items: readonly string[] | undefined, current: string[]) =>
    items ? [...new Set(items)] : current;
  return {
    name: input.name ?? start.name,
    active: input.active ?? start.active,
    redirectUris: list(input.redirectUris?.items, start.redirectUris),
    postLogoutRedirectUris: list(input.postLogoutRedirectUris?.items, start.postLogoutRedirectUris),
    backchannelLogoutUri: input.backchannelLogoutUri ?? start.backchannelLogoutUri,
    scopes: list(input.scopes?.items, start.scopes),
    resources: list(input.resources?.items, start.resources),
    tokenLifetimeSeconds: input.tokenLifetimeSeconds ?? start.tokenLifetimeSeconds,
    refreshReuseSeconds: input.refreshReuseSeconds ?? start.refreshReuseSeconds ?? null,
    requireConsent: input.requireConsent ?? start.requireConsent,
    requirePar: input.requirePar ?? start.requirePar,
    dpop: input.dpop ?? start.dpop,
    tokenEndpointAuthMethod: (method as AuthMethod | '') || defaults.tokenEndpointAuthMethod,
    jwks: input.jwks === undefined ? start.jwks : publicKeysIn(input.jwks),
  };
}

/** The keys as they are stored. A text that cannot be read stays: it is a problem below. */
function publicKeysIn(text: string): string {
  const read = readJwks(text);
  return 'jwks' in read ? read.jwks : text;
}

/**
 * How long the answer to a refresh may be repeated, in seconds. A refresh token that no secret and no
 * key protects gets less time.
 */
export const reuseSecondsOf = (
  app: Pick<AppRow, 'refreshReuseSeconds' | 'tokenEndpointAuthMethod' | 'dpop'>,
): number =>
  app.refreshReuseSeconds ?? (app.tokenEndpointAuthMethod === 'none' && !app.dpop ? 10 : 30);

export type AppRules = { tenant: string; kind: AppKind; egress: EgressRules };

/** The problems of new columns, each with the name of its field. */
export function problemsOf(
  values: Settable,
  { tenant, kind, egress }: AppRules,
  stored?: Settable,
): string[] {
  return [
    ...redirectProblems(values, kind),
    // A stored URL stays even if the egress rules have changed, or the app could not be disabled.
    ...(values.backchannelLogoutUri === stored?.backchannelLogoutUri
      ? []
      : backchannelProblems(values.backchannelLogoutUri, egress)),
    ...(tenant === '' ? [] : tenantProblems(values)),
    ...authenticationProblems(values, kind),
  ];
}

function redirectProblems(
  { redirectUris, postLogoutRedirectUris }: Settable,
  kind: AppKind,
): string[] {
  const each = (field: string, uris: readonly string[]) =>
    uris.flatMap((uri, index) => {
      const problem = redirectProblem(uri, kind);
      return problem ? [`App.${field}[${index}] ${problem}`] : [];
    });
  if (!hasRedirects(kind) && redirectUris.length > 0)
    return [`App.RedirectURIs must be empty with Kind ${kind}`];
  return [
    ...(hasRedirects(kind) && redirectUris.length === 0
      ? [`App.RedirectURIs is required with Kind ${kind}`]
      : []),
    ...each('RedirectURIs', redirectUris),
    ...each('PostLogoutRedirectURIs', postLogoutRedirectUris),
  ];
}

function backchannelProblems(uri: string, egress: EgressRules): string[] {
  if (uri === '') return [];
  const problem = uri.includes('#') ? 'must have no fragment' : urlProblem(uri, egress);
  return problem ? [`App.BackchannelLogoutURI ${problem}`] : [];
}

/** Permissions on the platform have no effect in a tenant, whose members alone may use the app. */
const tenantProblems = ({ scopes }: Settable): string[] =>
  scopes.some((scope) => scope.startsWith('iam.platform.'))
    ? ['App.Scopes must not contain iam.platform permissions if App.Tenant is not empty']
    : [];

function authenticationProblems(
  { tokenEndpointAuthMethod: method, jwks }: Settable,
  kind: AppKind,
): string[] {
  const field = 'App.TokenEndpointAuthMethod';
  const problems: string[] = [];
  if (isConfidential(kind) && method === 'none')
    problems.push(`${field} must not be none with Kind ${kind}`);
  if (!isConfidential(kind) && method !== 'none')
    problems.push(`${field} must be none with Kind ${kind}: the app cannot keep a secret`);
  if (jwks === '' && method === 'private_key_jwt')
    problems.push('App.Jwks is required with private_key_jwt');
  const read = jwks === '' ? undefined : readJwks(jwks);
  if (read && 'problem' in read) problems.push(`App.Jwks ${read.problem}`);
  return problems;
}
