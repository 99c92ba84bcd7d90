import type { Settable } from './api-record.ts';

// The fields of well-known providers, so that an operator enters only a client ID and a secret.

type Preset = { kind: 'oidc' | 'oauth'; values: Partial<Settable> };

/**
 * Whether a provider takes users of all Microsoft directories. The administrator of each can give
 * its users any address, also those of other people.
 */
export const isForAnyDirectory = ({
  preset,
  issuer,
}: Pick<Settable, 'preset' | 'issuer'>): boolean =>
  preset === 'microsoft' && /\/(common|organizations)\/v2\.0$/.test(issuer);

export const presets: Readonly<Record<string, Preset>> = {
  google: { kind: 'oidc', values: { issuer: 'https://accounts.google.com' } },
  // The issuer of personal accounts. It sends no email_verified; xms_edov is an optional claim that
  // has to be configured there. Another issuer is for a directory, or for all (common).
  microsoft: {
    kind: 'oidc',
    values: {
      issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0',
      attributeMap: { EmailVerified: 'xms_edov' },
    },
  },
  // It posts its answers if a name or an address is asked for, and may send email_verified as text,
  // which only a mapped claim may be.
  apple: {
    kind: 'oidc',
    values: {
      issuer: 'https://appleid.apple.com',
      scopes: ['email', 'name'],
      responseMode: 'form_post',
      tokenAuthMethod: 'client_secret_post',
      attributeMap: { EmailVerified: 'email_verified' },
    },
  },
  github: {
    kind: 'oauth',
    values: {
      issuer: 'https://github.com/login/oauth',
      authorizationUrl: 'https://github.com/login/oauth/authorize',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      userinfoUrl: 'https://api.github.com/user',
      emailsUrl: 'https://api.github.com/user/emails',
      scopes: ['read:user', 'user:email'],
      tokenAuthMethod: 'client_secret_post',
      attributeMap: { Subject: 'id' },
    },
  },
};
