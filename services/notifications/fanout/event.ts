import type { Target } from '@bailiwick/outbox';
import { reachOf } from '../events/catalogue.ts';

/**
 * The parts of an event that fan-out uses; webhooks get `text` unchanged. `email`: the address of
 * the event's subject, "" = none. `formerTenants`: the tenants of a deleted user, which access may have
 * deleted by now.
 */
export type FanoutEvent = {
  id: string;
  type: string;
  tenant: string;
  timestamp: string;
  subject: string;
  email: string;
  formerTenants: string[];
  text: string;
};

/**
 * The event of a stream message, undefined for an audit entry without an event. Throws for anything
 * else.
 */
export function readEvent(message: string): FanoutEvent | undefined {
  const { event: text, audit } = JSON.parse(message) as {
    event?: unknown;
    audit?: { Targets?: Target[] };
  };
  if (typeof text !== 'string') return undefined;
  const { id, type, tenant, timestamp, data } = JSON.parse(text) as Record<string, unknown>;
  if (
    typeof id !== 'string' ||
    typeof type !== 'string' ||
    typeof tenant !== 'string' ||
    typeof timestamp !== 'string'
  )
    throw new Error('not an event');
  // PostgreSQL rejects NUL, so fan-out would fail forever.
  if ([id, type, tenant].some((name) => name.includes('\0')))
    throw new Error('an event with NUL in a name');
  const subject = textIn(data, 'ID');
  return {
    id,
    type,
    tenant,
    timestamp,
    // An application may write anything there, and gets its event delivered all the same.
    subject: subject.includes('\0') ? '' : subject,
    email: textIn(data, 'Email'),
    formerTenants: (audit?.Targets ?? [])
      .filter((target) => target.Type === 'tenant')
      .map(({ ID }) => ID),
    text,
  };
}

/** The endpoint columns that decide which events it gets. */
export type Receiver = { id: string; active: boolean; eventTypes: readonly string[] };

/** The reason for which an endpoint does not get an event. */
export type SkipReason = 'inactive' | 'not_subscribed' | 'self_event';

/**
 * The reason for which an endpoint does not get an event of its tenant; undefined = it gets the
 * event. `subject` is the id of the event's subject.
 */
export function skipReason(
  { type, subject }: Pick<FanoutEvent, 'type' | 'subject'>,
  { id, active, eventTypes }: Receiver,
): SkipReason | undefined {
  if (!active) return 'inactive';
  if (!isSubscribed(eventTypes, type)) return 'not_subscribed';
  // An endpoint gets no events about itself, except the ping.
  return subject === id && isAboutEndpoints(type) ? 'self_event' : undefined;
}

/** The names by which an endpoint's EventTypes include a type: its own and its families' (`user.*`). */
export function namesFor(type: string): string[] {
  const words = type.split('.');
  return [type, ...words.slice(1).map((_, at) => `${words.slice(0, at + 1).join('.')}.*`)];
}

/**
 * Whether an endpoint's EventTypes include a type: by name, by family (`user.*`), or all types if
 * the list is empty.
 */
export function isSubscribed(eventTypes: readonly string[], type: string): boolean {
  if (eventTypes.length === 0) return true;
  return eventTypes.some(
    (pattern) =>
      pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))),
  );
}

/** Tolerance for clock differences between hosts; fan-out runs a moment after the event. */
const toleranceMs = 5000;

/**
 * Whether an endpoint existed when an event happened. A new endpoint does not get an event that is
 * republished a day later.
 */
const existedAt = (event: FanoutEvent, createdAt: string) =>
  Date.parse(createdAt) <= Date.parse(event.timestamp) + toleranceMs;

/** The reason for which fan-out sends events of a type to no endpoint. */
export type ReachReason = 'no_tenant' | 'test_only';

/** The reason for which fan-out sends events of a type to no endpoint; undefined = it sends them. */
export function reachReason(type: string): ReachReason | undefined {
  const reach = reachOf(type);
  if (reach === 'none') return 'no_tenant';
  return reach === 'test' ? 'test_only' : undefined;
}

/**
 * The reason for which an endpoint does not get an event; undefined = it gets the event. Whether the
 * endpoint is active decides last: an event that it misses for that reason alone is in its list of
 * attempts.
 */
export function missReason(
  event: FanoutEvent,
  endpoint: Receiver & { createdAt: string },
): SkipReason | ReachReason | 'created_later' | undefined {
  const reason = reachReason(event.type) ?? skipReason(event, { ...endpoint, active: true });
  if (reason !== undefined) return reason;
  if (!existedAt(event, endpoint.createdAt)) return 'created_later';
  return endpoint.active ? undefined : 'inactive';
}

/** Whether events of a type are about endpoints themselves. */
export const isAboutEndpoints = (type: string) => /^(webhook|chat)_endpoint[.]/.test(type);

function textIn(data: unknown, key: string): string {
  const member: unknown =
    typeof data === 'object' && data !== null && Object.hasOwn(data, key)
      ? (data as Record<string, unknown>)[key]
      : undefined;
  return typeof member === 'string' ? member : '';
}
