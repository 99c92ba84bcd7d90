import type { Broker, Revoke } from '@bailiwick/broker';
import { type Caller, type LimitProfile, mailLimits, type Origin } from '@bailiwick/contract';
import { createPools, type EgressRules } from '@bailiwick/egress';
import { createTenantKeys, openKeyRing, openKeyService, type TenantKeys } from '@bailiwick/keys';
import type { Handover } from '@bailiwick/outbox';
import {
  type Background,
  createPager,
  createService,
  forgetEverywhere,
  maintainDataKeys,
  type RightsSources,
  type Served,
  serve,
} from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { AppLogouts } from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import { Chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import { Events } from '@bailiwick/proto/gen/bailiwick/notifications/v1/events_pb.ts';
import {
  NotificationsLimits,
  PortalCredentials,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/internal_pb.ts';
import { Keys } from '@bailiwick/proto/gen/bailiwick/notifications/v1/keys_pb.ts';
import { Mail } from '@bailiwick/proto/gen/bailiwick/notifications/v1/mail_pb.ts';
import { Portal } from '@bailiwick/proto/gen/bailiwick/notifications/v1/portal_pb.ts';
import { WebhookPortals } from '@bailiwick/proto/gen/bailiwick/notifications/v1/portals_pb.ts';
import { Queues } from '@bailiwick/proto/gen/bailiwick/notifications/v1/queues_pb.ts';
import {
  AccountTasks,
  TenantInvitationsTasks,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import {
  AppLogout,
  DataKeys,
  DomainOwner,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { AppSignOuts } from '@bailiwick/proto/gen/bailiwick/sso/v1/sign_outs_pb.ts';
import { countAddress, createLimiter, type Database, type Limiter } from '@bailiwick/store';
import {
  createBehalfClient,
  createPeerClient,
  type OwnSettings,
  type Service,
  servicePart,
} from '@bailiwick/wire';
import type { Transport } from '@connectrpc/connect';
import { chatChecks, chatHandlers, chatReplayChecks } from './chat/handlers.ts';
import { chatKind } from './chat/status.ts';
import { testDeliveryHandler as testChatDeliveryHandler } from './chat/test-delivery.ts';
import { createBrands } from './email/brands.ts';
import {
  accountTaskHandlers,
  invitationTaskHandlers,
  suppressionHandlers,
} from './email/handlers.ts';
import { createMailer } from './email/mailer.ts';
import { createMails } from './email/mails.ts';
import { senderOf } from './email/sender.ts';
import { greetingNameOf } from './email/smtp.ts';
import { createSuppressions, type Suppressions } from './email/suppression.ts';
import { openTemplates } from './email/templates.ts';
import { createEndpointCache, followTenantPurges } from './endpoint-cache.ts';
import { listEventTypesHandler } from './events/list.ts';
import { eventsChecks, eventsHandlers } from './events/publish.ts';
import { insertWithTasks } from './fanout/at-once.ts';
import { createDomainOwners } from './fanout/domain-owners.ts';
import {
  endpointFinder,
  type RecordUnsent,
  startFanout,
  unsentRecorder,
  wantsFinder,
} from './fanout/fanout.ts';
import { createLaneQuotas, type LaneQuotas } from './fanout/lane-quotas.ts';
import { keysHandlers } from './keys/handlers.ts';
import { logoutHandlers } from './logouts/handlers.ts';
import { attemptsHandler } from './messages/attempts.ts';
import { portalHandlers } from './portal/handlers.ts';
import { portalsHandlers } from './portals/handlers.ts';
import { portalLimits } from './portals/limits.ts';
import { assertPortal, credentialsHandlers } from './portals/sessions.ts';
import { readPlan } from './process-roles.ts';
import { queueOf } from './queue/queue.ts';
import { queuesHandlers } from './queue/status/handlers.ts';
import { createStore, type Store } from './queue/store.ts';
import { notificationsSchema } from './schema.ts';
import { sealedRecords } from './sealed.ts';
import { limits } from './sending/send.ts';
import { directHandler, type Tasks } from './sending/task.ts';
import { notificationsSettings } from './settings.ts';
import { statsHandler } from './stats/handlers.ts';
import { createSweeper } from './sweeper.ts';
import { createTasks } from './tasks.ts';
import { type Announcements, createAnnouncements } from './waiting-rows.ts';
import { explainHandlers } from './webhooks/explain.ts';
import { endpointHandlers, webhookChecks, webhookReplayChecks } from './webhooks/handlers.ts';
import { rotateHandler } from './webhooks/rotate.ts';
import { createUrlSealer } from './webhooks/seal-urls.ts';
import { webhookKind } from './webhooks/status.ts';
import { type FindTarget, targetFinder } from './webhooks/targets.ts';
import { testDeliveryHandler } from './webhooks/test-delivery.ts';

type Options = {
  settings: OwnSettings<typeof notificationsSettings>;
  peers: { access: Transport; sso: Transport };
  log: Log;
};

/** Delivers events to webhooks and chats, and sends mail. */
async function createNotifications(options: Options): Promise<Service> {
  const { settings, log } = options;
  const deps = openDeps(options);
  const service = await createService({
    schema: notificationsSchema,
    settings,
    keyRing: deps.ring,
    log,
    parts: (stores) => partsOf({ ...deps, ...stores, settings, log }),
  });
  return {
    ...service,
    isCalled: deps.plan.roles.has('api'),
    async stop() {
      await service.stop();
      // Running work needed these until now.
      await deps.mailer.close();
      await deps.pools.close();
      await deps.keyService.close();
    },
  };
}

/** The connections and files that the service opens besides its database and the broker. */
function openDeps({ settings, peers, log }: Options) {
  const ring = openKeyRing(settings.keyRing, log);
  const sso = peers.sso;
  const access = peers.access;
  return {
    plan: readPlan(settings),
    ring,
    keyService: openKeyService(settings, ring),
    authority: createPeerClient(Authority, access, 'notifications'),
    tenants: createPeerClient(Tenants, access, 'notifications'),
    ssoKeys: createBehalfClient(DataKeys, peers.sso, 'notifications'),
    logout: createPeerClient(AppLogout, sso, 'notifications'),
    signOuts: createPeerClient(AppSignOuts, sso, 'notifications'),
    owners: createDomainOwners(createPeerClient(DomainOwner, sso, 'notifications')),
    mailer: createMailer({
      smtpUrl: settings.smtpUrl,
      greetingName: settings.smtpName || greetingNameOf(settings.publicUrl),
      from: settings.mailFrom,
      connections: settings.emailConcurrency,
    }),
    pools: createPools({ ...limits, proxy: settings.egressProxyUrl }),
    templates: openTemplates(settings.mailTemplatesDir),
  };
}

type Deps = ReturnType<typeof openDeps> & Pick<Options, 'settings' | 'log'> & StoreDeps;
type StoreDeps = { database: Database; broker: Broker; handover: Handover; revoke: Revoke };

function partsOf(deps: Deps) {
  const { database, broker, keyService, settings } = deps;
  const keys = createTenantKeys({ database, service: keyService });
  const rightsCache = createEndpointCache(database, broker);
  const announcements = createAnnouncements(broker);
  const { announce } = announcements;
  // A replay and an endpoint that is enabled are recorded changes.
  database.onCommit(announce);
  const parts = {
    ...deps,
    egress: deps.plan.egress,
    profile: settings.limits as LimitProfile,
    keys,
    forget: forgetEverywhere(broker, keys),
    limiter: createLimiter(database),
    announcements,
    suppressions: createSuppressions(deps),
    findTarget: targetFinder({ database, keys, rightsCache }),
    noteUnsent: unsentRecorder(database),
    quotas: createLaneQuotas(),
    logoutTries: deps.plan.schedules.webhook.length,
    store: createStore({
      database,
      keys,
      keepsMessages: settings.deliveryBodyHours > 0,
      announce,
    }),
  };
  const sender = senderOf(settings);
  const brands = createBrands({ ...parts, sender });
  const limit = mailLimits[parts.profile];
  const mails = createMails({ ...parts, sender, brands, limit });
  const shared = { ...parts, tasks: createTasks({ ...parts, mails }) };
  return {
    served: [...endpointServices(shared), ...mailServices(shared), ...platformServices(shared)],
    background: [...backgroundOf(shared), () => async () => rightsCache.close()],
    rights: {
      ...shared,
      credential: (...[request, origin]: Parameters<RightsSources['credential']>) =>
        shared.authority.confirmCredential(request, origin),
      portal: (caller: Caller, origin: Origin) => assertPortal(shared, caller, origin),
    },
  };
}

type Shared = Deps & {
  egress: EgressRules;
  profile: LimitProfile;
  keys: TenantKeys;
  /** Drops a tenant's data keys from the caches of all processes. */
  forget: (tenant: string) => void;
  limiter: Limiter;
  announcements: Announcements;
  store: Store;
  suppressions: Suppressions;
  findTarget: FindTarget;
  noteUnsent: RecordUnsent;
  quotas: LaneQuotas;
  /** The work that comes through the queue. */
  tasks: Tasks;
};

function endpointServices({ settings, ...shared }: Shared): Served[] {
  const { egress, limiter, profile } = shared;
  const { endpointLimit, deliveryBodyHours, publicUrl } = settings;
  const pager = createPager(shared.ring);
  const deps = { ...shared, pager, endpointLimit, deliveryBodyHours };
  const explainDeps = { ...shared, schedules: shared.plan.schedules };
  const webhooks = {
    ...endpointHandlers(deps),
    deliver: directHandler(shared.tasks, Webhooks.method.deliver),
    ...rotateHandler(shared),
    ...testDeliveryHandler(shared),
    ...explainHandlers(explainDeps),
    ...listEventTypesHandler,
    listAttempts: attemptsHandler(pager, 'whk'),
    getStats: statsHandler('whk'),
  };
  const chat = {
    ...chatHandlers(deps),
    deliver: directHandler(shared.tasks, Chat.method.deliver),
    ...testChatDeliveryHandler(shared),
    listAttempts: attemptsHandler(pager, 'slk'),
    getStats: statsHandler('slk'),
  };
  return [
    serve(Webhooks, webhooks, webhookChecks(egress), webhookReplayChecks(deps)),
    serve(Chat, chat, chatChecks(egress), chatReplayChecks(deps)),
    serve(AppLogouts, logoutHandlers(deps)),
    serve(WebhookPortals, portalsHandlers({ ...shared, pager, publicUrl })),
    serve(Portal, portalHandlers(explainDeps, webhooks)),
    serve(PortalCredentials, credentialsHandlers(shared)),
    serve(NotificationsLimits, { take: countAddress(limiter, portalLimits[profile]) }),
  ];
}

const mailServices = ({ tasks, suppressions }: Shared): Served[] => [
  serve(AccountTasks, accountTaskHandlers(tasks)),
  serve(TenantInvitationsTasks, invitationTaskHandlers(tasks)),
  serve(Mail, suppressionHandlers(suppressions)),
];

const platformServices = (shared: Shared): Served[] => [
  serve(Events, eventsHandlers({ ...shared, insert: insertWithTasks(shared) }), eventsChecks),
  serve(Queues, queuesHandlers(shared)),
  serve(Keys, keysHandlers({ ...shared, service: shared.keyService })),
];

function backgroundOf(shared: Shared): Background[] {
  const { plan, database, keyService, keys, forget, limiter, settings, log } = shared;
  const { deliveryBodyHours } = settings;
  const upkeep = { database, keys, service: keyService, records: sealedRecords, forget, log };
  const api = () => [
    followTenantPurges(shared),
    maintainDataKeys(upkeep),
    createUrlSealer({ database, keys, log }),
    createSweeper({ database, limiter, deliveryBodyHours, log }),
  ];
  // Consumers end with the broker connection, which the service closes after this.
  const finders = {
    findEndpoints: endpointFinder(database),
    wants: wantsFinder(database),
  };
  const fanout: Background = () => (
    startFanout({ ...shared, ...finders }), () => Promise.resolve()
  );
  return [
    ...(plan.roles.has('api') ? api() : []),
    ...(plan.roles.has('fanout') ? [fanout] : []),
    ...queueOf({ ...shared, kinds: [webhookKind, chatKind] }, plan),
  ];
}

export const notificationsPart = servicePart(
  'notifications',
  notificationsSettings,
  createNotifications,
);
