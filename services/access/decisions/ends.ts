import { includes } from '@bailiwick/contract';
import { type Level, ownerRole, platformOwnerRole } from '../permissions/builtin.ts';
import type { Rights } from './values.ts';

/**
 * When the right to a permission ends that the principal may grant, in ms since 1970; Infinity =
 * never, as for the platform key.
 */
export function endOf(rights: Rights, permission: string, level: Level): number {
  const { sources, cap } = rights;
  const giving = sources.filter(
    ({ role, level: of, permissions: patterns }) =>
      (level === 'tenant' || of === 'platform') &&
      (includes(patterns, permission) ||
        (role === (of === 'tenant' ? ownerRole : platformOwnerRole) && level === 'tenant')),
  );
  const own = giving.length === 0 ? Infinity : Math.max(...giving.map(({ endsAt }) => endsAt));
  const others = cap?.principals.map((principal) => endOf(principal.rights, permission, level));
  return Math.min(own, ...(others ?? []));
}
