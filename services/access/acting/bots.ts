import { includes } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type {
  MayConferBotRequest,
  MayConferBotResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Run } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { findSubjectGrants, owns, type SubjectGrant } from '../decisions/context.ts';
import { type Ending, firstEnding } from '../decisions/delegation.ts';
import { permissionsOfRoles, rightsOf } from '../decisions/rights.ts';
import { holdsOnPlatform, mayGrant, ownership } from '../decisions/rights-checks.ts';
import { findRolePermissions } from '../decisions/roles/queries.ts';
import type { Rights } from '../decisions/values.ts';
import { findOperators, warnOfOthers } from '../grants/queries.ts';
import { findDirectoryRoles } from '../groups/queries.ts';
import { narrow } from '../permissions/narrow.ts';

/**
 * The rights that a key or trust of a bot gives to its user. `actsOnPlatform`: whether one of them is
 * on the whole platform, and not only on a resource.
 */
type BotRights = {
  onPlatform: string[];
  inTenant: string[];
  isOwner: boolean;
  actsOnPlatform: boolean;
};

/**
 * A permission of the bot, within `permissions`, that the principal may not grant, or when its right
 * to grant them ends.
 */
export async function mayGrantBotRights(
  run: Run,
  request: MayConferBotRequest,
  log: Log,
): Promise<MessageInitShape<typeof MayConferBotResponseSchema>> {
  const principal = {
    type: request.principalType,
    id: request.principalId,
    botTenant: request.principalBotTenant,
    narrowedTo: request.principalNarrowedTo,
    ssoTenant: request.principalSsoTenant,
    limitedTo: request.principalLimitedTo,
    assurance: request.principalAssurance,
    ownAssurance: request.principalOwnAssurance,
    // A support session may not create or grant anything.
    operator: '',
    voucher: request.principalVoucher,
  };
  const [rights, botRights] = await Promise.all([
    rightsOf(run, principal, request.tenant),
    findBotRights(run, request),
  ]);
  const lacking = findLacking(rights, botRights);
  if (lacking !== undefined) return { lacking };
  const ending = findEnding(rights, botRights);
  const { actsOnPlatform: onPlatform } = botRights;
  const operators = onPlatform ? await findOperators(run) : { ids: [], all: 0 };
  warnOfOthers(log, operators);
  return {
    lacking: '',
    onPlatform,
    operators: operators.ids,
    ...(ending && { ending: ending.permission, endsAt: timestampFromDate(ending.endsAt) }),
  };
}

async function findBotRights(
  run: Run,
  { tenant, bot, permissions, taking }: MayConferBotRequest,
): Promise<BotRights> {
  const grants = await findSubjectGrants(run, { subject: bot, tenant });
  const permissionsBy = (isIncluded: (grant: SubjectGrant) => boolean) => {
    const granted = grants.filter((grant) => !grant.expired && isIncluded(grant));
    return narrow([...new Set(granted.flatMap((grant) => grant.permissions))], permissions);
  };
  const inTenant = permissionsBy(({ platform }) => !platform);
  const handedOut =
    !taking && includes(inTenant, 'iam.scim.write') ? await handedOutByDirectory(run, tenant) : [];
  return {
    onPlatform: permissionsBy(({ platform }) => platform),
    inTenant: [...inTenant, ...handedOut],
    isOwner: owns(grants) && includes(inTenant, 'iam.*'),
    actsOnPlatform:
      permissionsBy(({ platform, resource }) => platform && resource === '').length > 0,
  };
}

function findLacking(rights: Rights, { onPlatform, inTenant, isOwner }: BotRights) {
  const lacking =
    onPlatform.find((pattern) => !holdsOnPlatform(rights, pattern)) ??
    inTenant.find((pattern) => !mayGrant(rights, pattern));
  return lacking ?? (isOwner && !rights.owns ? ownership : undefined);
}

function findEnding(rights: Rights, { onPlatform, inTenant }: BotRights): Ending | undefined {
  const endings = [
    firstEnding(rights, onPlatform, 'platform'),
    firstEnding(rights, inTenant, 'tenant'),
  ];
  const [first] = endings
    .filter((ending) => ending !== undefined)
    .toSorted((one, other) => one.endsAt.getTime() - other.endsAt.getTime());
  return first;
}

/** The permissions that a directory of the tenant can give to its people now. */
async function handedOutByDirectory(run: Run, tenant: string): Promise<string[]> {
  const roles = await findDirectoryRoles(run, tenant);
  return [
    ...permissionsOfRoles(roles, 'tenant'),
    ...(await findRolePermissions(run, tenant, roles)),
  ];
}
