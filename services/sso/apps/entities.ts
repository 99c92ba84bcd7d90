import type { LogoFacts } from '@bailiwick/contract';
import { defineEntity, p } from '@mikro-orm/core';

/** A client of the OpenID provider, of a tenant or of the platform (""). Its id is the client ID. */
export const AppEntity = defineEntity({
  name: 'App',
  tableName: 'app',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    name: p.text(),
    kind: p.text().$type<AppKind>(),
    active: p.boolean(),
    redirectUris: p.array().columnType('text[]'),
    postLogoutRedirectUris: p.array().columnType('text[]'),
    backchannelLogoutUri: p.text(),
    scopes: p.array().columnType('text[]'),
    resources: p.array().columnType('text[]'),
    tokenLifetimeSeconds: p.integer(),
    /** How long the answer to a refresh may be repeated; null = the default. */
    refreshReuseSeconds: p.smallint().nullable(),
    requireConsent: p.boolean(),
    requirePar: p.boolean(),
    dpop: p.boolean(),
    tokenEndpointAuthMethod: p.text().$type<AuthMethod>(),
    /** Public keys as a JSON Web Key Set; "" = none. */
    jwks: p.text(),
    /** SHA-256 of the secret. The secret itself is not stored. */
    secretHash: p.blob().nullable(),
    secretCreatedAt: p.datetime(3).nullable(),
    /** The replaced secret, which is accepted until its time. */
    previousSecretHash: p.blob().nullable(),
    previousSecretUntil: p.datetime(3).nullable(),
    logo: p.json<LogoFacts | null>().nullable(),
    createdBy: p.text(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    /** The last lock; null = never locked. Access tokens from before are not accepted. */
    lockedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'app_id', properties: ['id'] }],
  indexes: [
    { name: 'app_created_by', properties: ['createdBy'] },
    {
      name: 'app_previous_secret_until',
      properties: ['previousSecretUntil'],
      where: 'previous_secret_until is not null',
    },
  ],
});

/** The bytes of an app's logo. They have a table of their own, so that no list of apps reads images. */
export const AppLogoEntity = defineEntity({
  name: 'AppLogo',
  tableName: 'app_logo',
  properties: {
    tenant: p.string().primary().columnType('text'),
    app: p.string().primary().columnType('text'),
    /** The media type. */
    type: p.text(),
    content: p.blob(),
  },
});

export type AppKind = 'web' | 'spa' | 'native' | 'device' | 'service';
export type AuthMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/** The columns of an app. The driver returns times of prepared statements as text. */
export type AppRow = {
  tenant: string;
  id: string;
  name: string;
  kind: AppKind;
  active: boolean;
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  backchannelLogoutUri: string;
  scopes: string[];
  resources: string[];
  tokenLifetimeSeconds: number;
  refreshReuseSeconds?: number | null | undefined;
  requireConsent: boolean;
  requirePar: boolean;
  dpop: boolean;
  tokenEndpointAuthMethod: AuthMethod;
  jwks: string;
  secretHash?: Uint8Array | null | undefined;
  secretCreatedAt?: Date | string | null | undefined;
  previousSecretHash?: Uint8Array | null | undefined;
  previousSecretUntil?: Date | string | null | undefined;
  logo?: LogoFacts | null | undefined;
  createdBy: string;
  createdAt: Date | string;
  updatedAt: Date | string;
  lockedAt?: Date | string | null | undefined;
};
