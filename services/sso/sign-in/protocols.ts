import { createPrivateKey } from 'node:crypto';
import type { Oidc, OidcProvider } from '../oidc/oidc.ts';
import type { Credentials } from '../providers/credentials.ts';
import type { Finding } from '../providers/finding.ts';
import { addressOf, type ProviderValues } from '../providers/record.ts';
import { checkSaml } from '../saml/certificates.ts';
import type { Saml, SamlProvider } from '../saml/saml.ts';
import type { Asserted } from './asserted.ts';
import type { Flow } from './flow.ts';
import { SignInRefused } from './refusal.ts';

// The one place that tells the two kinds of providers apart while somebody signs in.

/** Where the browser goes: to an address, or to it with a form. */
export type Begun = { redirect: string; form?: Record<string, string> };
/** `assertion` must not be taken twice; only a SAML answer has one. */
export type Answer = Asserted & { assertion?: { id: string; expiresAt: Date } };

export type Protocols = ReturnType<typeof createProtocols>;

type Deps = { oidc: Oidc; saml: Saml; publicUrl: string };

export function createProtocols({ oidc, saml, publicUrl }: Deps) {
  return {
    async begin(
      provider: ProviderValues,
      credentials: Credentials,
      { state, request, verifier }: Flow,
    ): Promise<Begun> {
      if (provider.kind === 'oidc') {
        return {
          redirect: await oidc.begin(oidcProvider(provider, credentials, publicUrl), {
            state,
            nonce: request,
            codeVerifier: verifier,
          }),
        };
      }
      const begun = await saml.begin(samlProvider(provider, credentials, publicUrl), {
        requestId: request,
        relayState: state,
      });
      return 'form' in begun ? { redirect: begun.url, form: begun.form } : begun;
    },

    /** `flow` is undefined where a SAML provider has sent an answer that nobody had asked for. */
    async finish(
      provider: ProviderValues,
      credentials: Credentials,
      { flow, parameters, signal }: Arrival,
    ): Promise<Answer> {
      if (provider.kind === 'oidc') {
        if (!flow)
          throw new SignInRefused('FLOW_UNKNOWN', 'the sign-in has expired or was finished before');
        const { state, request: nonce, verifier: codeVerifier } = flow;
        return oidc.finish(
          oidcProvider(provider, credentials, publicUrl),
          { state, nonce, codeVerifier },
          parameters,
          signal,
        );
      }
      const {
        assertionId: id,
        expiresAt,
        ...asserted
      } = await saml.finish(
        samlProvider(provider, credentials, publicUrl),
        { requestId: flow?.request },
        parameters,
      );
      return { ...asserted, assertion: { id, expiresAt } };
    },

    /** Looks at a provider without signing anybody in. */
    async check(
      provider: ProviderValues,
      credentials: Credentials,
      signal: AbortSignal,
    ): Promise<Finding[]> {
      return provider.kind === 'oidc'
        ? oidc.check(oidcProvider(provider, credentials, publicUrl), signal)
        : checkSaml(samlProvider(provider, credentials, publicUrl), new Date());
    },

    /** Has what a provider says of itself looked up anew. */
    forget({ issuer }: Pick<ProviderValues, 'issuer'>): void {
      if (issuer !== '') oidc.forget(issuer);
    },
  };
}

export type Arrival = {
  flow: Flow | undefined;
  parameters: Record<string, string>;
  signal: AbortSignal;
};

function oidcProvider(
  provider: ProviderValues,
  { clientSecret, privateKey }: Credentials,
  publicUrl: string,
): OidcProvider {
  const { issuer, clientId, scopes, tokenAuthMethod, responseMode } = provider;
  return {
    issuer,
    clientId,
    clientSecret,
    ...(privateKey === '' ? {} : { privateKey: createPrivateKey(privateKey) }),
    tokenAuthMethod: tokenAuthMethod as OidcProvider['tokenAuthMethod'],
    scopes,
    responseMode: responseMode as OidcProvider['responseMode'],
    redirectUri: addressOf(publicUrl, provider, 'callback'),
    claims: claimsOf(provider),
  };
}

/** The address, what the record says is elsewhere, and groups where they mean something. */
function claimsOf({ attributeMap, groupMappings }: ProviderValues): string[] {
  const { Email = 'email', Groups = 'groups', ...others } = attributeMap;
  return [Email, ...Object.values(others), ...(groupMappings.length > 0 ? [Groups] : [])];
}

export function samlProvider(
  provider: ProviderValues,
  { privateKey }: Credentials,
  publicUrl: string,
): SamlProvider {
  const { idpEntityId, idpSsoUrl, idpCertificates, requestBinding, spCertificate } = provider;
  return {
    idpEntityId,
    idpSsoUrl,
    idpCertificates,
    requestBinding: requestBinding as SamlProvider['requestBinding'],
    spEntityId: addressOf(publicUrl, provider, 'metadata'),
    acsUrl: addressOf(publicUrl, provider, 'callback'),
    spPrivateKey: privateKey,
    spCertificate,
  };
}
