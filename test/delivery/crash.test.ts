import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type Stack, startStack } from '../harness.ts';
import { caughtBy, createTenant, mailsTo, newAddress, register, signUp, tokenIn } from '../people.ts';

// kill -9 at random moments between accepting and sending: whatever was answered with 200 arrives.
describe('crashes lose nothing', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack('five processes');
  });
  after(() => stack?.stop());

  test('kill -9 of notifications loses no mail', async () => {
    const addresses = Array.from({ length: 40 }, () => newAddress('crash'));
    const killer = killNowAndThen(stack, 'notifications', 4);
    for (const address of addresses) {
      await register(stack, address);
      await sleep(20);
    }
    await killer;
    for (const address of addresses) {
      const mails = await eventually(
        `the mail to ${address}`,
        async () => {
          const found = await mailsTo(stack, address);
          return found.length > 0 && found;
        },
        60_000,
      );
      // A mail may come twice, when the process died after sending and before writing it down; then it is the same one.
      assert.equal(new Set(mails.map(tokenIn)).size, 1, address);
    }
  });

  test('kill -9 of notifications loses no delivery, and repetitions carry the same webhook-id', async () => {
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    const created = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: tenant, Name: 'ledger', URL: `${stack.inboxUrl}/hooks/crash`, EventTypes: ['group.created'] } },
      token,
    );
    const secret = String(created.body['Secret']);
    const paths = Array.from({ length: 60 }, (_, index) => `team-${index}`);
    const killer = killNowAndThen(stack, 'notifications', 4);
    for (const path of paths) {
      const saved = await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: path } }, token);
      assert.equal(saved.status, 200, JSON.stringify(saved.body));
      await sleep(20);
    }
    await killer;
    const caught = await eventually(
      'all deliveries',
      async () => {
        const requests = await caughtBy(stack, 'crash', secret);
        return new Set(requests.map(pathOf)).size === paths.length && requests;
      },
      60_000,
    );
    assert.deepEqual(new Set(caught.map(pathOf)), new Set(paths));
    assert.ok(caught.every(({ SignatureValid }) => SignatureValid === true));
    const idsByPath = new Map<string, Set<string>>();
    for (const request of caught) idsByPath.set(pathOf(request), (idsByPath.get(pathOf(request)) ?? new Set()).add(request.Headers['webhook-id'] ?? ''));
    for (const [path, ids] of idsByPath) assert.equal(ids.size, 1, path);
  });

  test('kill -9 of identity and access right after their answers loses nothing either', async () => {
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: tenant, Name: 'a', URL: `${stack.inboxUrl}/hooks/owner`, EventTypes: ['group.created'] } },
      token,
    );
    const address = newAddress('owner');
    await register(stack, address);
    stack.kill('identity');
    await eventually('identity again', async () => (await stack.call('Account_Get', {}, token)).status === 200, 30_000);
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'last-words' } }, token);
    stack.kill('access');
    await eventually('the mail', async () => (await mailsTo(stack, address)).length > 0, 30_000);
    await eventually('the event', async () => (await caughtBy(stack, 'owner')).some((request) => pathOf(request) === 'last-words'), 30_000);
  });
});

async function killNowAndThen(stack: Stack, service: 'notifications', times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await sleep(200 + Math.random() * 600);
    // It may be on its way back from the kill before.
    await eventually(`${service} to be there`, async () => stack.isRunning(service));
    stack.kill(service);
  }
}

function pathOf(request: { Body: string }): string {
  const event = JSON.parse(request.Body) as { data: { Path: string } };
  return event.data.Path;
}
