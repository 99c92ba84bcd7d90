import { type Broker } from '@bailiwick/broker';
import { normaliseEmail } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import { type FollowedEvent, followEvents } from '@bailiwick/outbox';
import type { Background } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { DomainDeps } from '../deps.ts';
import { findJoinableDomain } from '../queries.ts';
import { isHandled, keepHandled } from './queries.ts';
import { joinArguments } from './suggestions.ts';

type Deps = Pick<DomainDeps, 'database' | 'admission'> & { broker: Broker; log: Log };

/** Permanent errors: the tenant is closed, the role is gone, or the user is disabled. */
const isRefusal = (error: unknown): boolean =>
  ['permission_denied', 'not_found', 'failed_precondition'].includes(toServiceError(error).code);

/**
 * Adds users with a newly verified address to the tenant that verified its domain, if the domain's
 * Capture is join. Users who changed their address, or existed before the domain, are offered to
 * join instead.
 */
export function followVerified(deps: Deps): Background {
  return () => {
    const handle = (event: FollowedEvent) => addMember(deps, event);
    followEvents(deps, {
      durable: 'sso-domain-joins',
      subject: 'evt.*.user.verified',
      types: ['user.verified'],
      handle,
    });
    // Closing the broker connection waits for running handlers.
    return () => Promise.resolve();
  };
}

async function addMember(
  { database, admission, log }: Deps,
  { id: event, data, origin }: FollowedEvent,
): Promise<void> {
  const { ID: userId, Email: email, EmailVerified: isVerified } = data;
  if (typeof userId !== 'string' || typeof email !== 'string' || isVerified !== true) return;
  const domain = await findJoinableDomain(database, normaliseEmail(email).domain);
  if (domain?.capture !== 'join') return;
  // The broker may redeliver an event days later, after it lost its store. A user who was removed
  // meanwhile stays removed.
  if (await isHandled(database, domain.tenant, event)) return;
  try {
    await admission.join(
      {
        ...joinArguments(domain),
        userId,
        ip: origin.caller.ip,
        userAgent: origin.caller.userAgent,
      },
      origin,
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.warn('joining a tenant by email domain was rejected, skipped', {
      user: userId,
      tenant: domain.tenant,
      error,
    });
  }
  await keepHandled(database, origin, domain.tenant, event);
}
