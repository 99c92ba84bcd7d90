import type { Revoke, RightsKey } from '@bailiwick/broker';
import { isPlatformOnly, type Origin, sessionProof } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import { type Handlers, readSearch } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type {
  Authority,
  ConfirmCredentialRequest,
  DescribeMemberRequest,
  ListUserTenantsRequest,
  MayReadUserRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { type Database, onPool, type Run } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { findLackingForUser } from './acting/acting.ts';
import { mayGrantBotRights } from './acting/bots.ts';
import { keyOfSubject } from './decisions/effective.ts';
import { isMemberWithin } from './decisions/queries.ts';
import { reachOf, rightsOf } from './decisions/rights.ts';
import { leave } from './deletion/leave.ts';
import type { Directory } from './directory.ts';
import { describeRights, effectiveOf, effectiveRights } from './effective-rights.ts';
import { findGroupPaths } from './groups/queries.ts';
import { rowOf } from './rows.ts';
import { type ReportedState, setSubjectState } from './subjects/state.ts';
import { findLogo } from './tenants/branding/queries.ts';
import type { TenantRow } from './tenants/entities.ts';
import { factorFields } from './tenants/factor.ts';
import { findOwners, findPlatformOwners, hasOwner } from './tenants/owners/queries.ts';
import {
  findMemberIds,
  findTenant,
  isKnownElsewhere,
  tenantsInAnyStatusOf,
  tenantsOf,
} from './tenants/queries.ts';
import { searchMembers } from './tenants/search/queries.ts';

// The questions and reports of other services.

const maxTenants = 1000;
const maxMembers = 1000;

const isReportedState = (state: string): state is ReportedState =>
  state === 'active' || state === 'disabled' || state === 'deleted';

const limitOf = (limit: number): number => (limit > 0 ? Math.min(limit, maxMembers) : maxMembers);

type Deps = {
  database: Database;
  directory: Directory;
  revoke: Revoke;
  credentials: Pick<PeerClient<typeof Credentials>, 'confirm'>;
  log: Log;
};

export function rightsServiceHandlers(deps: Deps): Handlers<typeof Authority> {
  const { database, directory, revoke, credentials, log } = deps;
  const run = onPool(database);
  return {
    effective: (request) => effectiveRights(run, request),
    describeRights: (request, call) => describeRights({ run, directory }, request, call),
    confirmCredential: (request, call) => confirmCredential(credentials, request, call),
    describeMember: (request) => describeMember(database, run, request),
    mayReadUser: (request) => mayReadUser(run, request),
    mayConferBot: (request) => mayGrantBotRights(run, request, log),
    mayActAs: async (request) => ({ lacking: (await findLackingForUser(run, request)) ?? '' }),
    listUserTenants: (request) => listUserTenants(database, request),

    isKnownElsewhere: async ({ userId, tenant }) => ({
      known: await isKnownElsewhere(run, userId, tenant),
    }),

    listMemberIds: async ({ tenant, after, limit }) => ({
      userIds: await findMemberIds(run, tenant, after, limitOf(limit)),
    }),

    async searchMembers({ tenant, after, limit, ...request }) {
      const search = readSearch(request);
      if (!search) throw invalid('the search is empty');
      const { found: matches, last } = await searchMembers(
        database,
        tenant,
        { ...search, withBarred: false, withPending: false },
        { after, limit: limitOf(limit) },
      );
      return { members: matches.map(({ id, after }) => ({ userId: id, after })), last: last ?? '' };
    },

    async listOwners({ tenant, limit, userId }) {
      const own = await findOwners(database, tenant, userId, limitOf(limit));
      // The mails about a tenant without an owner go to the platform.
      const isOwned = own.length > 0 || userId !== '' || (await hasOwner(run, tenant));
      const owners = isOwned ? own : await findPlatformOwners(database, tenant, limitOf(limit));
      return { tenantName: owners[0]?.name ?? '', userIds: owners.map(({ subject }) => subject) };
    },

    async botKeyLimits({ tenant }) {
      const row = await findTenant(database, tenant);
      return { maxDays: row?.settings.maxBotKeyDays ?? 0 };
    },

    async getLogo({ tenant, knownVersion }) {
      return (await findLogo(run, tenant, knownVersion)) ?? {};
    },

    async getAppUrl({ tenant }) {
      const row = await findTenant(database, tenant);
      return { appUrl: (row?.status === 'active' && row.settings.appUrl) || '' };
    },

    leave: ({ userId }, call) => leaveAll(database, call, userId),

    async setSubjectState({ subject, state, changedAt }, call) {
      if (!isReportedState(state) || !changedAt)
        throw invalid('State must be active, disabled or deleted, and ChangedAt is required');
      await database.transaction({ call, tenant: null, row: rowOf.subject(subject) }, (tx) =>
        setSubjectState(tx, subject, state, timestampDate(changedAt)),
      );
      // Not awaited: identity revokes the same key after this reply and would wait twice. This
      // revocation matters if identity's call has timed out. If it fails, the caches
      // learn it from the log.
      void revoke([keyOfSubject(subject)]).catch(() => {});
      return {};
    },
  };
}

async function confirmCredential(
  credentials: Deps['credentials'],
  { credential }: ConfirmCredentialRequest,
  call: Origin,
) {
  const { state } = await credentials.confirm({ ...(credential && { credential }) }, call);
  return { ...(state && { state }) };
}

async function leaveAll(database: Database, call: Origin, userId: string) {
  await leave(database, call, userId);
  const tenants = await tenantsOf(database, userId, { after: '', limit: maxTenants });
  return { tenants: tenants.map(({ id }) => id) };
}

async function listUserTenants(
  database: Database,
  { userId, withSuspended }: ListUserTenantsRequest,
) {
  if (!withSuspended) {
    const active = await tenantsOf(database, userId, { after: '', limit: maxTenants });
    return { tenants: active.map(userTenant) };
  }
  const rows = await tenantsInAnyStatusOf(database, userId, maxTenants);
  const rowsIn = (status: string) => rows.filter((row) => row.status === status);
  // A deleted tenant is in the answer again once it is restored.
  const tenantKeys = rows.map(({ id }): RightsKey => `tenant:${id}`);
  return {
    tenants: rowsIn('active').map(userTenant),
    suspended: rowsIn('suspended').map(({ id, slug, name }) => ({ id, slug, name })),
    cacheKeys: [keyOfSubject(userId), ...tenantKeys],
  };
}

const userTenant = ({ id, slug, name, settings }: TenantRow) => ({
  id,
  slug,
  name,
  appUrl: settings.appUrl ?? '',
  ...factorFields(settings.factor),
});

/** The roles, groups and permissions of a member. Permissions on the platform are left out. */
async function describeMember(database: Database, run: Run, request: DescribeMemberRequest) {
  const { userId: id, tenant } = request;
  const session = sessionProof({ ...request, operator: '' });
  const rights = await rightsOf(run, { type: 'user', id, ...session }, tenant);
  const effective = await effectiveOf(run, id, rights, request.session);
  if (effective.session.refusal !== 'none') return { effective };
  const [groups, row] = await Promise.all([
    findGroupPaths(run, tenant, id),
    findTenant(database, tenant),
  ]);
  return {
    effective,
    slug: row?.slug ?? '',
    roles: rights.roles.toSorted(),
    groups,
    permissions: rights.inTenant.filter((one) => !isPlatformOnly(one)).toSorted(),
  };
}

/** Whether a principal may read and manage the data of a user, and of any user at all. */
async function mayReadUser(run: Run, request: MayReadUserRequest) {
  const { readerType: type, readerId: id, userId } = request;
  const { botTenant, narrowedTo } = request;
  const within = async (permission: string) => {
    const reach = await reachOf(
      run,
      { type, id, botTenant, narrowedTo, ...sessionProof(request) },
      permission,
    );
    const anywhere = reach.everywhere || reach.tenants.length > 0;
    const shared = anywhere && userId !== '' && (await isMemberWithin(run, userId, reach, id));
    return { anywhere, shared };
  };
  const { anywhere, shared } = await within('iam.users.read');
  return { anywhere, shared, manages: shared && (await within('iam.users.write')).shared };
}
