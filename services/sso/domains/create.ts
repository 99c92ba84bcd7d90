import { createId } from '@bailiwick/contract';
import { alreadyExists, limitReached } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { DomainCreateRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import { lockName } from '@bailiwick/store';
import { giverOf } from '../delegation.ts';
import { rowOf } from '../rows.ts';
import { assertActiveProvider, assertMayCapture, type CaptureSettings } from './capture.ts';
import type { DomainDeps } from './deps.ts';
import { type Capture, DomainEntity, type DomainRow } from './entities.ts';
import { recordDomainEvent } from './events.ts';
import { normaliseDomain } from './names.ts';
import { challengeEnd, firstCheck, newChallenge } from './proof/challenge.ts';
import { countDomains } from './queries.ts';

const limit = 50;

/** Claims a domain. Other tenants may claim it too; the challenge in DNS decides who owns it. */
export async function createDomain(
  deps: DomainDeps,
  request: DomainCreateRequest,
  call: Call,
): Promise<DomainRow> {
  const { tenant } = request;
  const name = normaliseDomain(request.name);
  const settings: CaptureSettings = {
    capture: (request.capture || 'off') as Capture,
    defaultRole: request.defaultRole ?? '',
  };
  await assertMayCapture(deps, tenant, settings, call);
  return deps.database.transaction({ call, tenant, row: rowOf.domains(tenant) }, async (tx) => {
    // The lock keeps concurrent calls from claiming a name twice, and from taking the same last
    // place.
    await lockName(tx, rowOf.domains(tenant));
    if (await tx.em.findOne(DomainEntity, { name }))
      throw alreadyExists(`the tenant has the domain ${name} already`);
    if ((await countDomains(tx.query, tenant)) >= limit)
      throw limitReached(`a tenant has at most ${limit} domains`, limit);
    await assertActiveProvider(tx, tenant, settings);
    const now = new Date();
    const domain = tx.em.create(DomainEntity, {
      tenant,
      id: createId('dom'),
      name,
      status: 'pending',
      ...settings,
      giver: giverOf(call.caller),
      challenge: newChallenge(),
      challengeExpiresAt: challengeEnd(now),
      verifiedAt: null,
      lastCheckedAt: null,
      failureReason: '',
      failedDays: 0,
      nextCheckAt: firstCheck(now),
      createdAt: now,
      updatedAt: now,
    });
    tx.em.persist(domain);
    recordDomainEvent(tx, 'domain.created', domain);
    return domain;
  });
}
