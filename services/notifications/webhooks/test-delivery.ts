import { Buffer } from 'node:buffer';
import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import type { Limiter } from '@bailiwick/store';
import { sendTest } from '../endpoints/test-delivery.ts';
import { directCall } from '../sending/task.ts';
import { toJson } from './api-record.ts';
import { attemptDelivery, type DeliverDeps } from './deliver.ts';
import { findEndpoint } from './queries.ts';

export function testDeliveryHandler(
  deps: DeliverDeps & { limiter: Limiter },
): Pick<Handlers<typeof Webhooks>, 'sendTest'> {
  return {
    async sendTest({ tenant, id: endpoint }, call) {
      const stored = await findEndpoint(deps.database, tenant, endpoint);
      if (!stored) throw notFound('endpoint');
      return sendTest(deps, call, {
        tenant,
        target: { Type: 'webhook_endpoint', ID: endpoint, Name: stored.name },
        action: 'webhook_endpoint.tested',
        data: toJson(stored),
        attempt: ({ id, type, text }, signal) =>
          attemptDelivery(
            deps,
            { tenant, endpoint, type, body: Buffer.from(text), id, evenInactive: true },
            { attempt: directCall, signal },
          ),
      });
    },
  };
}
