import { timeOf } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { isOwnFamily, types } from '../events/catalogue.ts';
import { type ExplainDeps, explainDelivery } from '../explanations/explain.ts';
import { reachMessages, skipMessages } from '../explanations/messages.ts';
import { type Receiver, reachReason, skipReason } from '../fanout/event.ts';
import { listEndpoints } from './queries.ts';

/** More endpoints than any tenant may have. */
const all = { limit: 100_000, after: '' };

const messages = {
  '': 'The endpoint gets every event of this type.',
  ...skipMessages,
  ...reachMessages,
  unknown_type: 'There is no event of this type.',
} as const;

type Reason = keyof typeof messages;

/** Explains the decisions of fan-out, with the same code that fan-out uses, and what follows. */
export function explainHandlers(
  deps: ExplainDeps,
): Pick<Handlers<typeof Webhooks>, 'explain' | 'explainDelivery'> {
  return {
    async explainDelivery({ tenant, event: id }) {
      const fate = await explainDelivery(deps, { tenant, event: id, endpoint: null });
      if (!fate) throw notFound('event');
      const { event, endpoints } = fate;
      return {
        event: id,
        eventType: event.type,
        occurredAt: timeOf(event.timestamp),
        endpoints,
      };
    },

    async explain({ tenant, type }) {
      const verdicts = (await listEndpoints(deps.database, tenant, all)).map((endpoint) => {
        const reason = reasonOf(type, endpoint);
        return {
          endpoint: endpoint.id,
          name: endpoint.name,
          receives: reason === '' || reason === 'self_event',
          reason,
          message: messages[reason],
        };
      });
      return { endpoints: verdicts };
    },
  };
}

function reasonOf(type: string, endpoint: Receiver): Reason {
  if (isOwnFamily(type) && !types.has(type)) return 'unknown_type';
  const isOwn = type.startsWith('webhook_endpoint.');
  // Checks events about other endpoints first: an event skipped there is always skipped.
  return (
    reachReason(type) ??
    skipReason({ type, subject: '' }, endpoint) ??
    (isOwn ? skipReason({ type, subject: endpoint.id }, endpoint) : undefined) ??
    ''
  );
}
