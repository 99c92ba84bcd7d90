import { createClient, type Transport } from '@connectrpc/connect';
import { Audit } from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import { BotGrants, Grants, GroupGrants } from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { TenantInvitations } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import { Roles } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { TenantMembers, Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { Directory } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { serve } from '@bailiwick/shared/dispatch.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { createPager } from '@bailiwick/shared/page.ts';
import { asService } from '@bailiwick/shared/rpc.ts';
import { parseKeyRing } from '@bailiwick/shared/seal.ts';
import { createService, type Service } from '@bailiwick/shared/service.ts';
import type { OwnSettings } from '@bailiwick/shared/settings.ts';
import { auditHandlers } from './audit/handlers.ts';
import { projectAudit } from './audit/projector.ts';
import { authorityHandlers } from './decisions/handlers.ts';
import { botGrantHandlers, grantHandlers, groupGrantHandlers } from './grants/handlers.ts';
import { groupHandlers } from './groups/handlers.ts';
import { invitationHandlers } from './invitations/handlers.ts';
import { roleHandlers } from './roles/handlers.ts';
import { accessSchema } from './schema.ts';
import type { accessSettings } from './settings.ts';
import { tenantHandlers } from './tenants/handlers.ts';
import { tenantMemberHandlers } from './tenants/members.ts';

type Options = { settings: OwnSettings<typeof accessSettings>; peers: { identity: Transport }; log: Log };

/** access answers: what may they do? */
export function createAccess({ settings, peers, log }: Options): Promise<Service> {
  const directory = createClient(Directory, asService(peers.identity, 'access'));
  const pager = createPager(parseKeyRing(settings.keyRing));
  return createService({
    schema: accessSchema,
    settings,
    log,
    parts({ database, broker }) {
      const deps = { database, directory, pager, tenantCreation: settings.tenantCreation };
      const served = [
        serve(Tenants, tenantHandlers(deps)),
        serve(TenantMembers, tenantMemberHandlers(deps)),
        serve(TenantInvitations, invitationHandlers),
        serve(Groups, groupHandlers(deps)),
        serve(Roles, roleHandlers),
        serve(Grants, grantHandlers),
        serve(GroupGrants, groupGrantHandlers),
        serve(BotGrants, botGrantHandlers),
        serve(Audit, auditHandlers(deps)),
        serve(Authority, authorityHandlers(deps)),
      ];
      return { served, background: [projectAudit({ database, broker, log })] };
    },
  });
}
