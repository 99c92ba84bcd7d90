/** What fan-out reads of an event; the body that receivers get is the text itself. */
export type FannedEvent = { id: string; type: string; tenant: string; timestamp: string; subject: string; text: string };

/** The event of a stream message, undefined where it carries none (an audit entry only). Throws for anything else. */
export function readEvent(message: string): FannedEvent | undefined {
  const { event: text } = JSON.parse(message) as { event?: unknown };
  if (typeof text !== 'string') return undefined;
  const { id, type, tenant, timestamp, data } = JSON.parse(text) as Record<string, unknown>;
  if (typeof id !== 'string' || typeof type !== 'string' || typeof tenant !== 'string' || typeof timestamp !== 'string') throw new Error('not an event');
  return { id, type, tenant, timestamp, subject: idOf(data), text };
}

/** Whether an endpoint's EventTypes ask for a type: by name, by family (`user.*`), or all of them when there are none. */
export function wants(eventTypes: readonly string[], type: string): boolean {
  if (eventTypes.length === 0) return true;
  return eventTypes.some((wanted) => wanted === type || (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1))));
}

/** Whether an event is about the endpoint's own life: nobody is told about themselves, except by the ping. */
export const isOwnLife = (event: FannedEvent, endpoint: string) => event.type.startsWith('webhook_endpoint.') && event.subject === endpoint;

function idOf(data: unknown): string {
  return typeof data === 'object' && data !== null && 'ID' in data && typeof data.ID === 'string' ? data.ID : '';
}
