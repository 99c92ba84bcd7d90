// Verifies deliveries by the headers of Standard Webhooks (https://www.standardwebhooks.com), which
// Bailiwick sends beside its own.

/** The headers of a request: of a web-standard Request, or of Node. */
export type WebhookHeaders =
  | WebHeaders
  | Readonly<Record<string, string | readonly string[] | undefined>>;

type WebHeaders = { get(name: string): string | null };

const toleranceSeconds = 300;
const utf8 = new TextEncoder();

/**
 * Whether one of the secrets signed this request within the last five minutes. `secrets` is the
 * endpoint's `whsec_…`, or several while a receiver changes from one endpoint to another; during a
 * rotation Bailiwick signs with both secrets. `body` is the raw body, before a framework parses it.
 */
export async function verifyWebhook(
  secrets: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
): Promise<boolean> {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => read(headers, name),
  );
  if (!id || !signatures || !time || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(Date.now() / 1000 - Number(time)) > toleranceSeconds) return false;
  const content = signedContent(`${id}.${time}.`, body);
  const macs = signatures.split(' ').flatMap((one) => {
    const [version, encoded = ''] = one.split(',');
    const bytes = version === 'v1' ? decode(encoded) : undefined;
    return bytes ? [bytes] : [];
  });
  let valid = false;
  for (const secret of [secrets].flat()) {
    const key = await importKey(secret);
    // Web Crypto compares in constant time.
    for (const signature of macs)
      valid = (await crypto.subtle.verify('HMAC', key, signature, content)) || valid;
  }
  return valid;
}

function read(headers: WebhookHeaders, name: string): string | undefined {
  const header = isWebHeaders(headers) ? headers.get(name) : headers[name];
  return typeof header === 'string' ? header : undefined;
}

const isWebHeaders = (headers: WebhookHeaders): headers is WebHeaders =>
  typeof headers.get === 'function';

/** The key is the base64 after the prefix. @throws TypeError for a malformed secret */
function importKey(secret: string) {
  const bytes = decode(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('the secret must be whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
}

function signedContent(before: string, body: string | Uint8Array) {
  const [head, rest] = [utf8.encode(before), typeof body === 'string' ? utf8.encode(body) : body];
  const content = new Uint8Array(head.length + rest.length);
  content.set(head);
  content.set(rest, head.length);
  return content;
}

function decode(base64: string) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
