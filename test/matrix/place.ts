import type * as roles from './roles.ts';

// The callers of the matrix, and the tenants that they name.

export type Principal = {
  name: string;
  kind: 'anonymous' | 'user' | 'bot' | 'platform' | 'worker' | 'portal';
  token: string | undefined;
  id: string;
  email: string;
  /** The caller's only tenant, which replaces an absent one. */
  home?: 'own' | 'foreign';
  /** The place whose tenant has added the user, who has not accepted yet. */
  pendingIn?: 'own';
  /** The session is limited to its home tenant. */
  limited?: true;
  inTenant: Partial<Record<PlaceName, roles.Holds>>;
  onPlatform: roles.Holds;
};

export type Place = {
  name: PlaceName;
  /** The tenant in the request. */
  tenant: string;
  /** The tenant that holds the records, and the token of its owner, who creates more of them. */
  home: string;
  ownerToken: string;
  /** A record of every kind by its ID prefix; `usr` is a member of the tenant. */
  ids: Record<string, string>;
  email: string;
  invitee: string;
  invitation: string;
  /** The version of the provider. */
  providerUpdatedAt: string;
  path: string;
  role: string;
};

/** The tenant that a request names. `absent` names no tenant. */
export const placeNames = [
  'own',
  'foreign',
  'missing',
  'suspended',
  'malformed',
  'absent',
] as const;
export type PlaceName = (typeof placeNames)[number];
