import type { TextKey } from '../parts/text-keys.ts';

// The identity providers that the console has instructions for. Paths and labels are those of the
// provider's own console, in English.

export type Protocol = 'oidc' | 'saml';

export type Setup = {
  /** The console that the path is in, if it is not named like the service. */
  console?: string;
  /** Where to create the application. */
  path?: string;
  /** Further steps, or all of them without a path. */
  notes?: readonly TextKey[];
  /** The provider's names of the fields for the addresses of this installation. */
  redirect?: string;
  acs?: string;
  entity?: string;
  /** The provider's names of the values that are entered here. */
  copies?: string;
  /** The issuer, or an example of it. */
  issuer?: string;
  attributes?: Readonly<Record<string, string>>;
};

type Provider = { name: string; host: RegExp } & Partial<Record<Protocol, Setup>>;

const services = {
  okta: {
    name: 'Okta',
    host: /(^|\.)(okta|oktapreview|okta-emea)\.com$/,
    oidc: {
      path: 'Applications → Create App Integration → OIDC → Web Application',
      redirect: 'Sign-in redirect URIs',
      copies: 'Client ID, Client secret',
      issuer: 'https://acme.okta.com',
    },
    saml: {
      path: 'Applications → Create App Integration → SAML 2.0',
      notes: ['signon.setupEmail'],
      acs: 'Single sign-on URL',
      entity: 'Audience URI (SP Entity ID)',
      copies: 'Sign On → Metadata URL',
    },
  },
  entra: {
    name: 'Microsoft Entra ID',
    host: /(^|\.)(microsoftonline\.com|windows\.net)$/,
    oidc: {
      path: 'App registrations → New registration → Accounts in this organizational directory only',
      notes: ['signon.entraOidcClaims'],
      redirect: 'Redirect URI → Web',
      copies:
        'Directory (tenant) ID, Application (client) ID, Certificates & secrets → New client secret → Value',
      issuer: 'https://login.microsoftonline.com/<tenant ID>/v2.0',
      // Entra does not send email_verified.
      attributes: { EmailVerified: 'xms_edov' },
    },
    saml: {
      path: 'Enterprise applications → New application → Create your own application → Single sign-on → SAML',
      acs: 'Reply URL (Assertion Consumer Service URL)',
      entity: 'Identifier (Entity ID)',
      copies: 'App Federation Metadata Url',
    },
  },
  google: {
    name: 'Google Workspace',
    host: /(^|\.)google\.com$/,
    oidc: {
      console: 'Google Cloud',
      path: 'APIs & Services → OAuth consent screen → Internal, Credentials → Create credentials → OAuth client ID → Web application',
      redirect: 'Authorized redirect URIs',
      copies: 'Client ID, Client secret',
      issuer: 'https://accounts.google.com',
    },
    saml: {
      path: 'Apps → Web and mobile apps → Add app → Add custom SAML app',
      notes: ['signon.setupEmail'],
      acs: 'ACS URL',
      entity: 'Entity ID',
      copies: 'Download metadata',
    },
  },
  auth0: {
    name: 'Auth0',
    host: /(^|\.)auth0\.com$/,
    oidc: {
      path: 'Applications → Create Application → Regular Web Applications → Settings',
      redirect: 'Allowed Callback URLs',
      copies: 'Client ID, Client Secret',
      issuer: 'https://acme.eu.auth0.com/',
    },
  },
  keycloak: {
    name: 'Keycloak',
    host: /^keycloak\./,
    oidc: {
      path: 'Clients → Create client → OpenID Connect → Client authentication: On',
      redirect: 'Valid redirect URIs',
      copies: 'Client ID, Credentials → Client Secret',
      issuer: 'https://keycloak.example.com/realms/acme',
    },
    saml: {
      path: 'Clients → Create client → SAML',
      notes: ['signon.setupEmail'],
      acs: 'Master SAML Processing URL',
      entity: 'Client ID',
      copies: 'Realm settings → Endpoints → SAML 2.0 Identity Provider Metadata',
    },
  },
  adfs: {
    name: 'Microsoft AD FS',
    host: /^(adfs|sts)\./,
    saml: {
      path: 'Relying Party Trusts → Add Relying Party Trust → Claims aware → Enter data about the relying party manually',
      notes: ['signon.setupEmail'],
      acs: 'Relying party SAML 2.0 SSO service URL',
      entity: 'Relying party trust identifier',
      copies: 'FederationMetadata/2007-06/FederationMetadata.xml',
    },
  },
  onelogin: {
    name: 'OneLogin',
    host: /(^|\.)onelogin\.com$/,
    saml: {
      path: 'Applications → Add App → SAML Custom Connector (Advanced) → Configuration',
      notes: ['signon.setupEmail'],
      acs: 'ACS (Consumer) URL',
      entity: 'Audience (EntityID)',
      copies: 'SSO → Issuer URL',
    },
  },
  jumpcloud: {
    name: 'JumpCloud',
    host: /(^|\.)jumpcloud\.com$/,
    saml: {
      path: 'SSO Applications → Add New Application → Custom Application → Configure SSO with SAML',
      notes: ['signon.setupEmail'],
      acs: 'ACS URLs',
      entity: 'SP Entity ID',
      copies: 'SSO → Copy Metadata URL',
    },
  },
  ping: {
    name: 'PingOne',
    host: /(^|\.)pingone\.(com|eu|asia|ca|com\.au)$/,
    saml: {
      path: 'Applications → Add Application → SAML Application → Manually Enter',
      notes: ['signon.setupEmail'],
      acs: 'ACS URLs',
      entity: 'Entity ID',
      copies: 'Overview → IDP Metadata URL',
    },
  },
  cloudflare: {
    name: 'Cloudflare Access',
    host: /(^|\.)cloudflareaccess\.com$/,
    saml: {
      path: 'Access → Applications → Add an application → SaaS → SAML',
      notes: ['signon.setupEmail'],
      acs: 'Assertion Consumer Service URL',
      entity: 'Entity ID',
      copies: 'SAML Metadata endpoint',
    },
  },
  other: {
    name: '',
    host: /^$/,
    oidc: {
      notes: ['signon.otherOidc'],
      redirect: 'redirect_uri',
      copies: 'client_id, client_secret',
      issuer: 'https://id.example.com',
    },
    saml: {
      notes: ['signon.otherSaml'],
      acs: 'AssertionConsumerService',
      entity: 'EntityID',
      copies: 'Metadata',
    },
  },
} as const satisfies Record<string, Provider>;

