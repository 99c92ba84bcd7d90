import type { AuthorizationServer } from 'oauth4webapi';
import type { PublicKey } from './keys.ts';

/** The metadata of a provider. */
export type Metadata = {
  server: AuthorizationServer;
  /** The template of the issuers, if the provider's issuer stands for all directories. */
  template?: string;
};

/** The published metadata and keys that a sign-in needs. */
export type Published = Metadata & { keys: readonly PublicKey[] };
