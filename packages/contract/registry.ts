import { file_bailiwick_access_v1_access } from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import { file_bailiwick_access_v1_admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { file_bailiwick_access_v1_audit } from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import { file_bailiwick_access_v1_grants } from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import { file_bailiwick_access_v1_groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { file_bailiwick_access_v1_imports } from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import { file_bailiwick_access_v1_internal } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { file_bailiwick_access_v1_invitations } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import { file_bailiwick_access_v1_operators } from '@bailiwick/proto/gen/bailiwick/access/v1/operators_pb.ts';
import { file_bailiwick_access_v1_roles } from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import { file_bailiwick_access_v1_scim } from '@bailiwick/proto/gen/bailiwick/access/v1/scim_pb.ts';
import { file_bailiwick_access_v1_tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { file_bailiwick_identity_v1_account } from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import { file_bailiwick_identity_v1_bot_keys } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_keys_pb.ts';
import { file_bailiwick_identity_v1_bot_trusts } from '@bailiwick/proto/gen/bailiwick/identity/v1/bot_trusts_pb.ts';
import { file_bailiwick_identity_v1_bots } from '@bailiwick/proto/gen/bailiwick/identity/v1/bots_pb.ts';
import { file_bailiwick_identity_v1_factors } from '@bailiwick/proto/gen/bailiwick/identity/v1/factors_pb.ts';
import { file_bailiwick_identity_v1_federation } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { file_bailiwick_identity_v1_internal } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { file_bailiwick_identity_v1_lock_receipts } from '@bailiwick/proto/gen/bailiwick/identity/v1/lock_receipts_pb.ts';
import { file_bailiwick_identity_v1_locks } from '@bailiwick/proto/gen/bailiwick/identity/v1/locks_pb.ts';
import { file_bailiwick_identity_v1_passkeys } from '@bailiwick/proto/gen/bailiwick/identity/v1/passkeys_pb.ts';
import { file_bailiwick_identity_v1_sessions } from '@bailiwick/proto/gen/bailiwick/identity/v1/sessions_pb.ts';
import { file_bailiwick_identity_v1_support } from '@bailiwick/proto/gen/bailiwick/identity/v1/support_pb.ts';
import { file_bailiwick_identity_v1_tokens } from '@bailiwick/proto/gen/bailiwick/identity/v1/tokens_pb.ts';
import { file_bailiwick_identity_v1_users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { file_bailiwick_notifications_v1_app_logouts } from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import { file_bailiwick_notifications_v1_chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import { file_bailiwick_notifications_v1_events } from '@bailiwick/proto/gen/bailiwick/notifications/v1/events_pb.ts';
import { file_bailiwick_notifications_v1_internal } from '@bailiwick/proto/gen/bailiwick/notifications/v1/internal_pb.ts';
import { file_bailiwick_notifications_v1_keys } from '@bailiwick/proto/gen/bailiwick/notifications/v1/keys_pb.ts';
import { file_bailiwick_notifications_v1_mail } from '@bailiwick/proto/gen/bailiwick/notifications/v1/mail_pb.ts';
import { file_bailiwick_notifications_v1_portal } from '@bailiwick/proto/gen/bailiwick/notifications/v1/portal_pb.ts';
import { file_bailiwick_notifications_v1_portals } from '@bailiwick/proto/gen/bailiwick/notifications/v1/portals_pb.ts';
import { file_bailiwick_notifications_v1_queues } from '@bailiwick/proto/gen/bailiwick/notifications/v1/queues_pb.ts';
import { file_bailiwick_notifications_v1_tasks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { file_bailiwick_notifications_v1_webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { file_bailiwick_options_v1_rules } from '@bailiwick/proto/gen/bailiwick/options/v1/rules_pb.ts';
import { file_bailiwick_sso_v1_account_apps } from '@bailiwick/proto/gen/bailiwick/sso/v1/account_apps_pb.ts';
import { file_bailiwick_sso_v1_apps } from '@bailiwick/proto/gen/bailiwick/sso/v1/apps_pb.ts';
import { file_bailiwick_sso_v1_domain } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { file_bailiwick_sso_v1_internal } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { file_bailiwick_sso_v1_provider } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { file_bailiwick_sso_v1_sign_outs } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import { file_bailiwick_sso_v1_sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import {
  createRegistry,
  type DescFile,
  type DescMethod,
  type DescService,
} from '@bufbuild/protobuf';
import { type Operation, readOperation } from './operation.ts';

/** Every file that declares services. registry.test.ts fails if one is missing. */
const files: readonly DescFile[] = [
  file_bailiwick_identity_v1_account,
  file_bailiwick_identity_v1_sessions,
  file_bailiwick_identity_v1_factors,
  file_bailiwick_identity_v1_passkeys,
  file_bailiwick_identity_v1_support,
  file_bailiwick_identity_v1_tokens,
  file_bailiwick_identity_v1_users,
  file_bailiwick_identity_v1_bots,
  file_bailiwick_identity_v1_lock_receipts,
  file_bailiwick_identity_v1_locks,
  file_bailiwick_identity_v1_bot_keys,
  file_bailiwick_identity_v1_bot_trusts,
  file_bailiwick_identity_v1_internal,
  file_bailiwick_access_v1_scim,
  file_bailiwick_access_v1_tenants,
  file_bailiwick_access_v1_invitations,
  file_bailiwick_access_v1_groups,
  file_bailiwick_access_v1_roles,
  file_bailiwick_access_v1_operators,
  file_bailiwick_access_v1_grants,
  file_bailiwick_access_v1_access,
  file_bailiwick_access_v1_audit,
  file_bailiwick_access_v1_imports,
  file_bailiwick_access_v1_internal,
  file_bailiwick_access_v1_admission,
  file_bailiwick_identity_v1_federation,
  file_bailiwick_sso_v1_domain,
  file_bailiwick_sso_v1_provider,
  file_bailiwick_sso_v1_sign_outs,
  file_bailiwick_sso_v1_sso,
  file_bailiwick_sso_v1_apps,
  file_bailiwick_sso_v1_account_apps,
  file_bailiwick_sso_v1_internal,
  file_bailiwick_notifications_v1_webhooks,
  file_bailiwick_notifications_v1_portals,
  file_bailiwick_notifications_v1_portal,
  file_bailiwick_notifications_v1_internal,
  file_bailiwick_notifications_v1_chat,
  file_bailiwick_notifications_v1_app_logouts,
  file_bailiwick_notifications_v1_mail,
  file_bailiwick_notifications_v1_keys,
  file_bailiwick_notifications_v1_events,
  file_bailiwick_notifications_v1_queues,
  file_bailiwick_notifications_v1_tasks,
];

/** Every service, public and internal. */
export const services: readonly DescService[] = files.flatMap((file) => file.services);

/** Every operation by its documented name, and the rpcs between processes as <Service>_<Rpc>. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  services
    .flatMap((service) => service.methods)
    .map((method) => readOperation(method))
    .map((operation) => [operation.name, operation]),
);

const byMethod = new Map<DescMethod, Operation>(
  [...operations.values()].map((operation) => [operation.method, operation]),
);

/** Returns the operation of an rpc. */
export function operationOf(method: DescMethod): Operation {
  const operation = byMethod.get(method);
  if (operation === undefined)
    throw new Error(`${method.parent.typeName}.${method.name} is not in the registry`);
  return operation;
}

/** The messages and Bailiwick's predefined rules, for protovalidate's createValidator. */
export const validationRegistry = createRegistry(...files, file_bailiwick_options_v1_rules);
