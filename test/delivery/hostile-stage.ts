import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type Server as HttpServer } from 'node:http';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { startReceivers } from '../egress/receivers.ts';
import { startDns } from '../support/dns-server.ts';
import { eventually, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { takePort } from '../support/ports.ts';
import { rowsOf } from '../support/store.ts';
import { createAuthority } from '../tls/authority.ts';

// The product with its default limits and hostile receivers. 127.0.1.0/24 stands for the internet.
// The rest of loopback is the internal network, where listeners count connections.

export const outside = '127.0.1.1';
const insides = ['127.0.0.1', '127.0.0.2', '::1'];
const authority = await createAuthority();
const certificate = await authority.issue({ hosts: ['localhost'] });
const authorityFile = path.join(tmpdir(), `bailiwick-test-authority-${process.pid}.pem`);

type Attempt = {
  endpoint: string;
  status: string;
  statusCode: number;
  error: string;
  message: string;
  ms: number;
};

export type HostileStage = Awaited<ReturnType<typeof startHostileStage>>;

/** Starts the product, hostile receivers, a healthy one, and listeners in the internal network. */
export async function startHostileStage() {
  const servers: Array<Server | HttpServer> = [];
  const reached: string[] = [];
  const arrived: Array<{ event: string; at: number }> = [];

  async function listen(server: Server | HttpServer, host: string, port = 0): Promise<number> {
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(port, host, resolve),
    );
    servers.push(server);
    return (server.address() as AddressInfo).port;
  }
  const secure = (options: ServerOptions) =>
    createHttps({ ...certificate, ...options }, (_, response) => response.end());

  writeFileSync(authorityFile, authority.ca);
  const [dns, receivers, insidePort] = await Promise.all([
    startDns(),
    startReceivers(outside, 1000),
    takePort(),
  ]);
  for (const inside of insides)
    await listen(
      createServer(
        (socket) => (reached.push(`${inside} by ${socket.remoteAddress}`), socket.destroy()),
      ),
      inside,
      insidePort,
    );
  const healthy = createHttp((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      arrived.push({
        event: (JSON.parse(body) as { data: { Path: string } }).data.Path,
        at: Date.now(),
      });
      response.end();
    });
  });
  const healthyUrl = `http://${outside}:${await listen(healthy, outside)}/`;
  const proxy = `http://127.0.0.1:${insidePort}`;
  const stack = await startStack('five processes', {
    BAILIWICK_EGRESS_ALLOW_CIDRS: '127.0.1.0/24',
    BAILIWICK_EGRESS_ALLOW_HOSTS: '',
    BAILIWICK_EGRESS_PORTS: String(insidePort),
    BAILIWICK_EGRESS_RESOLVER: dns.address,
    BAILIWICK_ENDPOINTS_PER_TENANT: '500',
    BAILIWICK_RETRY_SCHEDULE: '0s,1h',
    NODE_EXTRA_CA_CERTS: authorityFile,
    // The product ignores the proxy variables of other programs.
    ...Object.fromEntries(
      ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy'].map((name) => [
        name,
        proxy,
      ]),
    ),
    NODE_USE_ENV_PROXY: '1',
    NO_PROXY: '',
  });
  const { token } = await signUp(stack);
  const Tenant = await createTenant(stack, token);

  async function stop(): Promise<void> {
    await stack.stop();
    for (const server of servers) {
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    }
    await Promise.all([dns?.stop(), receivers?.stop()]);
    rmSync(authorityFile, { force: true });
  }

  async function createEndpoint(URL: string, eventType: string): Promise<string> {
    const { status, body } = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant, Name: 'a', URL, EventTypes: [eventType] } },
      token,
    );
    assert.equal(status, 200, `${URL}: ${JSON.stringify(body)}`);
    return (body['Endpoint'] as { ID: string }).ID;
  }

  /** Waits for the first attempt at every endpoint, and returns them. */
  const attemptsAt = (endpoints: readonly string[]) =>
    eventually(
      'the attempts',
      async () => {
        const text = `select endpoint, status, status_code as "statusCode", error, message, duration_ms as ms from notifications.delivery_attempt
          where endpoint = any($1) and attempt = 1`;
        const rows = await rowsOf<Attempt>(stack, text, [endpoints]);
        return rows.length >= endpoints.length && new Map(rows.map((row) => [row.endpoint, row]));
      },
      60_000,
    );

  async function saveGroup(Path: string): Promise<void> {
    assert.equal((await stack.call('Groups_Save', { Group: { Tenant, Path } }, token)).status, 200);
  }

  return {
    stack,
    dns,
    receivers,
    token,
    Tenant,
    insidePort,
    healthyUrl,
    reached,
    arrived,
    listen,
    secure,
    createEndpoint,
    attemptsAt,
    saveGroup,
    stop,
  };
}
