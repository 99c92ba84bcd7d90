import type { AppRow } from '../apps/entities.ts';

// The client of the command-line tool. It is no row of the table, so that no operation can change
// or delete it.

export const commandLineId = 'bailiwick-cli';

/** The app of the command line. Its tokens are for Bailiwick's own operations, at the public URL. */
export const commandLineOf = (publicUrl: string): AppRow => ({
  tenant: '',
  id: commandLineId,
  name: 'Bailiwick command line',
  kind: 'native',
  active: true,
  // With any port.
  redirectUris: ['http://127.0.0.1/callback'],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: '',
  scopes: ['openid', 'email', 'offline_access', 'account', '*', 'iam.platform.*'],
  resources: [publicUrl],
  tokenLifetimeSeconds: 300,
  requireConsent: false,
  requirePar: false,
  dpop: false,
  tokenEndpointAuthMethod: 'none',
  jwks: '',
  createdBy: '',
  createdAt: new Date(0),
  updatedAt: new Date(0),
});
