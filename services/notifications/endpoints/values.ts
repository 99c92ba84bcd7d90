import { timeAfter, timeOf } from '@bailiwick/contract';
import type { StringList } from '@bailiwick/proto/gen/bailiwick/common/v1/values_pb.ts';

// The fields that webhook and chat endpoints share: those a client sets, and the reason and time of
// disabling.

type EndpointInput = {
  name: string;
  active?: boolean | undefined;
  eventTypes?: StringList | undefined;
  description?: string | undefined;
};
type Stored = Pick<EndpointValues, 'active' | 'eventTypes' | 'description' | 'disabledReason'> & {
  disabledAt?: Date | null | undefined;
};

/** The shared columns. The driver returns times of prepared statements as text. */
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

/** The endpoint of the request. Validation has rejected requests without one before this. */
export function requireEndpoint<Endpoint>(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint) throw new Error('the endpoint is missing although the request is valid');
  return endpoint;
}

/** The API fields that both kinds return. */
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

/** The columns of a new endpoint. It is always active; the client's value is ignored. */
export function createdValues({ name, eventTypes, description }: EndpointInput) {
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
 * The columns that an update sets: the name as sent; absent fields keep their value. `Active: true`
 * clears the reason for which the service disabled the endpoint.
 */
export function updatedValues(input: EndpointInput, stored: Stored) {
  const active = input.active ?? stored.active;
  return {
    name: input.name,
    active,
    eventTypes: input.eventTypes?.items ?? stored.eventTypes,
    description: input.description ?? stored.description,
    disabledReason: active ? '' : stored.disabledReason,
    disabledAt: active ? null : (stored.disabledAt ?? null),
  };
}

/** The columns that disable an endpoint. */
export function disabledColumns(reason: string, before: Date) {
  const now = timeAfter(before);
  return { active: false, disabledReason: reason, disabledAt: now, updatedAt: now };
}
