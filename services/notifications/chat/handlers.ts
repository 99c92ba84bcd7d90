import { Buffer } from 'node:buffer';
import { type EgressRules } from '@bailiwick/egress';
import { notFound } from '@bailiwick/errors';
import type { Chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import { type Call, type Checks, type Handlers, type ReplayChecks } from '@bailiwick/rpc';
import { changedFields, createId, timeAfter } from '@bailiwick/values';
import { LockMode } from '@mikro-orm/core';
import { kindOf } from '../chat-kinds.ts';
import { type EndpointDeps, sharedHandlers } from '../endpoints/handlers.ts';
import { assertRoom, urlProblems } from '../endpoints/limits.ts';
import { allowUpdate } from '../endpoints/permission.ts';
import { createdValues, requireEndpoint } from '../endpoints/values.ts';
import { clearHealth } from '../health/queries.ts';
import {
  type Address,
  recordEndpointEvent,
  replacedUrl,
  toApi,
  toJson,
  updateOf,
  urlContext,
} from './api-record.ts';
import { ChatEndpointEntity } from './entities.ts';
import { findEndpoint, findTenantOfEndpoint, listEndpoints } from './queries.ts';

export const chatChecks = (egress: EgressRules): Checks<typeof Chat> => ({
  createEndpoint: ({ url }) => urlProblems('URL', url, egress),
  updateEndpoint: ({ url }) => urlProblems('URL', url, egress),
});

type UpdateDeps = Pick<EndpointDeps, 'database' | 'authority'>;

const allowUpdateOf = (
  { database, authority }: UpdateDeps,
  { id, tenant }: { id: string; tenant: string },
  call: Call,
) =>
  allowUpdate(authority, call, 'iam.chat.write', tenant, () => findTenantOfEndpoint(database, id));

export const chatReplayChecks = (deps: UpdateDeps): ReplayChecks<typeof Chat> => ({
  updateEndpoint: ({ endpoint }, call) => allowUpdateOf(deps, requireEndpoint(endpoint), call),
});

export function chatHandlers({
  database,
  keys,
  pager,
  authority,
  endpointLimit,
  ...messages
}: EndpointDeps): Omit<Handlers<typeof Chat>, 'deliver' | 'listAttempts' | 'sendTest'> {
  async function addressOf(tenant: string, endpoint: string, url: string): Promise<Address> {
    const { dekId, sealed } = await keys.seal(tenant, Buffer.from(url), urlContext(endpoint));
    return { dekId, urlEnc: sealed, kind: kindOf(url) };
  }

  return {
    async createEndpoint(request, call) {
      const endpoint = requireEndpoint(request.endpoint);
      const { tenant } = endpoint;
      const id = createId('slk');
      const address = await addressOf(tenant, id, request.url);
      const row = await database.transaction(
        { tenant, row: `chat_endpoint ${tenant}` },
        async (em) => {
          await assertRoom(em, {
            tenant,
            kind: 'chat',
            limit: endpointLimit,
            count: () => em.count(ChatEndpointEntity, { tenant }),
          });
          const created = em.create(ChatEndpointEntity, {
            ...createdValues(endpoint),
            ...address,
            tenant,
            id,
          });
          em.persist(created);
          recordEndpointEvent(em, call, 'chat_endpoint.created', created);
          return created;
        },
      );
      return { endpoint: toApi(row) };
    },

    async updateEndpoint(request, call) {
      const endpoint = requireEndpoint(request.endpoint);
      const { tenant, allowed } = await allowUpdateOf({ database, authority }, endpoint, call);
      const address =
        request.url === '' ? undefined : await addressOf(tenant, endpoint.id, request.url);
      const row = await database.transaction(
        { tenant, row: `endpoint ${tenant} ${endpoint.id}` },
        async (em) => {
          const stored = await em.findOne(
            ChatEndpointEntity,
            { tenant, id: endpoint.id },
            { lockMode: LockMode.PESSIMISTIC_WRITE },
          );
          if (!stored) throw notFound('endpoint');
          if (endpoint.active) await clearHealth(em, tenant, endpoint.id);
          const before = toJson(stored);
          em.assign(stored, updateOf(endpoint, stored, address));
          // The new URL is not compared with the old one, so that a URL that can no longer be
          // opened can be replaced, too.
          const previous: Record<string, unknown> = {
            ...changedFields(before, toJson(stored)),
            ...(address ? replacedUrl : {}),
          };
          if (Object.keys(previous).length === 0) return stored;
          stored.updatedAt = timeAfter(stored.updatedAt);
          recordEndpointEvent(em, allowed, 'chat_endpoint.updated', stored, previous);
          return stored;
        },
      );
      return { endpoint: toApi(row) };
    },

    ...sharedHandlers(
      { database, pager, ...messages },
      {
        type: 'chat_endpoint',
        events: { deleted: 'chat_endpoint.deleted', replayed: 'chat_endpoint.replayed' },
        find: findEndpoint,
        list: listEndpoints,
        lock: (em, which, lockMode) => em.findOne(ChatEndpointEntity, which, { lockMode }),
        toApi,
        recordEvent: recordEndpointEvent,
      },
    ),
  };
}
