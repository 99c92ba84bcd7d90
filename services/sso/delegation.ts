import { escalation, temporaryRight } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import { timestampDate } from '@bufbuild/protobuf/wkt';

type Deps = { admission: PeerClient<typeof Admission> };

/**
 * Grants that users of a tenant get automatically: roles by slug, groups by path, and the tenant's
 * default role.
 */
export type DelegatedRights = { roles: string[]; groups: string[]; defaultRole: boolean };

/**
 * Throws permission_denied unless the caller holds everything that would be granted, without an end,
 * and not_found for an unknown role. A bot has grants in its own tenant and on the platform only.
 */
export async function assertMayGrant(
  deps: Deps,
  call: Call,
  tenant: string,
  granted: DelegatedRights,
): Promise<void> {
  const { lacking, ending, endsAt } = await checkDelegation(deps, call, tenant, granted);
  if (lacking !== '') throw escalation(lacking);
  // A provider and a domain have no end.
  if (endsAt) throw temporaryRight(ending, timestampDate(endsAt));
}

/** A permission that the caller may not grant; "" = it may grant all. Throws like the above. */
export async function findMissingPermission(
  deps: Deps,
  call: Call,
  tenant: string,
  granted: DelegatedRights,
): Promise<string> {
  return (await checkDelegation(deps, call, tenant, granted)).lacking;
}

const checkDelegation = (
  { admission }: Deps,
  call: Call,
  tenant: string,
  granted: DelegatedRights,
) =>
  admission.mayConfer({ ...principalOf(call.caller), tenant, ...granted }, call, {
    signal: call.signal,
  });

/** Who answers for what a provider or a domain hands out: its rights are read at that time. */
export type StoredGiver = {
  type: string;
  id: string;
  narrowedTo: string[];
  limitedTo: string;
  voucher: string;
};

export const giverOf = ({
  type,
  id,
  narrowedTo,
  limitedTo,
  voucher,
}: Call['caller']): StoredGiver => ({
  type,
  id,
  narrowedTo: [...narrowedTo],
  limitedTo,
  voucher,
});

/** Everything that the people of a tenant, or of the platform (""), can hold. */
const everything = (tenant: string): string[] =>
  tenant === '' ? ['iam.*', 'iam.platform.*'] : ['*'];

/**
 * The limit of a caller who would grant everything in a tenant or on the platform (""):
 * a permission, or the time when the caller's right ends. Undefined = nothing.
 */
export async function findLimit(
  { admission }: Deps,
  call: Call,
  tenant: string,
): Promise<{ lacking: string; endsAt?: Date } | undefined> {
  const permissions = everything(tenant);
  const { lacking, endsAt } = await admission.mayDelegate(
    { ...principalOf(call.caller), tenant, permissions },
    call,
    { signal: call.signal },
  );
  if (lacking !== '') return { lacking };
  return endsAt && { lacking: permissions[0] ?? '', endsAt: timestampDate(endsAt) };
}

/**
 * Throws permission_denied unless the caller holds these permissions, in a tenant or on the platform
 * ("").
 */
export async function assertMayDelegate(
  { admission }: Deps,
  call: Call,
  tenant: string,
  permissions: readonly string[],
): Promise<void> {
  const { lacking, endsAt } = await admission.mayDelegate(
    { ...principalOf(call.caller), tenant, permissions: [...permissions] },
    call,
    { signal: call.signal },
  );
  if (lacking !== '') throw escalation(lacking);
  // An app has no end.
  if (endsAt) throw temporaryRight(permissions.join(', '), timestampDate(endsAt));
}

const principalOf = (caller: Call['caller']) => ({
  principalType: caller.type,
  principalId: caller.id,
  principalBotTenant: caller.type === 'bot' ? caller.tenant : '',
  principalNarrowedTo: caller.narrowedTo,
  principalLimitedTo: caller.limitedTo,
  principalVoucher: caller.voucher,
});
