import { createPrivateKey } from 'node:crypto';
import { addressOf } from '../addresses.ts';
import type { Oauth } from '../oauth/oauth.ts';
import type { OauthProvider } from '../oauth/provider.ts';
import type { Oidc, OidcFlow, OidcProvider } from '../oidc/oidc.ts';
import type { ClientProvider } from '../oidc/provider.ts';
import { SignInRefused } from '../refusal.ts';
import type { AssertedIdentity, Finding } from '../results.ts';
import { checkSaml } from '../saml/certificates.ts';
import type { SamlProvider } from '../saml/provider.ts';
import type { Saml } from '../saml/saml.ts';
import { type ProviderValues } from './api-record.ts';
import type { Credentials } from './credentials.ts';
import { isForAnyDirectory } from './presets.ts';
import { countingCertificates } from './rollover/certificates.ts';

// The only place that distinguishes OIDC, OAuth and SAML during a sign-in.

/** The state of a sign-in between its start and its end. */
export type Flow = {
  /** Sent through the browser and the provider: `state`, or RelayState. */
  state: string;
  /** The nonce of an OIDC request, the id of a SAML one. */
  request: string;
  /** The PKCE verifier; "" for SAML. */
  verifier: string;
};

/** Where to send the browser: to a URL, optionally with a form to post. */
export type BrowserTarget = { redirect: string; form?: Record<string, string> };
/** `assertion` must be accepted only once; only SAML answers have one. */
export type Answer = AssertedIdentity & { assertion?: { id: string; expiresAt: Date } };

export type Protocols = ReturnType<typeof createProtocols>;

type Deps = { oidc: Oidc; oauth: Oauth; saml: Saml; publicUrl: string };

export function createProtocols({ oidc, oauth, saml, publicUrl }: Deps) {
  return {
    /** `uiLocale`: the language for the provider's pages, which only OpenID Connect can ask for. */
    begin: (
      provider: ProviderValues,
      credentials: Credentials,
      { flow, uiLocale }: { flow: Flow; uiLocale: string },
    ): Promise<BrowserTarget> => {
      if (provider.kind === 'saml')
        return beginSaml(saml, samlProvider(provider, credentials, publicUrl), flow);
      return provider.kind === 'oauth'
        ? beginCode(oauth, oauthProvider(provider, credentials, publicUrl), { ...flow, uiLocale })
        : beginCode(oidc, oidcProvider(provider, credentials, publicUrl), { ...flow, uiLocale });
    },

    /** `flow` is undefined for an unsolicited answer of a SAML provider. */
    finish: (
      provider: ProviderValues,
      credentials: Credentials,
      callback: Callback,
    ): Promise<Answer> => {
      if (provider.kind === 'saml')
        return finishSaml(saml, samlProvider(provider, credentials, publicUrl), callback);
      return provider.kind === 'oauth'
        ? finishCode(oauth, oauthProvider(provider, credentials, publicUrl), callback)
        : finishCode(oidc, oidcProvider(provider, credentials, publicUrl), callback);
    },

    /** Tests a provider without a sign-in. */
    async check(
      provider: ProviderValues,
      credentials: Credentials,
      signal: AbortSignal,
    ): Promise<Finding[]> {
      if (provider.kind === 'saml')
        return checkSaml(samlProvider(provider, credentials, publicUrl), new Date());
      return provider.kind === 'oauth'
        ? oauth.check(oauthProvider(provider, credentials, publicUrl), signal)
        : oidc.check(oidcProvider(provider, credentials, publicUrl), signal);
    },

    /** Evicts the cached metadata of a provider. */
    forget({ issuer }: Pick<ProviderValues, 'issuer'>): void {
      if (issuer !== '') oidc.forget(issuer);
    },
  };
}

export type Callback = {
  flow: Flow | undefined;
  parameters: Record<string, string>;
  signal: AbortSignal;
};

/** A client of the code flow: OIDC or OAuth. */
type CodeClient<Provider> = {
  begin(provider: Provider, flow: OidcFlow, uiLocale: string): Promise<string>;
  finish(
    provider: Provider,
    flow: OidcFlow,
    parameters: Record<string, string>,
    signal: AbortSignal,
  ): Promise<AssertedIdentity>;
};

async function beginCode<Provider>(
  client: CodeClient<Provider>,
  provider: Provider,
  { state, request: nonce, verifier: codeVerifier, uiLocale }: Flow & { uiLocale: string },
): Promise<BrowserTarget> {
  return { redirect: await client.begin(provider, { state, nonce, codeVerifier }, uiLocale) };
}

