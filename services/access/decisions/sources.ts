import { denied } from '@bailiwick/errors';
import { record } from '@bailiwick/outbox';
import type { Run, Transaction } from '@bailiwick/store';
import { ownerRole } from '../permissions/builtin.ts';
import { findLacking, type Giver } from './delegation.ts';

// A source of rights, such as a directory, hands out what its maker may grant at that time: the one
// who connected it. It always takes rights away, except from owners.

export type Source = {
  /** The key of the directory, for the audit. */
  id: string;
  maker: Giver;
};

/** Throws permission_denied unless the source may give these roles in the tenant. */
export async function assertMayHandOut(
  run: Run,
  { maker }: Source,
  tenant: string,
  roles: readonly string[],
): Promise<void> {
  if (roles.includes(ownerRole))
    throw denied('a directory cannot grant ownership', 'SOURCE_LACKS_RIGHTS');
  const lacking = await findLacking(run, maker, tenant, { roles });
  if (lacking !== undefined) throw makerLacks(lacking);
}

const makerLacks = (permission: string) =>
  denied(
    `this would grant ${permission}, which the maker of the directory's key may not grant: rotate the key as a caller who may`,
    'SOURCE_LACKS_RIGHTS',
    { Permission: permission },
  );

/** `what`: the owner, or a group of owners. */
export const ownerProtected = (what: string) =>
  denied(`a directory cannot disable, remove or change an owner: ${what}`, 'OWNER_PROTECTED');

/** The users who lose something, and the roles of which they lose some or all. */
type End = { tenant: string; userIds: readonly string[]; roles: readonly string[] };

/** The most users that one announcement names. */
const maxNamed = 50;

/**
 * Announces to the owners that a source ends something of users who hold more than the source could
 * give.
 */
export async function reportEnd(
  tx: Transaction,
  { id, maker }: Source,
  { tenant, userIds, roles }: End,
): Promise<void> {
  const [first] = userIds;
  if (first === undefined) return;
  if ((await findLacking(tx.query, maker, tenant, { roles })) === undefined) return;
  record(tx, {
    tenant,
    type: 'tenant.holder_ended',
    data: { Tenant: tenant, UserID: first },
    targets: [
      ...userIds.slice(0, maxNamed).map((userId) => ({ Type: 'user', ID: userId, Name: '' })),
      { Type: 'source', ID: id, Name: '' },
    ],
  });
}
