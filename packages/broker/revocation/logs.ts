import type { Host, RightsKey } from '@bailiwick/contract';

// Each service that revokes keys writes them to a log in its database. A cached value may be used
// while the holder follows the logs of all services that can revoke one of its keys.

/** A renewal of the holder's lease in a service's log. `after`: the last snapshot; "" = none. */
export type Renewal = { holder: string; after: string };

/** See IdentityRevocationsFollowResponse of the proto file. */
export type RenewalAnswer = {
  keys: readonly string[];
  snapshot: string;
  reset: boolean;
  deaf: boolean;
  complete: boolean;
};

export type FollowLog = (renewal: Renewal) => Promise<RenewalAnswer>;

/** The logs that a holder can follow: those of the services that it can call, and its own. */
export type RevocationLogs = Readonly<Partial<Record<Host, FollowLog>>>;

/** The ids of notifications' records that are credentials: links to the portal, and endpoints. */
const ofNotifications = /^credential:(wpt|whk)_/;

const identityAlone: readonly Host[] = ['identity'];
const notificationsAlone: readonly Host[] = ['notifications'];
const ssoAlone: readonly Host[] = ['sso'];
const identityAndAccess: readonly Host[] = ['identity', 'access'];

/**
 * The services that can revoke a key. Only they matter for a value under it: while another service is
 * away, the value stays cached.
 */
export function revokersOf(key: RightsKey): readonly Host[] {
  if (/^(?:app|use):/.test(key) || key === 'issuer:keys') return ssoAlone;
  if (key.startsWith('account:')) return identityAlone;
  if (!key.startsWith('credential:')) return identityAndAccess;
  return ofNotifications.test(key) ? notificationsAlone : identityAlone;
}

/** The services that can revoke one of the keys. */
export const revokersOfAll = (keys: readonly RightsKey[]): readonly Host[] => [
  ...new Set(keys.flatMap(revokersOf)),
];
