import { type Database, onPool } from '@bailiwick/database';
import { invalid } from '@bailiwick/errors';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { type Handlers } from '@bailiwick/rpc';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { findSubjectGrants, type SubjectGrant } from './decisions/context.ts';
import { isMemberWithin } from './decisions/queries.ts';
import { holdsOnPlatform, mayGrant, reachOf, rightsOf, tokenRightsOf } from './decisions/rights.ts';
import { leave } from './deletion/leave.ts';
import { narrow } from './permissions/match.ts';
import { type ReportedState, setSubjectState } from './subjects/state.ts';
import {
  findMemberIds,
  findOwners,
  findTenant,
  isKnownElsewhere,
  tenantsOf,
} from './tenants/queries.ts';

const maxTenants = 1000;
const maxMembers = 1000;

const isReportedState = (state: string): state is ReportedState =>
  state === 'active' || state === 'disabled' || state === 'deleted';

export function authorityHandlers({
  database,
}: {
  database: Database;
}): Handlers<typeof Authority> {
  const run = onPool(database);
  return {
    async effective({
      principalType,
      principalId,
      tenant,
      botTenant,
      narrowedTo,
      ssoTenant,
      limitedTo,
    }) {
      const rights = await rightsOf(
        run,
        { type: principalType, id: principalId, botTenant, narrowedTo, ssoTenant, limitedTo },
        tenant,
      );
      const {
        idleMinutes: sessionIdleMinutes,
        maxMinutes: sessionMaxMinutes,
        recentLogin,
      } = rights.demands;
      const { ssoRequired, suspendedName } = rights;
      return {
        tenant: rights.tenant,
        ...tokenRightsOf(rights),
        ssoRequired,
        suspendedName,
        sessionIdleMinutes,
        sessionMaxMinutes,
        recentLogin,
      };
    },

    async listUserTenants({ userId }) {
      const rows = await tenantsOf(database, userId, { after: '', limit: maxTenants });
      return { tenants: rows.map(({ id, slug, name }) => ({ id, slug, name })) };
    },

    isKnownElsewhere: async ({ userId, tenant }) => ({
      known: await isKnownElsewhere(run, userId, tenant),
    }),

    async listMemberIds({ tenant, after, limit }) {
      return {
        userIds: await findMemberIds(
          run,
          tenant,
          after,
          limit > 0 ? Math.min(limit, maxMembers) : maxMembers,
        ),
      };
    },

    async listOwners({ tenant, limit, userId }) {
      const owners = await findOwners(
        database,
        tenant,
        userId,
        limit > 0 ? Math.min(limit, maxMembers) : maxMembers,
      );
      return { tenantName: owners[0]?.name ?? '', userIds: owners.map(({ subject }) => subject) };
    },

    async mayReadUser({
      readerType,
      readerId,
      userId,
      botTenant,
      narrowedTo,
      ssoTenant,
      limitedTo,
    }) {
      const within = async (permission: string) => {
        const reach = await reachOf(
          run,
          { type: readerType, id: readerId, botTenant, narrowedTo, ssoTenant, limitedTo },
          permission,
        );
        const anywhere = reach.everywhere || reach.tenants.length > 0;
        return {
          anywhere,
          shared: anywhere && userId !== '' && (await isMemberWithin(run, userId, reach, readerId)),
        };
      };
      const { anywhere, shared } = await within('iam.users.read');
      return { anywhere, shared, manages: shared && (await within('iam.users.write')).shared };
    },

    async botKeyLimits({ tenant }) {
      const found = await findTenant(database, tenant);
      return { maxDays: found?.settings.maxBotKeyDays ?? 0 };
    },

    async mayConferBot({ tenant, bot, permissions, ...principal }) {
      const {
        principalType: type,
        principalId: id,
        principalBotTenant: botTenant,
        principalNarrowedTo: narrowedTo,
      } = principal;
      const { principalSsoTenant: ssoTenant, principalLimitedTo: limitedTo } = principal;
      const [rights, botGrants] = await Promise.all([
        rightsOf(run, { type, id, botTenant, narrowedTo, ssoTenant, limitedTo }, tenant),
        findSubjectGrants(run, { subject: bot, tenant }),
      ]);
      const wanted = (grants: readonly SubjectGrant[]) =>
        narrow([...new Set(grants.flatMap((grant) => grant.permissions))], permissions);
      const lacking =
        wanted(botGrants.filter(({ platform }) => platform)).find(
          (pattern) => !holdsOnPlatform(rights, pattern),
        ) ??
        wanted(botGrants.filter(({ platform }) => !platform)).find(
          (pattern) => !mayGrant(rights, pattern),
        );
      return { lacking: lacking ?? '' };
    },

    async leave({ userId }) {
      await leave(database, userId);
      const tenants = await tenantsOf(database, userId, { after: '', limit: maxTenants });
      return { tenants: tenants.map(({ id }) => id) };
    },

    async setSubjectState({ subject, state, changedAt }) {
      if (!isReportedState(state) || !changedAt)
        throw invalid('State must be active, disabled or deleted, and ChangedAt is required');
      await database.transaction({ tenant: null, row: `subject ${subject}` }, (em) =>
        setSubjectState(em, subject, state, timestampDate(changedAt)),
      );
      return {};
    },
  };
}