async function beginSaml(
  saml: Saml,
  provider: SamlProvider,
  { state: relayState, request: requestId }: Flow,
): Promise<BrowserTarget> {
  const request = await saml.begin(provider, { requestId, relayState });
  return 'form' in request ? { redirect: request.url, form: request.form } : request;
}

async function finishCode<Provider>(
  client: CodeClient<Provider>,
  provider: Provider,
  { flow, parameters, signal }: Callback,
): Promise<Answer> {
  if (!flow)
    throw new SignInRefused('FLOW_UNKNOWN', 'the sign-in has expired or was finished before');
  const { state, request: nonce, verifier: codeVerifier } = flow;
  return client.finish(provider, { state, nonce, codeVerifier }, parameters, signal);
}

async function finishSaml(
  saml: Saml,
  provider: SamlProvider,
  { flow, parameters }: Callback,
): Promise<Answer> {
  const finished = await saml.finish(provider, { requestId: flow?.request }, parameters);
  const { assertionId: id, expiresAt, ...identity } = finished;
  return { ...identity, assertion: { id, expiresAt } };
}

function clientOf(
  provider: ProviderValues,
  { clientSecret, signingKey, privateKey }: Credentials,
  publicUrl: string,
): ClientProvider {
  const { issuer, clientId, scopes, tokenAuthMethod, keyId, teamId } = provider;
  return {
    issuer,
    clientId,
    clientSecret,
    ...(privateKey === '' ? {} : { privateKey: createPrivateKey(privateKey) }),
    ...(signingKey === ''
      ? {}
      : { secretSigner: { key: createPrivateKey(signingKey), keyId, teamId } }),
    tokenAuthMethod: tokenAuthMethod as ClientProvider['tokenAuthMethod'],
    scopes,
    redirectUri: addressOf(publicUrl, provider, 'callback'),
  };
}

const oidcProvider = (
  provider: ProviderValues,
  credentials: Credentials,
  publicUrl: string,
): OidcProvider => ({
  ...clientOf(provider, credentials, publicUrl),
  responseMode: provider.responseMode as OidcProvider['responseMode'],
  anyDirectory: isForAnyDirectory(provider),
  claims: claimsOf(provider),
  optionalClaim: groupsClaimOf(provider),
  mapsVerified: provider.attributeMap['EmailVerified'] !== undefined,
});

function oauthProvider(
  provider: ProviderValues,
  credentials: Credentials,
  publicUrl: string,
): OauthProvider {
  const { authorizationUrl, tokenUrl, userinfoUrl, emailsUrl, attributeMap } = provider;
  return {
    ...clientOf(provider, credentials, publicUrl),
    authorizationUrl,
    tokenUrl,
    userinfoUrl,
    emailsUrl,
    subjectField: attributeMap['Subject'] ?? 'sub',
  };
}

/** The claims to read: the address, the mapped ones, and groups if there are mappings for them. */
function claimsOf({
  attributeMap,
  groupMappings,
}: Pick<ProviderValues, 'attributeMap' | 'groupMappings'>): string[] {
  const { Email = 'email', Groups: _, ...claimNames } = attributeMap;
  const groups = groupsClaimOf({ attributeMap, groupMappings });
  return [Email, ...Object.values(claimNames), ...(groups === undefined ? [] : [groups])];
}

const groupsClaimOf = ({
  attributeMap,
  groupMappings,
}: Pick<ProviderValues, 'attributeMap' | 'groupMappings'>): string | undefined =>
  groupMappings.length > 0 ? (attributeMap['Groups'] ?? 'groups') : undefined;

export function samlProvider(
  provider: ProviderValues,
  { privateKey }: Credentials,
  publicUrl: string,
): SamlProvider {
  const { idpEntityId, idpSsoUrl, requestBinding, spCertificate, wantEncrypted } = provider;
  return {
    idpEntityId,
    idpSsoUrl,
    idpCertificates: countingCertificates(provider, new Date()),
    requestBinding: requestBinding as SamlProvider['requestBinding'],
    spEntityId: addressOf(publicUrl, provider, 'metadata'),
    acsUrl: addressOf(publicUrl, provider, 'callback'),
    spPrivateKey: privateKey,
    spCertificate,
    wantEncrypted,
  };
}
