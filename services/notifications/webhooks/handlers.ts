import { Buffer } from 'node:buffer';
import { changedFields, createId, timeAfter } from '@bailiwick/contract';
import { type EgressRules } from '@bailiwick/egress';
import { invalid, notFound } from '@bailiwick/errors';
import type { Call, Checks, Handlers, ReplayChecks } from '@bailiwick/pipeline';
import type {
  Webhooks,
  WebhooksCreateEndpointRequest,
  WebhooksUpdateEndpointRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { type EndpointDeps, sharedHandlers } from '../endpoints/handlers.ts';
import { assertRoom, urlProblems } from '../endpoints/limits.ts';
import { allowUpdate } from '../endpoints/permission.ts';
import { createdValues, requireEndpoint } from '../endpoints/values.ts';
import { clearHealth } from '../health/queries.ts';
import { rowOf } from '../rows.ts';
import { recordEndpointEvent, secretContext, toApi, toJson, updateOf } from './api-record.ts';
import { WebhookEndpointEntity } from './entities.ts';
import { findEndpoint, findTenantOfEndpoint, listEndpoints } from './queries.ts';
import { createSecret } from './rotate.ts';
import { displayUrl, readUrl, storedUrl } from './url.ts';

type Managed =
  | 'createEndpoint'
  | 'updateEndpoint'
  | 'getEndpoint'
  | 'listEndpoints'
  | 'deleteEndpoint'
  | 'replayFailed'
  | 'getMessage'
  | 'resend';

export const webhookChecks = (egress: EgressRules): Checks<typeof Webhooks> => ({
  createEndpoint: ({ endpoint }) => urlProblems('Endpoint.URL', endpoint?.url ?? '', egress),
});

function assertUrl(url: string, egress: EgressRules): void {
  const problems = urlProblems('Endpoint.URL', url, egress);
  if (problems.length > 0) throw invalid(problems);
}

type UpdateDeps = Pick<EndpointDeps, 'database' | 'authority'>;

const allowUpdateOf = (
  { database, authority }: UpdateDeps,
  { id, tenant }: { id: string; tenant: string },
  call: Call,
) =>
  allowUpdate(authority, call, 'iam.webhooks.write', tenant, () =>
    findTenantOfEndpoint(database, id),
  );

export const webhookReplayChecks = (deps: UpdateDeps): ReplayChecks<typeof Webhooks> => ({
  updateEndpoint: ({ endpoint }, call) => allowUpdateOf(deps, requireEndpoint(endpoint), call),
});

export function endpointHandlers(deps: EndpointDeps): Pick<Handlers<typeof Webhooks>, Managed> {
  return {
    createEndpoint: (request, call) => createEndpoint(deps, request, call),
    updateEndpoint: (request, call) => updateEndpoint(deps, request, call),
    ...sharedHandlers(deps, {
      type: 'webhook_endpoint',
      events: { deleted: 'webhook_endpoint.deleted', replayed: 'webhook_endpoint.replayed' },
      find: findEndpoint,
      list: listEndpoints,
      lock: (tx, key, lockMode) => tx.em.findOne(WebhookEndpointEntity, key, { lockMode }),
      toApi: async (row) => toApi(row, await readUrl(deps, row)),
      recordEvent: recordEndpointEvent,
    }),
  };
}

async function createEndpoint(
  { database, keys, endpointLimit }: EndpointDeps,
  request: WebhooksCreateEndpointRequest,
  call: Call,
) {
  const endpoint = requireEndpoint(request.endpoint);
  const { tenant, url, rateLimit = 0 } = endpoint;
  const id = createId('whk');
  const secret = createSecret();
  const { dekId, sealed } = await keys.seal(tenant, Buffer.from(secret), secretContext(id));
  const address = await storedUrl({ database, keys }, { tenant, id }, url);
  const turn = { tenant, row: rowOf.endpoints('webhook', tenant) };
  const row = await database.transaction({ call, ...turn }, async (tx) => {
    const count = () => tx.em.count(WebhookEndpointEntity, { tenant });
    await assertRoom(tx, { tenant, kind: 'webhook', limit: endpointLimit, count });
    const values = { ...createdValues(endpoint), ...address, rateLimit, dekId, secretEnc: sealed };
    const created = tx.em.create(WebhookEndpointEntity, { ...values, tenant, id });
    tx.em.persist(created);
    recordEndpointEvent(tx, 'webhook_endpoint.created', created);
    return created;
  });
  return { endpoint: toApi(row, url), secret };
}

async function updateEndpoint(
  deps: EndpointDeps,
  request: WebhooksUpdateEndpointRequest,
  call: Call,
) {
  const { database, egress } = deps;
  const endpoint = requireEndpoint(request.endpoint);
  const { id, url } = endpoint;
  const { tenant, allowed } = await allowUpdateOf(deps, endpoint, call);
  // Also without a change: the call that has made it may still wait for the processes that deliver.
  call.invalidates.add(`credential:${id}`);
  const address = await storedUrl(deps, { tenant, id }, url);
  // Loads the key of the stored URL before locking the row: the key service may be slow.
  const current = await findEndpoint(database, tenant, id);
  if (current) await readUrl(deps, current);
  const turn = { tenant, row: rowOf.endpoint(tenant, id) };
  const row = await database.transaction({ call: allowed, ...turn }, async (tx) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE;
    const stored = await tx.em.findOne(WebhookEndpointEntity, { tenant, id }, { lockMode });
    if (!stored) throw notFound('endpoint');
    if (endpoint.active) await clearHealth(tx, tenant, id);
    // A stored URL stays even if the egress rules have changed, or the endpoint could not even be
    // disabled.
    const isMoved = (await readUrl(deps, stored)) !== url;
    if (isMoved) assertUrl(url, egress);
    const [before, previousUrl] = [toJson(stored), displayUrl(stored)];
    tx.em.assign(stored, { ...updateOf(endpoint, stored), ...(isMoved && address) });
    const previous = {
      ...changedFields(before, toJson(stored)),
      // A change of a masked part alone is a change too.
      ...(isMoved && { URL: previousUrl }),
    };
    if (Object.keys(previous).length === 0) return stored;
    stored.updatedAt = timeAfter(stored.updatedAt);
    recordEndpointEvent(tx, 'webhook_endpoint.updated', stored, previous);
    return stored;
  });
  return { endpoint: toApi(row, url) };
}
