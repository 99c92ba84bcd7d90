import { Buffer } from 'node:buffer';
import { createHmac, timingSafeEqual } from 'node:crypto';

export type Signed = {
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** The time of arrival, which the timestamp must be close to. */
  receivedAt: Date;
};

const toleranceSeconds = 5 * 60;

/** `X-Webhook-Signature: t=<unix s>,v1=<hex>[,v1=…]`, HMAC-SHA256 of `t.body` under the whole secret's UTF-8 bytes. */
export function isSignatureValid(signed: Signed, secret: string): boolean {
  const fields = (signed.headers['x-webhook-signature'] ?? '')
    .split(',')
    .map((field) => field.trim().split('=', 2));
  const timestamp = fields.find(([name]) => name === 't')?.[1] ?? '';
  if (!isTimely(timestamp, signed.receivedAt)) return false;
  const expected = hmac(Buffer.from(secret, 'utf8'), `${timestamp}.`, signed.body);
  return fields
    .filter(([name]) => name === 'v1')
    .some(([, value]) => isSame(Buffer.from(value ?? '', 'hex'), expected));
}

/** Standard Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64> …`, key = the decoded secret. */
export function isStandardWebhookValid(signed: Signed, secret: string): boolean {
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures,
  } = signed.headers;
  if (!id || !timestamp || !signatures || !isTimely(timestamp, signed.receivedAt)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0) return false;
  const expected = hmac(key, `${id}.${timestamp}.`, signed.body);
  return signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .some((signature) => isSame(Buffer.from(signature.slice(3), 'base64'), expected));
}

function isTimely(timestamp: string, receivedAt: Date): boolean {
  return (
    /^\d{1,12}$/.test(timestamp) &&
    Math.abs(receivedAt.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds
  );
}

function hmac(key: Buffer, prefix: string, body: Buffer): Buffer {
  return createHmac('sha256', key).update(prefix).update(body).digest();
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
