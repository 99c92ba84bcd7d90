import { createPools } from '@bailiwick/egress';
import { createTenantKeys, openKeyRing, openKeyService } from '@bailiwick/keys';
import { createLimiter, type LimitProfile, mailLimits } from '@bailiwick/limits';
import { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import { Events } from '@bailiwick/proto/gen/bailiwick/notifications/v1/events_pb.ts';
import { Keys } from '@bailiwick/proto/gen/bailiwick/notifications/v1/keys_pb.ts';
import { Mail } from '@bailiwick/proto/gen/bailiwick/notifications/v1/mail_pb.ts';
import {
  AccountTasks,
  TenantInvitationsTasks,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { DataKeys, DomainOwner } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { asService, createPager, serve } from '@bailiwick/rpc';
import {
  type Background,
  createService,
  followPurges,
  forgetEverywhere,
  maintainDataKeys,
  type OwnSettings,
  type Service,
} from '@bailiwick/service';
import { type Log } from '@bailiwick/telemetry';
import { createClient, type Transport } from '@connectrpc/connect';
import { deliverHandler as deliverChatHandler } from './chat/deliver.ts';
import { chatChecks, chatHandlers, chatReplayChecks } from './chat/handlers.ts';
import { chatKind } from './chat/status.ts';
import { testDeliveryHandler as testChatDeliveryHandler } from './chat/test-delivery.ts';
import {
  accountTaskHandlers,
  invitationTaskHandlers,
  suppressionHandlers,
} from './email/handlers.ts';
import { createMailer } from './email/mailer.ts';
import { createMails } from './email/mails.ts';
import { senderOf } from './email/sender.ts';
import { createSuppressions } from './email/suppression.ts';
import { openTemplates } from './email/templates.ts';
import { listEventTypesHandler } from './events/list.ts';
import { eventsChecks, eventsHandlers } from './events/publish.ts';
import { createDomainOwners } from './fanout/domain-owners.ts';
import { startFanout } from './fanout/fanout.ts';
import { keysHandlers } from './keys/handlers.ts';
import { attemptsHandler } from './messages/attempts.ts';
import { readPlan } from './process-roles.ts';
import { queueOf } from './queue/queue.ts';
import { createStore } from './queue/store.ts';
import { notificationsSchema } from './schema.ts';
import { sealedRecords } from './sealed.ts';
import { limits } from './sending/send.ts';
import type { notificationsSettings } from './settings.ts';
import { createSweeper } from './sweeper.ts';
import { deliverHandler, targetFinder } from './webhooks/deliver.ts';
import { explainHandler } from './webhooks/explain.ts';
import { endpointHandlers, webhookChecks, webhookReplayChecks } from './webhooks/handlers.ts';
import { rotateHandler } from './webhooks/rotate.ts';
import { webhookKind } from './webhooks/status.ts';
import { testDeliveryHandler } from './webhooks/test-delivery.ts';

type Options = {
  settings: OwnSettings<typeof notificationsSettings>;
  peers: { access: Transport; sso: Transport };
  log: Log;
};

/** Delivers events to webhooks and chats, and sends mail. */
export async function createNotifications({ settings, peers, log }: Options): Promise<Service> {
  const plan = readPlan(settings);
  const { roles, egress } = plan;
  const ring = openKeyRing(settings.keyRing, log);
  const keyService = openKeyService(settings, ring);
  const authority = createClient(Authority, asService(peers.access, 'notifications'));
  const ssoKeys = createClient(DataKeys, asService(peers.sso, 'notifications'));
  const owners = createDomainOwners(
    createClient(DomainOwner, asService(peers.sso, 'notifications')),
  );
  const mailer = createMailer({
    smtpUrl: settings.smtpUrl,
    from: settings.mailFrom,
    connections: settings.emailConcurrency,
  });
  const pools = createPools({ ...limits, proxy: settings.egressProxyUrl });
  const templates = openTemplates(settings.mailTemplatesDir);

  const service = await createService({
    schema: notificationsSchema,
    settings,
    keyRing: ring,
    log,
    parts({ database, broker }) {
      const keys = createTenantKeys({ database, service: keyService });
      const forget = forgetEverywhere(broker, keys);
      const store = createStore({ database, keys, keepsMessages: settings.deliveryBodyHours > 0 });
      const limiter = createLimiter(database);
      const suppressions = createSuppressions({ database, ring });
      const limit = mailLimits[settings.limits as LimitProfile];
      const mails = createMails({
        mailer,
        templates,
        ring,
        sender: senderOf(settings),
        suppressions,
        limiter,
        limit,
      });
      const pager = createPager(ring);
      const { endpointLimit, deliveryBodyHours } = settings;
      const endpointDeps = {
        database,
        keys,
        store,
        egress,
        authority,
        pager,
        endpointLimit,
        deliveryBodyHours,
      };
      const deliverDeps = { database, keys, egress, pools };
      const webhookDeps = { ...deliverDeps, findTarget: targetFinder(database) };
      const webhooks = {
        ...endpointHandlers(endpointDeps),
        ...deliverHandler(webhookDeps),
        ...rotateHandler({ database, keys }),
        ...testDeliveryHandler({ ...webhookDeps, limiter }),
        ...explainHandler({ database }),
        ...listEventTypesHandler,
        listAttempts: attemptsHandler({ database, pager }, 'whk'),
      };
      const chat = {
        ...chatHandlers(endpointDeps),
        ...deliverChatHandler(deliverDeps),
        ...testChatDeliveryHandler({ ...deliverDeps, limiter }),
        listAttempts: attemptsHandler({ database, pager }, 'slk'),
      };
      // Consumers end with the broker connection, which the service closes after this.
      const consume =
        (begin: () => void): Background =>
        () => (begin(), () => Promise.resolve());
      const upkeep = maintainDataKeys({
        database,
        keys,
        service: keyService,
        records: sealedRecords,
        forget,
        log,
      });
      return {
        served: [
          serve(Webhooks, webhooks, webhookChecks(egress), webhookReplayChecks(endpointDeps)),
          serve(Chat, chat, chatChecks(egress), chatReplayChecks(endpointDeps)),
          serve(
            Events,
            eventsHandlers({ database, limiter, profile: settings.limits as LimitProfile }),
            eventsChecks,
          ),
          serve(Keys, keysHandlers({ database, keys, ssoKeys, service: keyService, ring, forget })),
          serve(AccountTasks, accountTaskHandlers(mails)),
          serve(TenantInvitationsTasks, invitationTaskHandlers(mails)),
          serve(Mail, suppressionHandlers(suppressions)),
        ],
        background: [
          ...(roles.has('api')
            ? [
                followPurges({ schema: notificationsSchema, database, broker, log, after: forget }),
                upkeep,
                createSweeper({ database, limiter, deliveryBodyHours, log }),
              ]
            : []),
          ...(roles.has('fanout')
            ? [consume(() => startFanout({ database, broker, authority, owners, log }))]
            : []),
          ...queueOf(
            { database, broker, store, kinds: [webhookKind, chatKind], limiter, log },
            plan,
          ),
        ],
      };
    },
  });
  return {
    ...service,
    async stop() {
      await service.stop();
      // Running work needed these until now.
      mailer.close();
      await pools.close();
      await keyService.close();
    },
  };
}
