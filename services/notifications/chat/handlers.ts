import { Buffer } from 'node:buffer';
import { changedFields, createId, timeAfter } from '@bailiwick/contract';
import { type EgressRules } from '@bailiwick/egress';
import { notFound } from '@bailiwick/errors';
import { type TenantKeys } from '@bailiwick/keys';
import type { Call, Checks, Handlers, ReplayChecks } from '@bailiwick/pipeline';
import type {
  Chat,
  ChatCreateEndpointRequest,
  ChatUpdateEndpointRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { kindFor } from '../chat-kinds.ts';
import { type EndpointDeps, sharedHandlers } from '../endpoints/handlers.ts';
import { assertRoom, urlProblems } from '../endpoints/limits.ts';
import { allowUpdate } from '../endpoints/permission.ts';
import { createdValues, requireEndpoint, updatedValues } from '../endpoints/values.ts';
import { clearHealth } from '../health/queries.ts';
import { rowOf } from '../rows.ts';
import {
  recordEndpointEvent,
  replacedUrl,
  type SealedUrl,
  toApi,
  toJson,
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

export function chatHandlers(
  deps: EndpointDeps,
): Omit<Handlers<typeof Chat>, 'deliver' | 'getStats' | 'listAttempts' | 'sendTest'> {
  return {
    createEndpoint: (request, call) => createEndpoint(deps, request, call),
    updateEndpoint: (request, call) => updateEndpoint(deps, request, call),
    ...sharedHandlers(deps, {
      type: 'chat_endpoint',
      events: { deleted: 'chat_endpoint.deleted', replayed: 'chat_endpoint.replayed' },
      find: findEndpoint,
      list: listEndpoints,
      lock: (tx, key, lockMode) => tx.em.findOne(ChatEndpointEntity, key, { lockMode }),
      toApi,
      recordEvent: recordEndpointEvent,
    }),
  };
}

async function createEndpoint(
  { database, keys, endpointLimit }: EndpointDeps,
  request: ChatCreateEndpointRequest,
  call: Call,
) {
  const endpoint = requireEndpoint(request.endpoint);
  const { tenant } = endpoint;
  const id = createId('slk');
  const kind = kindFor(request.url, { requested: endpoint.kind, stored: '' });
  const address = { ...(await sealUrl(keys, { tenant, id }, request.url)), kind };
  const turn = { tenant, row: rowOf.endpoints('chat', tenant) };
  const row = await database.transaction({ call, ...turn }, async (tx) => {
    const count = () => tx.em.count(ChatEndpointEntity, { tenant });
    await assertRoom(tx, { tenant, kind: 'chat', limit: endpointLimit, count });
    const values = { ...createdValues(endpoint), ...address, tenant, id };
    const created = tx.em.create(ChatEndpointEntity, values);
    tx.em.persist(created);
    recordEndpointEvent(tx, 'chat_endpoint.created', created);
    return created;
  });
  return { endpoint: toApi(row) };
}

async function updateEndpoint(
  { database, keys, authority }: EndpointDeps,
  request: ChatUpdateEndpointRequest,
  call: Call,
) {
  const endpoint = requireEndpoint(request.endpoint);
  const { id } = endpoint;
  const { tenant, allowed } = await allowUpdateOf({ database, authority }, endpoint, call);
  const sealed = request.url === '' ? undefined : await sealUrl(keys, { tenant, id }, request.url);
  const turn = { tenant, row: rowOf.endpoint(tenant, id) };
  const row = await database.transaction({ call: allowed, ...turn }, async (tx) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const stored = await tx.em.findOne(ChatEndpointEntity, { tenant, id }, { lockMode });
    if (!stored) throw notFound('endpoint');
    if (endpoint.active) await clearHealth(tx, tenant, id);
    const before = toJson(stored);
    const kind = sealed
      ? kindFor(request.url, { requested: endpoint.kind, stored: stored.kind })
      : endpoint.kind || stored.kind;
    tx.em.assign(stored, { ...updatedValues(endpoint, stored), ...sealed, kind });
    // The new URL is not compared with the old one, so that a URL that can no longer be opened can
    // be replaced, too.
    const previous: Record<string, unknown> = {
      ...changedFields(before, toJson(stored)),
      ...(sealed ? replacedUrl : {}),
    };
    if (Object.keys(previous).length === 0) return stored;
    stored.updatedAt = timeAfter(stored.updatedAt);
    recordEndpointEvent(tx, 'chat_endpoint.updated', stored, previous);
    return stored;
  });
  return { endpoint: toApi(row) };
}

async function sealUrl(
  keys: TenantKeys,
  { tenant, id }: { tenant: string; id: string },
  url: string,
): Promise<SealedUrl> {
  const { dekId, sealed } = await keys.seal(tenant, Buffer.from(url), urlContext(id));
  return { dekId, urlEnc: sealed };
}
