import type { PageQuery, Search } from '@bailiwick/pipeline';
import {
  createListing,
  type Database,
  type FoundIds,
  type Reader,
  type Run,
  type Statement,
  tenantKey,
  textKey,
} from '@bailiwick/store';
import { type InvitationRow, type InvitationStatus, invitationTrigrams } from './entities.ts';

// One conditional statement ends an invitation: one of several concurrent calls wins, and an
// expired invitation is void even before the sweeper has marked it.

const columns = `i.tenant, i.id, i.email, i.email_key as "emailKey", i.status, i.roles, i.groups, i.inviter_type as "inviterType",
  i.invited_by as "invitedBy", i.inviter_narrowed_to as "inviterNarrowedTo",
  i.inviter_limited_to as "inviterLimitedTo", i.inviter_voucher as "inviterVoucher", i.accepted_by as "acceptedBy", i.expires_at as "expiresAt",
  i.created_at as "createdAt", i.updated_at as "updatedAt"`;

const ofToken: Statement<InvitationRow, [tokenHash: Uint8Array]> = {
  name: 'access.invitation_of_token',
  text: `select ${columns} from invitation i join tenant t on t.id = i.tenant and t.status = 'active' where i.token_hash = $1`,
  across: 'finds the tenant of an invitation from its token',
};

/** The invitation of a token into an active tenant, in any status. */
export async function findByToken(
  database: Database,
  tokenHash: Uint8Array,
): Promise<InvitationRow | undefined> {
  const [row] = await database.query(ofToken, [tokenHash]);
  return row;
}

const invitationWithTenant: Statement<
  InvitationRow & { tenantName: string },
  [tokenHash: Uint8Array]
> = {
  name: 'access.invitation_shown',
  text: `select ${columns}, t.name as "tenantName" from invitation i join tenant t on t.id = i.tenant and t.status = 'active'
         where i.token_hash = $1 and i.status = 'pending' and i.expires_at > now()`,
  across: 'finds the invitation of a token, which names its tenant',
};

/** The pending invitation of a token into an active tenant, with the tenant's name. */
export async function findShown(
  database: Database,
  tokenHash: Uint8Array,
): Promise<(InvitationRow & { tenantName: string }) | undefined> {
  const [row] = await database.query(invitationWithTenant, [tokenHash]);
  return row;
}

const byToken: Statement<InvitationRow, [tenant: string, tokenHash: Uint8Array]> = {
  name: 'access.invitation_by_token',
  text: `select ${columns} from invitation i where i.tenant = $1 and i.token_hash = $2 for update`,
};

/** The invitation of a token, locked until the transaction ends. */
export async function lockByToken(
  run: Run,
  tenant: string,
  tokenHash: Uint8Array,
): Promise<InvitationRow | undefined> {
  const [row] = await run(byToken, [tenant, tokenHash]);
  return row;
}

const settle: Statement<
  InvitationRow,
  [tenant: string, id: string, status: string, acceptedBy: string]
> = {
  name: 'access.settle_invitation',
  text: `update invitation i set status = $3, accepted_by = $4, updated_at = greatest(now(), i.updated_at + interval '1 millisecond')
         where i.tenant = $1 and i.id = $2 and i.status = 'pending' and i.expires_at > now() returning ${columns}`,
};

type Outcome = { status: InvitationStatus; acceptedBy?: string };

/** Ends a pending invitation. Returns undefined if it is not pending or has expired. */
export async function settleInvitation(
  run: Run,
  { tenant, id }: InvitationRow,
  { status, acceptedBy = '' }: Outcome,
): Promise<InvitationRow | undefined> {
  const [row] = await run(settle, [tenant, id, status, acceptedBy]);
  return row;
}

const pendingOf: Statement<InvitationRow, [tenant: string, emailKey: string]> = {
  name: 'access.pending_invitation',
  text: `select ${columns} from invitation i where i.tenant = $1 and i.email_key = $2 and i.status = 'pending' for update`,
};

/**
 * The pending invitation of an address, even if its time has passed, locked until the transaction
 * ends.
 */
export async function lockPending(
  run: Run,
  tenant: string,
  emailKey: string,
): Promise<InvitationRow | undefined> {
  const [row] = await run(pendingOf, [tenant, emailKey]);
  return row;
}

