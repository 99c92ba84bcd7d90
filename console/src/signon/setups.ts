import type { TextKey } from '../parts/text-keys.ts';

// The identity providers that the console has instructions for.

export const services = ['okta', 'entra', 'google', 'other'] as const;
export type Service = (typeof services)[number];
export type Protocol = 'oidc' | 'saml';

export const serviceNames: Readonly<Record<Exclude<Service, 'other'>, string>> = {
  okta: 'Okta',
  entra: 'Microsoft Entra ID',
  google: 'Google Workspace',
};

export type Setup = {
  /** The steps in the provider's own console, before its values are entered here. */
  steps: readonly TextKey[];
  /** The provider's own names of the fields for the addresses of this installation. */
  redirect?: string;
  acs?: string;
  entity?: string;
  /** The issuer, or an example of it. */
  issuer?: string;
  attributes?: Readonly<Record<string, string>>;
};

const setups: Readonly<Record<Service, Record<Protocol, Setup>>> = {
  okta: {
    oidc: {
      steps: ['signon.oktaOidc', 'signon.oktaOidcCopy'],
      redirect: 'Sign-in redirect URIs',
      issuer: 'https://acme.okta.com',
    },
    saml: {
      steps: ['signon.oktaSaml', 'signon.oktaSamlCopy'],
      acs: 'Single sign-on URL',
      entity: 'Audience URI (SP Entity ID)',
    },
  },
  entra: {
    oidc: {
      steps: ['signon.entraOidc', 'signon.entraOidcClaims', 'signon.entraOidcCopy'],
      redirect: 'Authentication → Web → Redirect URIs',
      issuer: 'https://login.microsoftonline.com/<tenant ID>/v2.0',
      // Entra does not send email_verified.
      attributes: { EmailVerified: 'xms_edov' },
    },
    saml: {
      steps: ['signon.entraSaml', 'signon.entraSamlCopy'],
      acs: 'Reply URL (Assertion Consumer Service URL)',
      entity: 'Identifier (Entity ID)',
    },
  },
  google: {
    oidc: {
      steps: ['signon.googleOidc', 'signon.googleOidcCopy'],
      redirect: 'Authorized redirect URIs',
      issuer: 'https://accounts.google.com',
    },
    saml: {
      steps: ['signon.googleSaml', 'signon.googleSamlCopy'],
      acs: 'ACS URL',
      entity: 'Entity ID',
    },
  },
  other: {
    oidc: {
      steps: ['signon.otherOidc'],
      redirect: 'redirect_uri',
      issuer: 'https://id.example.com',
    },
    saml: { steps: ['signon.otherSaml'], acs: 'AssertionConsumerService', entity: 'EntityID' },
  },
};

export const setupOf = (service: Service, protocol: Protocol): Setup => setups[service][protocol];

/** The choice in the address of the set-up. */
export type SetupSearch = { service?: Service; protocol?: Protocol };

export function readSetup({ service, protocol }: Record<string, unknown>): SetupSearch {
  const match = services.find((one) => one === service);
  return {
    ...(match && { service: match }),
    ...((protocol === 'saml' || protocol === 'oidc') && { protocol }),
  };
}

const hosts: ReadonlyArray<readonly [Service, RegExp]> = [
  ['okta', /(^|\.)(okta|oktapreview|okta-emea)\.com$/],
  ['entra', /(^|\.)(microsoftonline\.com|windows\.net)$/],
  ['google', /(^|\.)google\.com$/],
];

/** Whose provider it is, by the host of its address. */
export function serviceOf(provider: { Issuer: string; IdpSsoURL: string }): Service {
  const host = URL.parse(provider.Issuer || provider.IdpSsoURL)?.hostname ?? '';
  return hosts.find(([, pattern]) => pattern.test(host))?.[0] ?? 'other';
}
