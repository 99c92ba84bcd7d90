import { isDeepStrictEqual } from 'node:util';
import { stale, timeAfter } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { DomainUpdateRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { LockMode } from '@mikro-orm/core';
import { giverOf, type StoredGiver } from '../delegation.ts';
import { rowOf } from '../rows.ts';
import {
  assertActiveProvider,
  assertMayCapture,
  type CaptureSettings,
  mayCapture,
} from './capture.ts';
import type { DomainDeps } from './deps.ts';
import { type Capture, DomainEntity, type DomainRow } from './entities.ts';
import { recordDomainEvent } from './events.ts';
import { findDomain } from './queries.ts';

const isSame = (one: CaptureSettings, other: CaptureSettings): boolean =>
  one.capture === other.capture && one.defaultRole === other.defaultRole;

const isGiver = (giver: StoredGiver, { giver: stored }: DomainRow): boolean =>
  isDeepStrictEqual(stored, giver);

/** Changes the sent settings of a domain. Identical values are not a change. */
export async function updateDomain(
  deps: DomainDeps,
  request: DomainUpdateRequest,
  call: Call,
): Promise<DomainRow> {
  const { tenant, id } = request;
  const domain = await findDomain(deps.database, tenant, id);
  if (!domain) throw notFound('domain');
  const settings: CaptureSettings = {
    capture: (request.capture as Capture | undefined) ?? domain.capture,
    defaultRole: request.defaultRole ?? domain.defaultRole,
  };
  const giver = giverOf(call.caller);
  if (!isSame(settings, domain)) await assertMayCapture(deps, tenant, settings, call);
  // An identical save answers for the domain from now on, if the caller may.
  else if (isGiver(giver, domain) || !(await mayCapture(deps, tenant, settings, call)))
    return domain;
  return deps.database.transaction({ call, tenant, row: rowOf.domain(tenant, id) }, async (tx) => {
    const stored = await tx.em.findOne(
      DomainEntity,
      { id },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!stored) throw notFound('domain');
    // The caller's rights were checked for both settings together, one of which was read before the
    // lock.
    if (!isSame(stored, domain)) throw stale('the domain');
    if (isSame(stored, settings)) {
      Object.assign(stored, { giver });
      return stored;
    }
    await assertActiveProvider(tx, tenant, settings);
    const before: DomainRow = { ...stored };
    Object.assign(stored, settings, { giver, updatedAt: timeAfter(stored.updatedAt) });
    recordDomainEvent(tx, 'domain.updated', stored, before);
    return stored;
  });
}
