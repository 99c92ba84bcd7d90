import type { SessionRefusal } from '@bailiwick/contract';
import type { Level } from '../permissions/builtin.ts';

// The rights of a principal, and what limits them.

/** The patterns that all principals of a voucher may grant in a tenant. */
export type Cap = {
  patterns: readonly string[];
  /** `botTenant`: a bot's own tenant, '' = a user. */
  principals: ReadonlyArray<{ id: string; botTenant: string; rights: Rights }>;
};

/** The permissions of one grant. */
export type Source = {
  grant: string;
  role: string;
  level: Level;
  permissions: readonly string[];
  /** When the last of the role's grants ends, in ms since 1970; Infinity = never. */
  endsAt: number;
};

/** 0 and false = no demand beyond those on every session. */
export type SessionDemands = { idleMinutes: number; maxMinutes: number; recentLogin: boolean };

export type Rights = {
  /** The tenant in question; "" if none was named and the user has not exactly one. */
  tenant: string;
  /**
   * Permissions in the tenant, granted there or on the platform. Platform-only permissions are not
   * effective in a tenant.
   */
  inTenant: readonly string[];
  onPlatform: readonly string[];
  /** The roles in the tenant that give them, by slug. */
  roles: readonly string[];
  /** The grants that give these permissions; empty for the platform key. */
  sources: readonly Source[];
  /** The patterns that the principal may grant to others in the tenant. */
  grantable: readonly string[];
  /** Whether the principal is an owner of the tenant, or the platform's. Only owners make owners. */
  owns: boolean;
  narrowedTo: readonly string[];
  /**
   * Why the tenant does not accept the session of its active member, or that the principal is no
   * active member. A voucher is no reason: the rights within its limit stay.
   */
  refusal: SessionRefusal;
  /** The tenant's demands on sessions. They apply to active members only. */
  demands: SessionDemands;
  /**
   * The tenant's name if it is suspended and the principal is an active member of it; "" otherwise.
   */
  suspendedName: string;
  /** The limit of a session whose provider is not confirmed; undefined = none. */
  cap: Cap | undefined;
  /** How long these rights stay the same without a change, in ms; Infinity = always. */
  unchangedMs: number;
};
