import type { DomainCreateRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { alreadyExists, failedPrecondition } from '@bailiwick/shared/errors.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { inTransaction, lockName } from '@bailiwick/shared/orm.ts';
import type { DomainDeps } from './deps.ts';
import { type Capture, DomainEntity, type DomainRow } from './entities.ts';
import { assertMeaning, assertWayIn, type Meaning } from './meaning.ts';
import { normaliseDomain } from './names.ts';
import { challengeEnd, newChallenge } from './proof/challenge.ts';
import { countDomains } from './queries.ts';
import { recordDomain } from './records.ts';

const limit = 50;

/** Claims a domain. Others may claim it too: it is whose challenge is found in DNS. */
export async function createDomain(
  deps: DomainDeps,
  request: DomainCreateRequest,
  call: Call,
): Promise<DomainRow> {
  const { tenant } = request;
  const name = normaliseDomain(request.name);
  const meaning: Meaning = {
    capture: (request.capture || 'off') as Capture,
    defaultRole: request.defaultRole ?? '',
  };
  await assertMeaning(deps, tenant, meaning, call);
  return deps.database.transaction({ tenant, row: `domain ${tenant}` }, async (em) => {
    // Two calls at once claim a name once, and do not both find the last place free.
    await lockName(em, `domain ${tenant}`);
    if (await em.findOne(DomainEntity, { name }))
      throw alreadyExists(`the tenant has the domain ${name} already`);
    if ((await countDomains(inTransaction(em), tenant)) >= limit)
      throw failedPrecondition(`a tenant has at most ${limit} domains`, 'DOMAIN_LIMIT');
    await assertWayIn(em, tenant, meaning);
    const now = new Date();
    const domain = em.create(DomainEntity, {
      tenant,
      id: createId('dom'),
      name,
      status: 'pending',
      ...meaning,
      challenge: newChallenge(),
      challengeExpiresAt: challengeEnd(now),
      verifiedAt: null,
      lastCheckedAt: null,
      failureReason: '',
      failedDays: 0,
      nextCheckAt: null,
      createdAt: now,
      updatedAt: now,
    });
    em.persist(domain);
    recordDomain(em, call, 'domain.created', domain);
    return domain;
  });
}
