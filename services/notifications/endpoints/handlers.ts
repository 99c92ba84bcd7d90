import { changedFields } from '@bailiwick/shared/changes.ts';
import { randomBytes } from 'node:crypto';
import { Buffer } from 'node:buffer';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { WebhookEndpoint, Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import { type EgressRules, urlProblem } from '@bailiwick/shared/egress.ts';
import { failedPrecondition, invalid, notFound } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { type Database, type EntityManager, lockName } from '@bailiwick/shared/orm.ts';
import { recordChange } from '@bailiwick/shared/outbox.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import type { Client } from '@connectrpc/connect';
import { LockMode } from '@mikro-orm/core';
import type { TenantKeys } from '../keys/keys.ts';
import { WebhookEndpointEntity, type WebhookEndpointRow } from './entities.ts';
import { tenantToUpdate } from './permission.ts';
import { deleteWaiting, findEndpoint, findTenantOfEndpoint, listEndpoints } from './queries.ts';
import { jsonOf, recordOf, updateOf } from './record.ts';

export type EndpointDeps = {
  database: Database;
  keys: TenantKeys;
  pager: Pager;
  egress: EgressRules;
  authority: Client<typeof Authority>;
  endpointLimit: number;
};

/** Where a signing secret is sealed: the record and the field. */
export const secretContext = (endpoint: string) => [endpoint, 'secret'] as const;

export function endpointHandlers({ database, keys, pager, egress, authority, endpointLimit }: EndpointDeps): Omit<Handlers<typeof Webhooks>, 'deliver'> {
  return {
    async createEndpoint(request, call) {
      const endpoint = requireEndpoint(request.endpoint);
      assertUrl(endpoint.url, egress);
      const { tenant } = endpoint;
      const id = createId('whk');
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      const { dekId, sealed } = await keys.seal(tenant, Buffer.from(secret), secretContext(id));
      const row = await database.transaction(tenant, async (em) => {
        await assertRoom(em, tenant, endpointLimit);
        const created = em.create(WebhookEndpointEntity, { ...newRow(endpoint), tenant, id, dekId, secretEnc: sealed });
        em.persist(created);
        record(em, call, 'webhook_endpoint.created', created);
        return created;
      });
      return { endpoint: recordOf(row), secret };
    },

    async updateEndpoint(request, call) {
      const endpoint = requireEndpoint(request.endpoint);
      const permission = 'iam.webhooks.write';
      const tenant = await tenantToUpdate(authority, call, permission, endpoint.tenant, () => findTenantOfEndpoint(database, endpoint.id));
      const row = await database.transaction(tenant, async (em) => {
        const stored = await em.findOne(WebhookEndpointEntity, { tenant, id: endpoint.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (!stored) throw notFound('endpoint');
        if (endpoint.url !== stored.url) assertUrl(endpoint.url, egress);
        const before = jsonOf(stored);
        em.assign(stored, updateOf(endpoint, stored));
        const previous = changedFields(before, jsonOf(stored));
        if (Object.keys(previous).length === 0) return stored;
        stored.updatedAt = new Date();
        record(em, { ...call, permission }, 'webhook_endpoint.updated', stored, previous);
        return stored;
      });
      return { endpoint: recordOf(row) };
    },

    async getEndpoint({ tenant, id }) {
      const row = await findEndpoint(database, tenant, id);
      if (!row) throw notFound('endpoint');
      return { endpoint: recordOf(row) };
    },

    async listEndpoints({ tenant, page }, { operation }) {
      const binding = [operation.name, tenant];
      const query = pager.read(page, binding);
      const { items, nextCursor } = pager.cut(await listEndpoints(database, tenant, query), query, binding, ({ id }) => id);
      return { page: { items: items.map(recordOf), nextCursor } };
    },

    async deleteEndpoint({ tenant, id }, call) {
      await database.transaction(tenant, async (em) => {
        const stored = await em.findOne(WebhookEndpointEntity, { tenant, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
        if (!stored) return;
        record(em, call, 'webhook_endpoint.deleted', stored);
        em.remove(stored);
        await deleteWaiting(em, tenant, id);
      });
      return {};
    },
  };
}

function requireEndpoint(endpoint: WebhookEndpoint | undefined): WebhookEndpoint {
  if (!endpoint) throw new Error('validation fills the record in');
  return endpoint;
}

function assertUrl(url: string, egress: EgressRules): void {
  const problem = urlProblem(url, egress);
  if (problem) throw invalid(`Endpoint.URL ${problem}`, 'URL_REFUSED');
}

// Two creates at once must not both find the last place free.
async function assertRoom(em: EntityManager, tenant: string, limit: number): Promise<void> {
  await lockName(em, `webhook_endpoint ${tenant}`);
  const count = await em.count(WebhookEndpointEntity, { tenant });
  if (count >= limit) throw failedPrecondition(`a tenant has at most ${limit} webhook endpoints`, 'ENDPOINT_LIMIT');
}

function newRow({ name, url, eventTypes, description, rateLimit }: WebhookEndpoint) {
  const now = new Date();
  return {
    name,
    url,
    active: true,
    eventTypes: eventTypes?.items ?? [],
    description: description ?? '',
    rateLimit: rateLimit ?? 0,
    disabledReason: '',
    disabledAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** Writes an endpoint's event into the transaction. */
export function record(
  em: EntityManager,
  call: Pick<Call, 'operation' | 'caller' | 'permission'>,
  type: string,
  row: WebhookEndpointRow,
  previous?: Record<string, unknown>,
): void {
  recordChange(em, call, {
    tenant: row.tenant,
    type,
    data: jsonOf(row),
    ...(previous ? { previous } : {}),
    targets: [{ Type: 'webhook_endpoint', ID: row.id, Name: row.name }],
  });
}
