import { fileURLToPath } from 'node:url';
import { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import { AccountTasks, TenantInvitationsTasks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { serve } from '@bailiwick/shared/dispatch.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { createPager } from '@bailiwick/shared/page.ts';
import { asService } from '@bailiwick/shared/rpc.ts';
import { parseKeyRing } from '@bailiwick/shared/seal.ts';
import { type Background, createService, type Service } from '@bailiwick/shared/service.ts';
import type { OwnSettings } from '@bailiwick/shared/settings.ts';
import { createClient, type Transport } from '@connectrpc/connect';
import { chatHandlers } from './chat/handlers.ts';
import { accountTaskHandlers, invitationTaskHandlers } from './email/handlers.ts';
import { createMailer } from './email/mailer.ts';
import { createMails } from './email/mails.ts';
import { readTemplates } from './email/templates.ts';
import { endpointHandlers } from './endpoints/handlers.ts';
import { startFanout } from './fanout/fanout.ts';
import { createTenantKeys } from './keys/keys.ts';
import { readPlan } from './roles.ts';
import { measureQueue } from './queue/metrics.ts';
import { startDueRelay } from './queue/relay.ts';
import { createStore } from './queue/store.ts';
import { startWorker } from './queue/worker.ts';
import { notificationsSchema } from './schema.ts';
import type { notificationsSettings } from './settings.ts';
import { deliverHandler } from './webhooks/handlers.ts';
import { createPools } from './webhooks/pools.ts';
import { limits } from './webhooks/send.ts';

type Options = { settings: OwnSettings<typeof notificationsSettings>; peers: { access: Transport }; log: Log };

/** notifications answers: who is told? */
export async function createNotifications({ settings, peers, log }: Options): Promise<Service> {
  const { roles, lanes, egress } = readPlan(settings);
  const ring = parseKeyRing(settings.keyRing);
  const authority = createClient(Authority, asService(peers.access, 'notifications'));
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, from: settings.mailFrom, connections: settings.emailConcurrency });
  const pools = createPools({ connections: settings.deliveryConcurrency, ...limits });
  const templates = readTemplates(fileURLToPath(new URL('email/templates', import.meta.url)));

  const service = await createService({
    schema: notificationsSchema,
    settings,
    log,
    parts({ database, broker }) {
      const keys = createTenantKeys({ database, ring });
      const store = createStore({ database, keys });
      const mails = createMails({ mailer, templates, ring, publicUrl: settings.publicUrl });
      const endpoints = endpointHandlers({ database, keys, egress, authority, pager: createPager(ring), endpointLimit: settings.endpointLimit });
      // Consumers end with the broker, which the service closes after this.
      const consume =
        (begin: () => void): Background =>
        () => (begin(), () => Promise.resolve());
      const workers: Background[] = lanes.map(
        (lane) =>
          ({ dispatch }) => (startWorker({ broker, dispatch, store, log }, lane), () => Promise.resolve()),
      );
      const relay: Background = () =>
        startDueRelay(
          { database, broker, store, log },
          lanes.map(({ name }) => name),
        );
      const measure = consume(() =>
        measureQueue(
          { database, broker },
          lanes.map(({ name }) => name),
        ),
      );
      return {
        served: [
          serve(Webhooks, { ...endpoints, ...deliverHandler({ database, keys, egress, pools }) }),
          serve(Chat, chatHandlers),
          serve(AccountTasks, accountTaskHandlers(mails)),
          serve(TenantInvitationsTasks, invitationTaskHandlers(mails)),
        ],
        background: [
          ...(roles.has('fanout') ? [consume(() => startFanout({ database, broker, authority, log }))] : []),
          ...workers,
          ...(lanes.length > 0 ? [relay, measure] : []),
        ],
      };
    },
  });
  return {
    ...service,
    async stop() {
      await service.stop();
      // What was in hand needed these to the end.
      mailer.close();
      await pools.close();
    },
  };
}
