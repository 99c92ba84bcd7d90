import type { DomainUpdateRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { timeAfter } from '@bailiwick/shared/changes.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { failedPrecondition, notFound } from '@bailiwick/shared/errors.ts';
import { LockMode } from '@mikro-orm/core';
import type { DomainDeps } from './deps.ts';
import { type Capture, DomainEntity, type DomainRow } from './entities.ts';
import { assertMeaning, assertWayIn, type Meaning } from './meaning.ts';
import { findDomain } from './queries.ts';
import { recordDomain } from './records.ts';

const isSame = (one: Meaning, other: Meaning): boolean =>
  one.capture === other.capture && one.defaultRole === other.defaultRole;

/** Changes what a domain means, as far as it is sent. Saying what is so already is no change. */
export async function updateDomain(
  deps: DomainDeps,
  request: DomainUpdateRequest,
  call: Call,
): Promise<DomainRow> {
  const { tenant, id } = request;
  const found = await findDomain(deps.database, tenant, id);
  if (!found) throw notFound('domain');
  const meaning: Meaning = {
    capture: (request.capture as Capture | undefined) ?? found.capture,
    defaultRole: request.defaultRole ?? found.defaultRole,
  };
  if (isSame(meaning, found)) return found;
  await assertMeaning(deps, tenant, meaning, call);
  return deps.database.transaction({ tenant, row: `domain ${tenant} ${id}` }, async (em) => {
    const stored = await em.findOne(DomainEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!stored) throw notFound('domain');
    // What the caller may is known of the two together, and one of them was read before.
    if (!isSame(stored, found))
      throw failedPrecondition('the domain was changed meanwhile', 'STALE');
    await assertWayIn(em, tenant, meaning);
    const before: DomainRow = { ...stored };
    Object.assign(stored, meaning, { updatedAt: timeAfter(stored.updatedAt) });
    recordDomain(em, call, 'domain.updated', stored, before);
    return stored;
  });
}
