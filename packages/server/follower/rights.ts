import { UnavailableError } from '../errors.ts';
import { type Entry, isCurrent } from './entries.ts';
import type { Clock } from './lease.ts';
import type { Matcher } from './patterns.ts';
import { isGranted, type State } from './state.ts';

/** The permissions of a token or subject, as they are now. */
export type Rights = {
  /**
   * Whether the permission is held on the resource, or without one in the whole tenant. In the
   * state `plain` the answer is at most a second old, and may be allowed after a revoking reply.
   * @throws UnavailableError if it is no longer known, until `refresh`; with `onUnavailable: 'deny'`
   * the answer is then false
   */
  can(permission: string, resource?: string): boolean;
  /** Whether `can` knows the answer. */
  isCurrent(): boolean;
  /**
   * Asks again, if the rights are no longer known.
   * @throws InvalidTokenError if the token has ended; UnavailableError if there is no answer
   */
  refresh(): Promise<void>;
};

export type RightsDeps = {
  clock: Clock;
  entry: Entry;
  load: () => Promise<Entry>;
  limits: TokenLimits | undefined;
  onUnavailable: 'deny' | 'throw';
};

/** The limits of a token. Undefined in questions about a subject without one. */
export type TokenLimits = { scope: Matcher; isOfService: boolean };

/** The rights of an entry. They are read from it at each question, so they end with it. */
export function createRights({ clock, entry, load, limits, onUnavailable }: RightsDeps): Rights {
  let current = entry;
  return {
    can(permission, resource = '') {
      if (isCurrent(current, clock)) return isAllowed(current.state, limits, permission, resource);
      if (onUnavailable === 'deny') return false;
      throw new UnavailableError('the rights are no longer known: await refresh()');
    },
    isCurrent: () => isCurrent(current, clock),
    async refresh() {
      if (!isCurrent(current, clock)) current = await load();
    },
  };
}

function isAllowed(
  { scopes, grants }: State,
  limits: TokenLimits | undefined,
  permission: string,
  resource: string,
): boolean {
  if (scopes && !scopes(permission)) return false;
  if (limits && !limits.scope(permission)) return false;
  // A service has no grants: its scope decides.
  return grants ? isGranted(grants, permission, resource) : (limits?.isOfService ?? false);
}
