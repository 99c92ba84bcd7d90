import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey } from 'node:crypto';
import { type Delivery, derivedId } from '../sending/result.ts';

// Both header families of docs/webhooks.md, computed over the exact bytes that are sent.

/**
 * `t=<unix s>,v1=<hex>`, as the standard Stripe verifier reads it. The key is the full text of the
 * secret; there is one v1 per valid secret.
 */
export function signature(secrets: readonly string[], seconds: number, body: Uint8Array): string {
  const parts = secrets.map(
    (secret) =>
      `v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`,
  );
  return [`t=${seconds}`, ...parts].join(',');
}

/** `v1,<base64> …` of Standard Webhooks. The key is the decoded base64 after the prefix. */
export function standardSignature(
  secrets: readonly string[],
  id: string,
  seconds: number,
  body: Uint8Array,
): string {
  return secrets
    .map((secret) => {
      // As bytes, the key would cost Node more than the signature (see packages/keys/seal.ts).
      const key = createSecretKey(secret.replace(/^whsec_/, ''), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')}`;
    })
    .join(' ');
}

/**
 * The webhook-id: the body's `id` if the body is a JSON object with a usable one, otherwise derived
 * from the delivery. It is the same for every attempt, so that receivers can drop duplicates.
 */
export function webhookId(delivery: Delivery): string {
  return ownId(delivery.body) ?? derivedId(delivery);
}

function ownId(body: Uint8Array): string | undefined {
  try {
    const json: unknown = JSON.parse(Buffer.from(body).toString());
    const id: unknown =
      typeof json === 'object' && json !== null && 'id' in json ? json.id : undefined;
    return typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id) ? id : undefined;
  } catch {
    return undefined; // the body may be any bytes
  }
}

export type SignedDelivery = {
  id: string;
  type: string;
  endpoint: string;
  attempt: number;
  secrets: readonly string[];
  body: Uint8Array;
};

/** The headers of one attempt, with a fresh timestamp. */
export function deliveryHeaders(
  { id, type, endpoint, attempt, secrets, body }: SignedDelivery,
  userAgent: string,
  now: Date,
): Record<string, string> {
  const seconds = Math.floor(now.getTime() / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-webhook-signature': signature(secrets, seconds, body),
    'x-webhook-event': type,
    'x-webhook-attempt': String(attempt),
    'x-webhook-endpoint': endpoint,
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standardSignature(secrets, id, seconds, body),
  };
}
