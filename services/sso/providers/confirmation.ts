import { randomUUID } from 'node:crypto';
import {
  assertUnchanged,
  joinVouchers,
  type Origin,
  readVoucher,
  timeAfter,
  voucherOf,
} from '@bailiwick/contract';
import { escalation, failedPrecondition, temporaryRight } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { SsoConfirmProviderRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { findLimit, giverOf } from '../delegation.ts';
import { rowOf } from '../rows.ts';
import { type ProviderValues, recordProviderEvent, type Settable } from './api-record.ts';
import { changesIdentities } from './changes.ts';
import type { ProviderDeps } from './deps.ts';
import { ProviderEntity } from './entities.ts';
import { keptWarning } from './metadata.ts';
import { providerNotFound } from './queries.ts';

// Who may act as the people of a provider. Its author could name an identity provider of their own,
// so a change of the identifying settings limits the sessions until a caller who may grant everything
// confirms it. A save by such a caller confirms it at once; over unconfirmed settings, only one that
// names the version that the caller has read. Of others, each author since then limits the sessions,
// unless a save names the version.

/** The columns of a provider's confirmation. */
type Confirmation = Pick<ProviderValues, 'vouchId' | 'voucher' | 'savedBy' | 'confirmedBy'>;

/** How many callers a session's rights are compared with, at most. */
const maxAuthors = 20;

/** A change of the identifying settings. */
export type ConfirmationChange = { columns: Confirmation; keepsLinks: boolean };

const unlimited: Confirmation = { vouchId: '', voucher: '', savedBy: '', confirmedBy: '' };

/** The stored columns of a provider that no save has confirmed or limited yet. */
export const confirmationOf = ({
  vouchId,
  voucher,
  savedBy,
  confirmedBy,
}: Confirmation = unlimited): Confirmation => ({ vouchId, voucher, savedBy, confirmedBy });

const nameOf = ({ id, type }: Call['caller']): string => id || type;

type PlanInput = {
  tenant: string;
  stored: ProviderValues | undefined;
  values: Settable;
  /** Whether metadata count from now on that the stored signature rules out. */
  loosensSigner: boolean;
  /** Whether the request names the version of the provider that it changes. */
  isOfVersion: boolean;
};

/** The change that a save makes to the confirmation; undefined = none. */
export async function planConfirmation(
  deps: Pick<ProviderDeps, 'admission'>,
  call: Call,
  { tenant, stored, values, loosensSigner, isOfVersion }: PlanInput,
): Promise<ConfirmationChange | undefined> {
  if (stored && !loosensSigner && !changesIdentities(stored, values)) return undefined;
  const savedBy = nameOf(call.caller);
  // Settings that the request does not name stay. The caller may not have seen them.
  const isUnseen = stored !== undefined && stored.vouchId !== '' && !isOfVersion;
  if (!(await findLimit(deps, call, tenant))) {
    const columns = isUnseen
      ? confirmationOf(stored)
      : { ...unlimited, savedBy, confirmedBy: savedBy };
    // Links of other tenants' people are beyond what a tenant's owner may grant.
    const isOfPlatform = tenant === '' || !(await findLimit(deps, call, ''));
    return { columns, keepsLinks: stored === undefined || isOfPlatform };
  }
  const own = voucherOf(call.caller);
  const voucher = isUnseen ? joinVouchers(stored.voucher, own) : own;
  if (readVoucher(voucher).length > maxAuthors)
    throw failedPrecondition(
      `more than ${maxAuthors} callers have changed the provider since it was last confirmed`,
    );
  const vouchId = stored?.voucher === voucher ? stored.vouchId : randomUUID();
  return { columns: { vouchId, voucher, savedBy, confirmedBy: '' }, keepsLinks: false };
}

type ProviderKey = { tenant: string; id: string };

/** Limits the provider's sessions before the change is committed, while the caller may change it. */
export async function announce(
  { ownFederation }: Pick<ProviderDeps, 'ownFederation'>,
  { tenant, id: provider }: ProviderKey,
  change: ConfirmationChange | undefined,
  call: Origin,
): Promise<void> {
  if (!change) return;
  const { columns, keepsLinks } = change;
  if (columns.vouchId === '' && keepsLinks) return;
  const { vouchId: id, voucher } = columns;
  await ownFederation.vouch({ tenant, provider, id, voucher, keepsLinks }, call);
}

/** Settles the limit that the saved change replaces, or the one of a change that was not made. */
export async function conclude(
  { federation }: Pick<ProviderDeps, 'federation'>,
  { tenant, id: provider }: ProviderKey,
  {
    change,
    before,
    isSaved,
  }: { change: ConfirmationChange | undefined; before: string; isSaved: boolean },
  call: Origin,
): Promise<void> {
  const vouchId = change?.columns.vouchId ?? before;
  const obsolete = isSaved ? before : vouchId;
  if (vouchId === before || obsolete === '') return;
  await federation.settle({ tenant, provider, ids: [obsolete], withdrawn: !isSaved }, call);
}

/**
 * Sso_ConfirmProvider. @throws permission_denied unless the caller may grant everything, without an
 * end
 */
export async function confirmProvider(
  deps: ProviderDeps,
  { tenant, id, ifUpdatedAt }: SsoConfirmProviderRequest,
  call: Call,
): Promise<ProviderValues> {
  const { database, publicUrl, federation } = deps;
  const limit = await findLimit(deps, call, tenant);
  if (limit?.endsAt) throw temporaryRight(limit.lacking, limit.endsAt);
  if (limit) throw escalation(limit.lacking);
  const { row, vouchId } = await database.transaction(
    { call, tenant, row: rowOf.provider(tenant, id) },
    async (tx) => {
      const stored = await tx.em.findOne(
        ProviderEntity,
        { tenant, id },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!stored) throw providerNotFound();
      assertUnchanged('the provider', stored, ifUpdatedAt);
      const { vouchId: confirmed, confirmedBy } = stored;
      // The caller answers for the provider from now on, also if nothing else changes.
      tx.em.assign(stored, {
        vouchId: '',
        voucher: '',
        confirmedBy: nameOf(call.caller),
        giver: giverOf(call.caller),
        lastWarning: keptWarning(stored.lastWarning),
      });
      stored.updatedAt = timeAfter(stored.updatedAt);
      recordProviderEvent(tx, 'sso_provider.confirmed', {
        row: stored,
        publicUrl,
        previous: {
          ...(confirmed !== '' && { Unconfirmed: true }),
          ...(confirmedBy !== nameOf(call.caller) && { ConfirmedBy: confirmedBy }),
        },
      });
      return { row: stored, vouchId: confirmed };
    },
  );
  // Only now: a change that was saved meanwhile has a limit of its own, which stays.
  const ids = vouchId === '' ? [] : [vouchId];
  await federation.settle({ tenant, provider: id, ids, withdrawn: false }, call);
  return row;
}