const expire: Statement<InvitationRow, [tenant: string, id: string]> = {
  name: 'access.expire_invitation',
  text: `update invitation i set status = 'expired', updated_at = greatest(now(), i.updated_at + interval '1 millisecond')
         where i.tenant = $1 and i.id = $2 and i.status = 'pending' and i.expires_at <= now() returning ${columns}`,
};

/**
 * Marks an invitation as expired. Returns undefined if it has not expired, or was marked before.
 */
export async function expireInvitation(
  run: Run,
  tenant: string,
  id: string,
): Promise<InvitationRow | undefined> {
  const [row] = await run(expire, [tenant, id]);
  return row;
}

const overdue: Statement<{ tenant: string; id: string }, [limit: number]> = {
  name: 'access.overdue_invitations',
  text: `select i.tenant, i.id from invitation i where i.status = 'pending' and i.expires_at <= now() order by i.expires_at limit $1 for update skip locked`,
  across: 'the sweeper covers all tenants',
};

/**
 * Expired invitations of all tenants that are still pending. Skips rows locked by other replicas.
 */
export function takeOverdue(
  run: Run,
  limit: number,
): Promise<Array<{ tenant: string; id: string }>> {
  return run(overdue, [limit]);
}

const invitationsOfTenant: Statement<
  InvitationRow,
  [tenant: string, after: string, limit: number]
> = {
  name: 'access.invitations_of_tenant',
  text: `select ${columns} from invitation i where i.tenant = $1 and ($2 = '' or i.id < $2) order by i.id desc limit $3`,
};

/** The invitations into a tenant in all statuses, newest first. */
export function invitationsInto(
  reader: Reader,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<InvitationRow[]> {
  return reader.query(invitationsOfTenant, [tenant, after, limit]);
}

const byIds: Statement<InvitationRow, [tenant: string, ids: readonly string[]]> = {
  name: 'access.invitations_by_ids',
  text: `select ${columns} from invitation i where i.tenant = $1 and i.id = any($2)`,
};

export const findInvitations = (
  reader: Reader,
  tenant: string,
  ids: readonly string[],
): Promise<InvitationRow[]> => reader.query(byIds, [tenant, ids]);

// An expired invitation is stored as pending until the sweeper has marked it.
const searched = createListing({
  name: 'access.invitations_searched',
  sources: ['invitation i'],
  scope: 'i.tenant = $1',
  id: 'i.id',
  orders: {
    email: { key: textKey('i.email'), type: 'text' },
    created: { key: 'i.created_at', type: 'timestamptz' },
  },
  searched: [textKey('i.email')],
  inside: {
    index: invitationTrigrams,
    keys: [textKey('i.email')],
    scope: `${tenantKey('i.tenant')} = $1`,
  },
  filters: [
    `($7::text is null or $7 = case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end)`,
    '($8::timestamptz is null or i.created_at >= $8)',
    '($9::timestamptz is null or i.created_at < $9)',
  ],
  selective: [
    {
      name: 'status',
      where: `i.status = any (array[$7::text, case $7::text when 'expired' then 'pending' end])`,
      isGiven: ([status]) => status !== null,
    },
  ],
});

/** The ids of a page of the invitations into a tenant, newest first if no order is given. */
export const searchInvitations = (
  reader: Reader,
  tenant: string,
  { status, from, to, ...search }: Search,
  page: PageQuery,
): Promise<FoundIds> =>
  searched.find(reader.query, {
    ...search,
    ...page,
    isDescending: search.isDescending !== (search.order === ''),
    tenant,
    values: [status, from, to],
  });

const invitationsOfAddress: Statement<
  InvitationRow,
  [emailKey: string, after: string, limit: number]
> = {
  name: 'access.invitations_of_address',
  text: `select ${columns} from invitation i join tenant t on t.id = i.tenant and t.status = 'active'
         where i.email_key = $1 and ($2 = '' or i.id < $2) order by i.id desc limit $3`,
  across: 'lists the invitations of one address',
};

/** The invitations of an address into active tenants, newest first. */
export function invitationsOf(
  database: Database,
  emailKey: string,
  { after, limit }: PageQuery,
): Promise<InvitationRow[]> {
  return database.query(invitationsOfAddress, [emailKey, after, limit]);
}
