import { timeOf } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { isOwnFamily, reachOf, types } from '../events/catalogue.ts';
import { type ExplainDeps, explainDelivery } from '../explanations/explain.ts';
import { skipMessages } from '../explanations/messages.ts';
import { type Receiver, skipReason } from '../fanout/event.ts';
import { listEndpoints } from './queries.ts';

/** More endpoints than any tenant may have. */
const all = { limit: 100_000, after: '' };

const messages = {
  '': 'The endpoint gets every event of this type.',
  ...skipMessages,
  no_tenant: 'Events of this type belong to no tenant, or to a deleted one.',
  test_only: 'Events of this type are sent only by a test, to the tested endpoint.',
  unknown_type: 'There is no event of this type.',
} as const;

type Reason = keyof typeof messages;

/** Explains the decisions of fan-out, with the same code that fan-out uses, and what follows. */
export function explainHandlers(
  deps: ExplainDeps,
): Pick<Handlers<typeof Webhooks>, 'explain' | 'explainDelivery'> {
  return {
    async explainDelivery({ tenant, event: id }) {
      const explained = await explainDelivery(deps, { tenant, event: id, endpoint: null });
      if (!explained) throw notFound('event');
      const { event, endpoints } = explained;
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
  const reach = reachOf(type);
  if (reach === 'none') return 'no_tenant';
  if (reach === 'test') return 'test_only';
  const isOwn = type.startsWith('webhook_endpoint.');
  // Checks events about other endpoints first: an event skipped there is always skipped.
  return (
    skipReason({ type, subject: '' }, endpoint) ??
    (isOwn ? skipReason({ type, subject: endpoint.id }, endpoint) : undefined) ??
    ''
  );
}
