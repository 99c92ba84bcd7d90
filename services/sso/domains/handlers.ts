import { notFound } from '@bailiwick/errors';
import type { Checks, Handlers } from '@bailiwick/pipeline';
import type { Domain } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import { createDomain } from './create.ts';
import type { DomainDeps } from './deps.ts';
import { DomainEntity, domainRecord } from './entities.ts';
import { recordDomainEvent } from './events.ts';
import { joinByAddress, suggestionsFor } from './joining/suggestions.ts';
import { domainProblem, normaliseDomain } from './names.ts';
import { verifyDomain } from './proof/verify.ts';
import { findDomain, listDomains } from './queries.ts';
import { updateDomain } from './update.ts';

export const domainChecks: Checks<typeof Domain> = {
  create({ name }) {
    const problem = name === '' ? undefined : domainProblem(normaliseDomain(name));
    return problem ? [`Name ${problem}`] : [];
  },
};

export function domainHandlers(deps: DomainDeps): Handlers<typeof Domain> {
  const { database, pager } = deps;
  return {
    async create(request, call) {
      return { domain: domainRecord(await createDomain(deps, request, call)) };
    },

    async update(request, call) {
      return { domain: domainRecord(await updateDomain(deps, request, call)) };
    },

    async verify(request, call) {
      return { domain: domainRecord(await verifyDomain(deps, request, call)) };
    },

    async get({ tenant, id }) {
      const domain = await findDomain(database, tenant, id);
      if (!domain) throw notFound('domain');
      return { domain: domainRecord(domain) };
    },

    async list({ tenant, page }, { operation, reader }) {
      const binding = [operation.name, tenant];
      return pager.list(page, binding, (query) => listDomains(reader, tenant, query), domainRecord);
    },

    async delete({ tenant, id }, call) {
      await database.transaction({ call, tenant, row: rowOf.domain(tenant, id) }, async (tx) => {
        const domain = await tx.em.findOne(
          DomainEntity,
          { id },
          { lockMode: LockMode.PESSIMISTIC_WRITE },
        );
        if (!domain) return;
        tx.em.remove(domain);
        recordDomainEvent(tx, 'domain.deleted', domain);
      });
      return {};
    },

    async listSuggestions(_request, call) {
      return { suggestions: await suggestionsFor(deps, call) };
    },

    async join({ tenant }, call) {
      await joinByAddress(deps, tenant, call);
      return {};
    },
  };
}
