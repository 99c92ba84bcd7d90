import { common, includes, isPlatformOnly } from '@bailiwick/contract';
import { narrow } from '../permissions/narrow.ts';
import type { Cap, Rights } from './values.ts';

// The limit of a session whose provider is not confirmed (packages/contract/voucher.ts).

/** The patterns that a principal may grant. */
export const grantedBy = ({ grantable, narrowedTo }: Rights): string[] =>
  narrow(grantable, narrowedTo).filter((pattern) => !isPlatformOnly(pattern));

/** The rights of a session under a cap. Such a session has none on the platform. */
export function withinCap(rights: Rights, cap: Cap | undefined): Rights {
  if (!cap) return rights;
  const { inTenant, sources, grantable } = rights;
  const { patterns } = cap;
  const within = (permissions: readonly string[]) => common(permissions, patterns);
  const capped = sources.map((source) => ({ ...source, permissions: within(source.permissions) }));
  return {
    ...rights,
    inTenant: within(inTenant),
    onPlatform: [],
    sources: capped,
    grantable: within(grantable),
    // A role with iam.* makes no owners.
    owns: rights.owns && cap.principals.every((principal) => principal.rights.owns),
    roles: sources
      .filter(({ level, permissions }) => level === 'tenant' && isWithin(permissions, patterns))
      .map(({ role }) => role),
    cap,
    unchangedMs: Math.min(
      rights.unchangedMs,
      ...cap.principals.map((principal) => principal.rights.unchangedMs),
    ),
  };
}

const isWithin = (permissions: readonly string[], patterns: readonly string[]): boolean =>
  permissions.every((permission) => includes(patterns, permission));
