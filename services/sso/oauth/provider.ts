import type { ClientProvider } from '../oidc/provider.ts';

/** The configuration of an OAuth 2.0 provider, with its secret opened. */
export type OauthProvider = ClientProvider & {
  authorizationUrl: string;
  tokenUrl: string;
  userinfoUrl: string;
  /** Returns the user's addresses; '' = the user-info response has the address. */
  emailsUrl: string;
  /** The field of the user-info response that identifies the user. */
  subjectField: string;
};
