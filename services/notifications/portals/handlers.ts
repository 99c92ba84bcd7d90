import { Buffer } from 'node:buffer';
import { createId, createToken, holdsInTenant, tokenHash } from '@bailiwick/contract';
import { denied, limitReached, notFound } from '@bailiwick/errors';
import type { Call, Handlers, Pager } from '@bailiwick/pipeline';
import type {
  WebhookPortals,
  WebhookPortalsCreateRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/portals_pb.ts';
import { rowOf } from '../rows.ts';
import { portalRecord, WebhookPortalEntity } from './entities.ts';
import { countPortals, deletePortal, listPortals, lockEndpointName } from './queries.ts';
import { recordPortal } from './records.ts';
import { isAllowed, type SessionDeps } from './sessions.ts';

type Deps = Pick<SessionDeps, 'database' | 'authority'> & { pager: Pager; publicUrl: string };

const maxPortals = 20;

const weekMinutes = 7 * 24 * 60;

/** The operations of the administrators of a tenant on links to the receivers' portal. */
export function portalsHandlers(deps: Deps): Handlers<typeof WebhookPortals> {
  const { database, pager } = deps;
  return {
    create: (request, call) => createPortal(deps, request, call),

    async list({ tenant, endpoint, page }, { operation }) {
      const binding = [operation.name, tenant, endpoint];
      return pager.list(
        page,
        binding,
        (query) => listPortals(database, tenant, endpoint, query),
        portalRecord,
      );
    },

    async delete({ tenant, id }, call) {
      // Even if it is gone: the gateways may not know yet that another call has deleted it.
      call.invalidates.add(`credential:${id}`);
      await database.transaction({ call, tenant, row: rowOf.portal(tenant, id) }, async (tx) => {
        const deleted = await deletePortal(tx, tenant, id);
        if (deleted) recordPortal(tx, 'deleted', { ...deleted, tenant });
      });
      return {};
    },
  };
}

async function createPortal(
  { database, authority, publicUrl }: Deps,
  {
    tenant,
    endpoint,
    name,
    abilities,
    expiresInMinutes = weekMinutes,
  }: WebhookPortalsCreateRequest,
  call: Call,
) {
  const { caller } = call;
  const creator = { tenant, creatorType: caller.type, createdBy: caller.id };
  // A link shows the log, so that its creator, and the key that it uses, has to be able to read it.
  const mayRead = holdsInTenant(caller, 'iam.webhooks.read', tenant);
  if (!mayRead || !(await isAllowed({ authority }, creator, call))) throw denied();
  const token = createToken('portalLink');
  const now = Date.now();
  const row = await database.transaction(
    { call, tenant, row: rowOf.endpoint(tenant, endpoint) },
    async (tx) => {
      if ((await lockEndpointName(tx, tenant, endpoint)) === undefined) throw notFound('endpoint');
      if ((await countPortals(tx, tenant, endpoint)) >= maxPortals)
        throw limitReached(`an endpoint has at most ${maxPortals} links`, maxPortals);
      const created = tx.em.create(WebhookPortalEntity, {
        ...creator,
        id: createId('wpt'),
        endpoint,
        name: name.trim(),
        abilities,
        tokenHash: Buffer.from(tokenHash(token)),
        expiresAt: new Date(now + expiresInMinutes * 60_000),
        createdAt: new Date(now),
        lastOpenedAt: null,
        sessionHash: null,
        sessionExpiresAt: null,
      });
      tx.em.persist(created);
      recordPortal(tx, 'created', created);
      return created;
    },
  );
  return { portal: portalRecord(row), link: `${publicUrl}/portal#${token}` };
}
