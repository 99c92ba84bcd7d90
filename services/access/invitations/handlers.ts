import { normaliseEmail, timeOf, tokenHash, tokenKind } from '@bailiwick/contract';
import { deadToken, denied } from '@bailiwick/errors';
import {
  type Call,
  type Handlers,
  inOrderOf,
  type PageQuery,
  type Pager,
  readFound,
  readSearch,
} from '@bailiwick/pipeline';
import type { TenantInvitations } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { findUser, shownName } from '../directory.ts';
import { rowOf } from '../rows.ts';
import { acceptInvitation } from './accept.ts';
import { type CreateDeps, createInvitation } from './create.ts';
import { toInvitation } from './entities.ts';
import {
  findByToken,
  findInvitations,
  findShown,
  invitationsInto,
  invitationsOf,
  lockByToken,
  searchInvitations,
  settleInvitation,
} from './queries.ts';
import { recordInvitation } from './records.ts';
import { revokeInvitation } from './revoke.ts';

export function invitationHandlers(
  deps: CreateDeps & { pager: Pager },
): Handlers<typeof TenantInvitations> {
  const { database, pager } = deps;
  return {
    async create(request, call) {
      return { token: await createInvitation(deps, request, call) };
    },

    get: ({ token }, call) => showInvitation(deps, token, call),

    async accept({ token }, call) {
      await acceptInvitation(deps, token, call);
      return {};
    },

    async decline({ token }, call) {
      if (tokenKind(token) !== 'invitation') throw deadToken();
      const hash = tokenHash(token);
      const invitation = await findByToken(database, hash);
      if (invitation?.status === 'declined') return {};
      if (invitation?.status !== 'pending') throw deadToken();
      const { tenant } = invitation;
      await database.transaction({ call, tenant, row: rowOf.invitationToken(token) }, (tx) =>
        decline(tx, tenant, hash),
      );
      return {};
    },

    async list({ tenant, page, ...request }, { operation, reader }) {
      const binding = [operation.name, tenant];
      const search = readSearch(request);
      if (search) {
        const { ids, nextCursor } = await readFound(
          { pager, page, binding, search },
          (criteria, query) => searchInvitations(reader, tenant, criteria, query),
        );
        const rows = await findInvitations(reader, tenant, ids);
        const items = inOrderOf(ids, rows, ({ id }) => id);
        return { page: { items: items.map(toInvitation), nextCursor } };
      }
      const find = (query: PageQuery) => invitationsInto(reader, tenant, query);
      return pager.list(page, binding, find, toInvitation);
    },

    async listByEmail({ email, page }, call) {
      const { key } = normaliseEmail(email);
      assertOwn(key, call);
      const binding = [call.operation.name, key];
      const find = (query: PageQuery) => invitationsOf(database, key, query);
      return pager.list(page, binding, find, toInvitation);
    },

    async delete({ tenant, email }, call) {
      const { key } = normaliseEmail(email);
      await database.transaction({ call, tenant, row: rowOf.invitation(tenant, key) }, (tx) =>
        revokeInvitation(tx, tenant, key),
      );
      return {};
    },
  };
}

/** A pending invitation as the invited person sees it. */
async function showInvitation({ database, directory }: CreateDeps, token: string, call: Call) {
  if (tokenKind(token) !== 'invitation') throw deadToken();
  const invitation = await findShown(database, tokenHash(token));
  if (!invitation) throw deadToken();
  const { inviterType, invitedBy, tenantName, email, roles, groups, expiresAt } = invitation;
  const inviter = inviterType === 'user' ? await findUser(directory, invitedBy, call) : undefined;
  return {
    tenantName,
    inviterName: inviter ? shownName(inviter) : '',
    email,
    roles,
    groups: groups.map(({ path }) => path),
    expiresAt: timeOf(expiresAt),
  };
}

/** Declines an invitation. Repeating it changes nothing. */
async function decline(tx: Transaction, tenant: string, hash: Uint8Array): Promise<void> {
  const run = tx.query;
  const row = await lockByToken(run, tenant, hash);
  if (row?.status === 'declined') return;
  const declined = row && (await settleInvitation(run, row, { status: 'declined' }));
  if (!declined) throw deadToken();
  recordInvitation(tx, 'invitation.declined', declined, { previous: { Status: 'pending' } });
}

/**
 * A user sees the invitations of the own verified address, in any spelling. The platform sees all.
 */
function assertOwn(key: string, { allowedBy, caller }: Call): void {
  if (allowedBy?.kind === 'platform') return;
  if (caller.type !== 'user' || caller.email === '' || normaliseEmail(caller.email).key !== key)
    throw denied();
}
