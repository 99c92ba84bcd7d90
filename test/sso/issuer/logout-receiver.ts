import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { eventually, type Stack } from '../../support/harness.ts';

/** A call of an app's BackchannelLogoutURI. */
type Call = { path: string; type: string; token: string; at: number };

export type LogoutReceiver = Awaited<ReturnType<typeof startLogoutReceiver>>;

/** The apps' side of back-channel logout: it records all calls, and answers as it is told. */
export async function startLogoutReceiver() {
  const calls: Call[] = [];
  /** The statuses of the next answers on a path; 200 without one. */
  const statuses = new Map<string, number[]>();
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const type = request.headers['content-type'] ?? '';
    const token = new URLSearchParams(await text(request)).get('logout_token') ?? '';
    calls.push({ path, type, token, at: Date.now() });
    response.writeHead(statuses.get(path)?.shift() ?? 200).end();
  }
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const { port } = server.address() as AddressInfo;
  const at = (path: string) => calls.filter((call) => call.path === path);
  return {
    at,
    url: (path: string) => `http://${loopback}:${port}${path}`,
    answer: (path: string, codes: number[]) => void statuses.set(path, codes),
    /** Waits for a number of calls. */
    calls: (path: string, count = 1): Promise<Call[]> =>
      eventually(`${count} calls of ${path}`, async () => {
        const calls = at(path);
        return calls.length >= count && calls;
      }),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Verifies a logout token as an app has to (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
export async function verifyLogout(
  { url }: Pick<Stack, 'url'>,
  audience: string,
  { token, type, at }: Call,
): Promise<JWTPayload> {
  assert.match(type, /^application\/x-www-form-urlencoded/);
  const { payload, protectedHeader } = await jwtVerify(
    token,
    createRemoteJWKSet(new URL(`${url}/oauth/jwks`)),
    { issuer: url, audience, typ: 'logout+jwt', algorithms: ['RS256'] },
  );
  assert.equal(protectedHeader.typ, 'logout+jwt');
  const { iat = 0, exp = 0, jti, nonce, events } = payload as JWTPayload & Record<string, unknown>;
  assert.deepEqual(events, { 'http://schemas.openid.net/event/backchannel-logout': {} });
  assert.equal(nonce, undefined);
  assert.ok(typeof jti === 'string' && jti !== '');
  assert.ok(exp - at / 1000 <= 120 && Math.abs(iat - at / 1000) < 60, `${iat} ${exp} ${at}`);
  return payload;
}
