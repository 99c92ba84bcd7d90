import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import type { Follower } from '@bailiwick/server/server.ts';
import * as client from 'openid-client';
import { ask, callback, createApp, exchange, relyOn, resource } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import { openPlace, type Place } from './place.ts';

// The program "Decide from memory" of docs/protect-an-application.md as a running service: its next
// answer after a call that ends something.

describeBoth('the service of docs/protect-an-application.md with a follower', (topology) => {
  // Hidden, so that no check of the workspace sees it; in this workspace, to find its packages.
  const folder = mkdtempSync(path.join(import.meta.dirname, '.examples-'));
  let stack: Stack;
  let place: Place;
  let bailiwick: Follower;
  const server = createServer();
  before(async () => {
    stack = await sharedStack(topology);
    place = await openPlace(stack);
    const { app, ...program } = await loadProgram();
    bailiwick = program.bailiwick;
    server.on('request', app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await bailiwick.ready();
  });
  after(async () => {
    bailiwick?.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
    await stack?.stop();
  });

  async function loadProgram(): Promise<{ app: RequestListener; bailiwick: Follower }> {
    const guide = path.resolve(import.meta.dirname, '../../docs/protect-an-application.md');
    const blocks = readFileSync(guide, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms);
    const code = Array.from(blocks, ([, block = '']) => block).find((block) =>
      block.includes('follower('),
    );
    const file = path.join(folder, 'memory.ts');
    writeFileSync(
      file,
      (code ?? '').replace("'@bailiwick/server'", "'@bailiwick/server/server.ts'"),
    );
    Object.assign(process.env, {
      ISSUER: stack.url,
      AUDIENCE: resource,
      BAILIWICK: stack.url,
      KEY: place.credential,
    });
    return (await import(file)) as { app: RequestListener; bailiwick: Follower };
  }

  /** Signs a person of the place in to an app, and returns the access token for the service. */
  async function tokenOf({ token }: { token: string }, tenant = ''): Promise<string> {
    const config = await relyOn(stack, await createApp(stack));
    const scope = 'openid app.reports.read';
    const parameters = {
      redirect_uri: callback,
      scope,
      resource,
      ...(tenant !== '' && { tenant }),
    };
    const request = await ask(config, parameters);
    const arrival = await startVisitor(stack, token).open(request.url);
    return (await exchange(config, request, arrival, { resource })).access_token;
  }

  async function statusOf(at: string, token: string): Promise<number> {
    const { port } = server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`http://127.0.0.1:${port}/${at}`, { headers });
    await response.text();
    return response.status;
  }

  test('a request after the reply to a removed grant is refused, and one after a new grant is not', async () => {
    const token = await tokenOf(place.user);
    assert.equal(bailiwick.state, 'following');
    assert.equal(await statusOf('reports', token), 403);
    await place.grant('report:7');
    assert.equal(await statusOf('reports/7', token), 200);
    assert.equal(await statusOf('reports/8', token), 403);
    await place.grant();
    assert.equal(await statusOf('reports', token), 200);
    for (let round = 0; round < 5; round++) {
      await place.removeGrant();
      assert.equal(await statusOf('reports', token), 403, `round ${round}`);
      await place.grant();
      assert.equal(await statusOf('reports', token), 200, `round ${round}`);
    }
  });

  test('a request after the reply to a sign-out is not authenticated', async () => {
    await place.grant('report:9');
    const token = await tokenOf(place.user);
    assert.equal(await statusOf('reports/9', token), 200);
    await place.call('Account_Logout', {}, place.user.token);
    assert.equal(await statusOf('reports/9', token), 401);
  });

  /** Locks a user who has read a report, and returns the rows of the receipt with followers. */
  async function lockReader() {
    const { user } = await openPlace(stack);
    const { tenant: Tenant } = place;
    await place.call('TenantMembers_Add', { Tenant, UserID: user.id }, stack.platformKey);
    await place.call('Grants_Add', { Grant: { Tenant, UserID: user.id, Role: 'report-reader' } });
    const token = await tokenOf(user, Tenant);
    assert.equal(await statusOf('reports', token), 200);
    const { Receipt } = await place.call('Users_Lock', { UserID: user.id }, stack.platformKey);
    assert.equal(await statusOf('reports', token), 401);
    const { Rows } = Receipt as { Rows: Array<{ State: string; Followers: number }> };
    return Rows.filter(({ Followers }) => Followers > 0);
  }

  test('a locked user is refused with the next request, and the receipt names the follower', async () => {
    // A log tells the grant once more within a second, and may take the entry before the lock does.
    const rows = await eventually('a receipt with a follower', async () => {
      const withFollowers = await lockReader();
      return withFollowers.length > 0 && withFollowers;
    });
    assert.deepEqual(
      rows.map(({ State, Followers }) => [State, Followers]),
      [['dropped', 1]],
    );
  });

  test('the token of a service works within its scope until its app has ended', async () => {
    const fields = {
      Tenant: place.tenant,
      Kind: 'service',
      RedirectURIs: [],
      PostLogoutRedirectURIs: [],
    };
    const app = await createApp(
      stack,
      { ...fields, Scopes: ['app.reports.read'] },
      place.owner.token,
    );
    const config = await relyOn(stack, app);
    const parameters = { resource, scope: 'app.reports.read' };
    const { access_token: token } = await client.clientCredentialsGrant(config, parameters);
    assert.equal(await statusOf('reports', token), 200);
    await place.call('Apps_Delete', { Tenant: place.tenant, ID: app.ID });
    assert.equal(await statusOf('reports', token), 401);
  });
});
