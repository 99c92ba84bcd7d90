import { Buffer } from 'node:buffer';
import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import type { Limiter } from '@bailiwick/store';
import type { ChatKind } from '../chat-kinds.ts';
import { sendTest } from '../endpoints/test-delivery.ts';
import { directCall } from '../sending/task.ts';
import { toJson } from './api-record.ts';
import { attemptMessage, type DeliverDeps } from './deliver.ts';
import { messageOf } from './message.ts';
import { findEndpoint } from './queries.ts';
import { renderBody } from './render.ts';

export function testDeliveryHandler(
  deps: DeliverDeps & { limiter: Limiter },
): Pick<Handlers<typeof Chat>, 'sendTest'> {
  return {
    async sendTest({ tenant, id: endpoint }, call) {
      const stored = await findEndpoint(deps.database, tenant, endpoint);
      if (!stored) throw notFound('endpoint');
      return sendTest(deps, call, {
        tenant,
        target: { Type: 'chat_endpoint', ID: endpoint, Name: stored.name },
        action: 'chat_endpoint.tested',
        data: toJson(stored),
        attempt: ({ text }, signal) => {
          const body = Buffer.from(renderBody(stored.kind as ChatKind, messageOf(text)));
          return attemptMessage(
            deps,
            { tenant, endpoint, body, evenInactive: true },
            { attempt: directCall, signal },
          );
        },
      });
    },
  };
}
