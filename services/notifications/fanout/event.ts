import type { Target } from '@bailiwick/shared/outbox.ts';

/**
 * What fan-out reads of an event; the body that webhooks get is the text itself. `email` is the address of whom it
 * is about, "" = none. `left` are the tenants that a deleted person was a member of: access may have forgotten them by now.
 */
export type FannedEvent = {
  id: string;
  type: string;
  tenant: string;
  timestamp: string;
  subject: string;
  email: string;
  left: string[];
  text: string;
};

/** The event of a stream message, undefined where it carries none (an audit entry only). Throws for anything else. */
export function readEvent(message: string): FannedEvent | undefined {
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
  const subject = textIn(data, 'ID');
  // PostgreSQL refuses NUL: fan-out would fail for ever.
  if ([id, type, tenant, subject].some((name) => name.includes('\0')))
    throw new Error('an event with NUL in a name');
  return {
    id,
    type,
    tenant,
    timestamp,
    subject,
    email: textIn(data, 'Email'),
    left: (audit?.Targets ?? []).filter((target) => target.Type === 'tenant').map(({ ID }) => ID),
    text,
  };
}

/** An endpoint, as far as it matters for what it gets. */
export type Receiver = { id: string; active: boolean; eventTypes: readonly string[] };

/** Why an endpoint does not get an event. */
export type Withheld = 'inactive' | 'not_asked_for' | 'own_life';

/** Why an endpoint does not get an event of its tenant; undefined = it gets it. `subject` is whom the event is about. */
export function withheld(
  { type, subject }: Pick<FannedEvent, 'type' | 'subject'>,
  { id, active, eventTypes }: Receiver,
): Withheld | undefined {
  if (!active) return 'inactive';
  if (!wants(eventTypes, type)) return 'not_asked_for';
  // Nobody is told about themselves, except by the ping.
  return subject === id && isLifeOfEndpoints(type) ? 'own_life' : undefined;
}

/** Whether an endpoint's EventTypes ask for a type: by name, by family (`user.*`), or all of them when there are none. */
export function wants(eventTypes: readonly string[], type: string): boolean {
  if (eventTypes.length === 0) return true;
  return eventTypes.some(
    (wanted) => wanted === type || (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1))),
  );
}

/** The clocks of two hosts differ a little, and an event is fanned out a moment after it happened. */
const toleranceMs = 5000;

/** Whether an endpoint was there when an event happened. One that is published again a day later is no news to a new endpoint. */
export const wasThere = (event: FannedEvent, createdAt: string) =>
  Date.parse(createdAt) <= Date.parse(event.timestamp) + toleranceMs;

/** Whether events of a type are about endpoints themselves. */
const isLifeOfEndpoints = (type: string) => /^(webhook|chat)_endpoint[.]/.test(type);

function textIn(data: unknown, key: string): string {
  const value: unknown =
    typeof data === 'object' && data !== null && Object.hasOwn(data, key)
      ? (data as Record<string, unknown>)[key]
      : undefined;
  return typeof value === 'string' ? value : '';
}
