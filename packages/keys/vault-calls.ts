import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '@bailiwick/errors';
import { Pool } from 'undici';

// Calls Vault's HTTP API. The operator chose its address, so the egress guard does not apply.
// Requests are never logged: headers contain a token, and bodies a data key.

export type VaultToken = {
  /** The current token. `send` makes a call without a token. */
  obtain(send: (request: VaultRequest) => Promise<VaultAnswer>): Promise<string>;
  /** Drops a refused token, so that it is obtained again. */
  forget(): void;
};

export type VaultOptions = {
  /** https://host:port, with a path if a proxy has one. */
  url: string;
  /** Empty = none. */
  namespace: string;
  /** The certificates to trust instead of the system's, PEM; empty = the system's. */
  ca: string;
  token: VaultToken;
  /** Timeout of one attempt. */
  timeoutMs?: number;
};

export type VaultCalls = ReturnType<typeof createVaultCalls>;
type Json = Record<string, unknown>;
export type VaultAnswer = { status: number; body: Record<string, unknown> };
export type VaultRequest = { method: 'GET' | 'POST'; path: string; body?: Json; token?: string };

/** Pauses before the second, third and fourth attempt. */
const pausesMs = [100, 300, 900];

/** Vault is away, sealed, overloaded, a standby, or lags in replication: a retry may succeed. */
const isTransient = (status: number) => status >= 500 || [412, 429, 472, 473].includes(status);

/** Calls Vault with a token and retries. @throws `unavailable` if there is no usable response */
export function createVaultCalls({ url, namespace, ca, token, timeoutMs = 2000 }: VaultOptions) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, {
    connections: 16,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: timeoutMs, ...(ca === '' ? {} : { ca }) },
  });

  async function send({
    method,
    path,
    body,
    token: credential,
  }: VaultRequest): Promise<VaultAnswer> {
    const answer = await pool.request({
      method,
      path: `${pathname.replace(/\/+$/, '')}/v1/${path}`,
      headers: {
        'x-vault-request': 'true',
        ...(namespace === '' ? {} : { 'x-vault-namespace': namespace }),
        ...(credential === undefined ? {} : { 'x-vault-token': credential }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: readObject(text) };
  }

  /** Retries until the response is final. */
  async function sendWithRetries(request: VaultRequest): Promise<VaultAnswer> {
    for (let attempt = 0; ; attempt++) {
      const answer = await send(request).catch((error: unknown) => ({ error }));
      const pause = pausesMs[attempt];
      if (!('error' in answer) && !isTransient(answer.status)) return answer;
      if (pause === undefined)
        throw away(request, 'error' in answer ? answer.error : refusal(answer));
      await sleep(pause * (0.5 + Math.random() / 2));
    }
  }

  async function call(request: VaultRequest): Promise<Json> {
    let answer = await sendWithRetries({ ...request, token: await token.obtain(sendWithRetries) });
    if (answer.status === 403) {
      // The token may have expired or been replaced since it was read.
      token.forget();
      answer = await sendWithRetries({ ...request, token: await token.obtain(sendWithRetries) });
    }
    const { data } = answer.body;
    if (answer.status === 200 && isObject(data)) return data;
    // The ciphertext is damaged, belongs elsewhere, or has a key version that was disabled.
    if (answer.status === 400)
      throw new Error(`the key service refuses ${request.path}`, { cause: refusal(answer) });
    throw away(request, refusal(answer));
  }

  return {
    get: (path: string) => call({ method: 'GET', path }),
    post: (path: string, body: Json) => call({ method: 'POST', path, body }),
    close: () => pool.close(),
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readObject(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : {};
  } catch {
    return {}; // a proxy's page
  }
}

/** Vault's error text. It never quotes the request. */
function refusal({ status, body }: VaultAnswer): Error {
  const errors = Array.isArray(body['errors'])
    ? body['errors'].filter((text) => typeof text === 'string').join('; ')
    : '';
  return new Error(`status ${status}${errors === '' ? '' : `: ${errors.slice(0, 300)}`}`);
}

function away({ path }: VaultRequest, cause: unknown): Error {
  return Object.assign(unavailable(), {
    cause: new Error(`the key service does not answer ${path}`, { cause }),
  });
}
