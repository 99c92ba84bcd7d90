import type { StringList } from '@bailiwick/proto/gen/bailiwick/common/v1/values_pb.ts';
import { serviceCaller } from '@bailiwick/shared/caller.ts';
import { timeAfter } from '@bailiwick/shared/changes.ts';
import type { Origin } from '@bailiwick/shared/outbox.ts';
import { timeOf } from '@bailiwick/shared/times.ts';

// What endpoints of both kinds have in common: the fields a client sets, and those that say why one is switched off.

type Sent = {
  name: string;
  active?: boolean | undefined;
  eventTypes?: StringList | undefined;
  description?: string | undefined;
};
type Stored = Pick<EndpointValues, 'active' | 'eventTypes' | 'description' | 'disabledReason'> & {
  disabledAt?: Date | null | undefined;
};

/** The columns that hold them. The driver gives times of prepared statements as texts. */
export type EndpointValues = {
  tenant: string;
  id: string;
  name: string;
  active: boolean;
  eventTypes: string[];
  description: string;
  dekId: string;
  disabledReason: string;
  disabledAt?: Date | string | null | undefined;
  createdAt: Date | string;
  updatedAt: Date | string;
};

/** The record of the request: a request without one was validated as if it were empty, and is refused before this. */
export function requireEndpoint<Endpoint>(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint) throw new Error('validation fills the record in');
  return endpoint;
}

/** The fields of the record that both kinds return. */
export function sharedFields(row: EndpointValues) {
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    active: row.active,
    dekId: row.dekId,
    eventTypes: { items: row.eventTypes },
    description: row.description,
    disabledReason: row.disabledReason,
    ...(row.disabledAt ? { disabledAt: timeOf(row.disabledAt) } : {}),
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  };
}

/** The columns of a new endpoint. It is active, whatever the client says. */
export function createdValues({ name, eventTypes, description }: Sent) {
  const now = new Date();
  const switched = { active: true, disabledReason: '', disabledAt: null };
  return {
    ...switched,
    name,
    eventTypes: eventTypes?.items ?? [],
    description: description ?? '',
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * The columns an update sets: the name as sent; what is absent of the rest stays. `Active: true` clears the reason why
 * we switched the endpoint off.
 */
export function updatedValues(sent: Sent, stored: Stored) {
  const active = sent.active ?? stored.active;
  return {
    name: sent.name,
    active,
    eventTypes: sent.eventTypes?.items ?? stored.eventTypes,
    description: sent.description ?? stored.description,
    disabledReason: active ? '' : stored.disabledReason,
    disabledAt: active ? null : (stored.disabledAt ?? null),
  };
}

/** The columns that switch an endpoint off. */
export function switchedOff(reason: string, before: Date) {
  const now = timeAfter(before);
  return { active: false, disabledReason: reason, disabledAt: now, updatedAt: now };
}

/** Whose doing it is when the service switches an endpoint off, whoever brought the attempt about. */
export const byService: Origin = {
  operation: { name: '' },
  caller: serviceCaller('notifications'),
};

/** The receiver's own word that it is gone for good. */
export const goneReason = 'the receiver answered 410 Gone';
