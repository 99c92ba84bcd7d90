import type { Broker } from '@bailiwick/shared/broker.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { toServiceError } from '@bailiwick/shared/errors.ts';
import { type FollowedEvent, followEvents } from '@bailiwick/shared/events.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import type { DomainDeps } from '../deps.ts';
import { findGate } from '../queries.ts';
import { isHandled, keepHandled } from './queries.ts';
import { admittedBy } from './suggestions.ts';

type Deps = Pick<DomainDeps, 'database' | 'admission'> & { broker: Broker; log: Log };

/** Answers that stay the same however often one asks: the tenant is closed, the role is gone, the person is shut out. */
const isRefusal = (error: unknown): boolean =>
  ['permission_denied', 'not_found', 'failed_precondition'].includes(toServiceError(error).code);

/**
 * Makes whoever has verified an address a member of the tenant whose domain it is, where the domain's Capture is join. The
 * event says that the address was proved; whoever has changed theirs, or was there before the domain, is offered to join.
 */
export function followVerified(deps: Deps): Background {
  return () => {
    const handle = (event: FollowedEvent) => takeIn(deps, event);
    followEvents(deps, {
      durable: 'sso-domain-joins',
      subject: 'evt.*.user.verified',
      types: ['user.verified'],
      handle,
    });
    // Closing the broker waits for what is in hand.
    return () => Promise.resolve();
  };
}

async function takeIn(
  { database, admission, log }: Deps,
  { id: event, data, origin }: FollowedEvent,
): Promise<void> {
  const { ID: userId, Email: email, EmailVerified: isVerified } = data;
  if (typeof userId !== 'string' || typeof email !== 'string' || isVerified !== true) return;
  const gate = await findGate(database, normaliseEmail(email).domain);
  if (gate?.capture !== 'join') return;
  // An event may come again days later, when the broker has lost its store: who was removed meanwhile stays out.
  if (await isHandled(database, gate.tenant, event)) return;
  try {
    await admission.join({
      ...admittedBy(gate),
      userId,
      ip: origin.caller.ip,
      userAgent: origin.caller.userAgent,
    });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.warn('somebody could not join by their address', {
      user: userId,
      tenant: gate.tenant,
      error,
    });
  }
  await keepHandled(database, gate.tenant, event);
}