export type Service = keyof typeof services;
export const serviceNames = Object.keys(services) as Service[];

/** The name of a service; "" = another one. */
export const nameOf = (service: Service): string => services[service].name;

const providerOf = (service: Service): Provider => services[service];

/** The protocols that the console has instructions for, the recommended one first. */
export const protocolsOf = (service: Service): Protocol[] =>
  (['oidc', 'saml'] as const).filter((protocol) => providerOf(service)[protocol] !== undefined);

/** The instructions; those for another provider where a service has none for the protocol. */
export const setupOf = (service: Service, protocol: Protocol): Setup =>
  providerOf(service)[protocol] ?? services.other[protocol];

/** The choices in the address of the set-up. `id`: the reserved ID of the provider. */
export type SetupSearch = { service?: Service; protocol?: Protocol; id?: string };

export function readSetup({ service, protocol, id }: Record<string, unknown>): SetupSearch {
  const match = serviceNames.find((one) => one === service);
  return {
    ...(match && { service: match }),
    ...((protocol === 'saml' || protocol === 'oidc') && { protocol }),
    ...(isProviderID(id) && { id }),
  };
}

/** Whether a value from an address has the form of a provider's ID. */
export const isProviderID = (value: unknown): value is string =>
  typeof value === 'string' && /^sso_[0-9a-z]{26}$/.test(value);

/** Whose provider it is, by the host of its address. */
export function serviceOf(provider: { Issuer: string; IdpSsoURL: string }): Service {
  const host = URL.parse(provider.Issuer || provider.IdpSsoURL)?.hostname ?? '';
  return serviceNames.find((service) => services[service].host.test(host)) ?? 'other';
}
