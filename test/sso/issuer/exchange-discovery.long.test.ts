import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Bot, createBot } from '../../support/bots.ts';
import { type OwnStack, startStack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { createAuthority } from '../../tls/authority.ts';
import { exchangeFor, githubJob, newSigning, saveTrust, trustIn, verified } from './keyless.ts';

// An issuer that publishes its keys over TLS, as forges do, and the limits of a public installation.

describe('a bot whose issuer publishes its keys (one process, strict limits)', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-issuer-'));
  const requests: string[] = [];
  let signing = newSigning();
  let server: Server;
  let issuer: string;
  let stack: OwnStack;
  let ada: { id: string; token: string };
  let bot: Bot;
  before(async () => {
    const authority = await createAuthority();
    server = createServer(await authority.issue({ hosts: ['localhost'] }), (request, response) => {
      requests.push(request.url ?? '');
      response.setHeader('content-type', 'application/json');
      const metadata = JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks` });
      response.end(request.url === '/jwks' ? signing.jwks : metadata);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
    const file = path.join(folder, 'ca.pem');
    writeFileSync(file, authority.ca);
    stack = await startStack('one process', {
      NODE_EXTRA_CA_CERTS: file,
      BAILIWICK_LIMITS: 'strict',
    });
    ada = await signUp(stack);
    bot = await createBot(stack, await tenantFor(stack, ada.id), ada.token);
  });
  after(async () => {
    await stack?.stop();
    server?.closeAllConnections();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  test('gets tokens, also after the issuer has replaced its key', async () => {
    const claims = { ...githubJob(), iss: issuer };
    const refused = await exchangeFor(stack, bot.ID, signing.sign(claims));
    assert.deepEqual([refused.status, requests], [400, []]);
    const trust = await saveTrust(stack, trustIn(bot, claims, ''), ada.token);
    for (const next of [signing, newSigning('k2')]) {
      signing = next;
      const answer = await exchangeFor(stack, bot.ID, next.sign(claims));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      assert.equal((await verified(stack, answer.body))['credential'], trust);
    }
    const discovery = '/.well-known/openid-configuration';
    assert.deepEqual(requests, [discovery, '/jwks', discovery, '/jwks']);
  });

  test('is refused with 429 beyond the limit, and another bot is not', async () => {
    const claims = { ...githubJob(), iss: issuer };
    const other = await createBot(stack, bot.Tenant, ada.token);
    const token = signing.sign(claims);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => exchangeFor(stack, other.ID, token)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 40);
    for (const { headers, body } of refused) {
      assert.match(headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal(body['error'], 'temporarily_unavailable');
    }
    assert.equal((await exchangeFor(stack, bot.ID, token)).status, 200);
  });
});
