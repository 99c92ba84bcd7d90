import { type Broker, createRightsCache, leaseMs, type Renewal } from '@bailiwick/broker';
import type { LimitProfile } from '@bailiwick/contract';
import { openKeyRing } from '@bailiwick/keys';
import { createPager, createService, type RightsSources, repeat, serve } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { Access } from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { Audit } from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import {
  BotGrants,
  Grants,
  GroupGrants,
} from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { Imports } from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import { AccessLimits, Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { TenantInvitations } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import { Operators } from '@bailiwick/proto/gen/bailiwick/access/v1/operators_pb.ts';
import { Roles } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { Scim } from '@bailiwick/proto/gen/bailiwick/access/v1/scim_pb.ts';
import { TenantMembers, Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { Credentials, Directory } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import {
  countAddress,
  createLimiter,
  type Database,
  type Limiter,
  onPool,
  renewHolder,
} from '@bailiwick/store';
import {
  createBehalfClient,
  createPeerClient,
  createRevocationLogs,
  type OwnSettings,
  type PeerClient,
  type Service,
  servicePart,
} from '@bailiwick/wire';
import type { Transport } from '@connectrpc/connect';
import { auditHandlers } from './audit/handlers.ts';
import { projectAudit } from './audit/projector.ts';
import { startPruning } from './audit/prune.ts';
import { countHandlers } from './counts/handlers.ts';
import { decisionHandlers } from './decisions/access.ts';
import { followSubjects } from './deletion/follow.ts';
import { startPurger } from './deletion/purge.ts';
import { effectiveRights } from './effective-rights.ts';
import {
  botGrantHandlers,
  grantChecks,
  grantHandlers,
  groupGrantHandlers,
} from './granting/handlers.ts';
import { groupHandlers } from './groups/handlers.ts';
import { importsHandlers } from './imports/handlers.ts';
import { invitationHandlers } from './invitations/handlers.ts';
import { createInvitationSweeper } from './invitations/sweeper.ts';
import { justInTimeHandlers } from './just-in-time/handlers.ts';
import { createMappingSweeper } from './just-in-time/sweeper.ts';
import { invitationLimits } from './limits.ts';
import { operatorHandlers } from './operators/handlers.ts';
import { plan } from './plan/plan.ts';
import { rightsServiceHandlers } from './rights-service.ts';
import { roleChecks, roleHandlers } from './roles/handlers.ts';
import { accessSchema } from './schema.ts';
import { scimHandlers } from './scim/handle.ts';
import { accessSettings } from './settings.ts';
import { tenantChecks } from './tenants/checks.ts';
import { tenantHandlers } from './tenants/handlers.ts';
import { tenantMemberHandlers } from './tenants/members.ts';
import { followNames } from './tenants/search/names.ts';

type Options = {
  settings: OwnSettings<typeof accessSettings>;
  peers: { identity: Transport };
  log: Log;
};

/** Deletes ended rate windows: every limit checks its end itself. */
const sweepers = (deps: Parameters<typeof createMappingSweeper>[0]) => [
  createInvitationSweeper(deps.database, deps.log),
  createMappingSweeper(deps),
];

const sweepLimits = (limiter: Limiter, log: Log) =>
  repeat({
    everyMs: 10 * 60_000,
    log,
    failed: 'deleting ended rate windows failed, retrying',
    work: () => limiter.sweep(),
  });

/** A person whom a directory provisions is a part of the caller's own change. */
const clientsOf = ({ identity }: Options['peers']) => ({
  directory: createBehalfClient(Directory, identity, 'access'),
  credentials: createPeerClient(Credentials, identity, 'access'),
});

/** The cache of decisions, which follows the logs of those who can revoke them. */
const createDecisionCache = (
  database: Database,
  broker: Broker,
  { identity }: Options['peers'],
) => {
  const logs = {
    ...createRevocationLogs({ identity }, 'access', leaseMs),
    access: (renewal: Renewal) => renewHolder(database, accessSchema, renewal),
  };
  return createRightsCache(broker, logs, { isCounted: false });
};

/** Where the rights of running calls are asked for again. */
const rightsIn = (
  database: Database,
  credentials: PeerClient<typeof Credentials>,
): RightsSources => ({
  credential: (request, origin) => credentials.confirm(request, origin),
  authority: { effective: (request) => effectiveRights(onPool(database), request) },
});

const serveGrants = (deps: Parameters<typeof grantHandlers>[0]) => [
  serve(Grants, grantHandlers(deps), grantChecks),
  serve(GroupGrants, groupGrantHandlers(deps), grantChecks),
  serve(BotGrants, botGrantHandlers(deps), grantChecks),
];

/** The access service: tenants, roles, grants and decisions. */
function createAccess({ settings, peers, log }: Options): Promise<Service> {
  const { directory, credentials } = clientsOf(peers);
  const keyRing = openKeyRing(settings.keyRing, log);
  const { tenantGraceSeconds, tenantCreation } = settings;
  return createService({
    schema: accessSchema,
    settings,
    keyRing,
    log,
    parts({ database, broker, revoke }) {
      const limiter = createLimiter(database);
      const rightsCache = createDecisionCache(database, broker, peers);
      const deps = {
        database,
        broker,
        directory,
        log,
        rightsCache,
        pager: createPager(keyRing),
        keyRing,
        limiter,
        limits: invitationLimits[settings.limits as LimitProfile],
        tenantCreation,
        reservedNames: [...settings.reservedNames, settings.brandName],
        tenantGraceSeconds,
      };
      const served = [
        serve(Tenants, { ...tenantHandlers(deps), ...countHandlers }, tenantChecks(settings)),
        serve(TenantMembers, tenantMemberHandlers(deps)),
        serve(TenantInvitations, invitationHandlers(deps)),
        serve(Groups, groupHandlers(deps)),
        serve(Roles, roleHandlers(deps), roleChecks),
        ...serveGrants({ ...deps, log }),
        serve(Operators, operatorHandlers(deps)),
        serve(Access, { ...decisionHandlers(deps), plan: (...args) => plan(deps, ...args) }),
        serve(Audit, auditHandlers(deps)),
        serve(Authority, rightsServiceHandlers({ database, directory, revoke, credentials, log })),
        serve(Admission, justInTimeHandlers({ ...deps, log })),
        serve(Scim, scimHandlers(deps)),
        serve(Imports, importsHandlers({ database })),
        serve(AccessLimits, { take: countAddress(limiter, deps.limits.addresses) }),
      ];
      return {
        served,
        background: [
          projectAudit({ database, broker, log }),
          startPruning({ ...deps, retentionDays: settings.auditRetentionDays, log }),
          ...sweepers({ database, revoke, log }),
          sweepLimits(limiter, log),
          followSubjects({ database, broker, revoke, log }),
          ...followNames(deps),
          startPurger({ database, schema: accessSchema, graceSeconds: tenantGraceSeconds, log }),
          () => async () => rightsCache.close(),
        ],
        rights: rightsIn(database, credentials),
      };
    },
  });
}

export const accessPart = servicePart('access', accessSettings, createAccess);
