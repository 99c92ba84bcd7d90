import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { describeOne, eventually, type OwnStack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { deliver, makeEndpoint, newestAt, type Owner } from './endpoints.ts';

// Processes cache the endpoints of many deliveries, with their secrets. A change counts with its reply.

describeOne('a busy endpoint', 'five processes', (topology) => {
  let stack: OwnStack;
  let owner: Owner;
  before(async () => {
    stack = await startStack(topology);
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
  });
  after(() => stack?.stop());

  /** Makes enough deliveries for the endpoint to be cached. */
  async function makeBusy(id: string): Promise<void> {
    for (let count = 0; count < 20; count++) await deliver(owner, id, `{"n":${count}}`);
  }
  const call = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, owner.token));
  const rotate = async (ID: string, GraceSeconds: number) =>
    String(
      (await call('Webhooks_RotateSecret', { Tenant: owner.tenant, ID, GraceSeconds }))['Secret'],
    );
  const update = (ID: string, hook: string, Active: boolean) =>
    call('Webhooks_UpdateEndpoint', {
      Endpoint: {
        ID,
        Tenant: owner.tenant,
        Name: hook,
        URL: `${stack.inboxUrl}/hooks/${hook}`,
        Active,
      },
    });
  /** Which of the secrets have signed the next delivery. */
  async function signersOf(hook: string, id: string, secrets: readonly string[]) {
    await deliver(owner, id, '{"n":1}');
    const newest = await Promise.all(secrets.map((secret) => newestAt(stack, hook, secret)));
    return newest.map(({ StandardWebhooksValid }) => StandardWebhooksValid);
  }

  test('the first delivery after a rotation has the new secret alone', async () => {
    const { id, secret } = await makeEndpoint(owner, 'rotated');
    let former = secret;
    for (let round = 0; round < 5; round++) {
      await makeBusy(id);
      const next = await rotate(id, 0);
      assert.deepEqual(await signersOf('rotated', id, [former, next]), [false, true]);
      former = next;
    }
  });

  test('a previous secret ends in the cache at its time', async () => {
    const { id, secret: previous } = await makeEndpoint(owner, 'grace');
    const next = await rotate(id, 2);
    await makeBusy(id);
    assert.deepEqual(await signersOf('grace', id, [previous, next]), [true, true]);
    await eventually('the end', async () => {
      await makeBusy(id);
      return !(await signersOf('grace', id, [previous]))[0];
    });
    assert.deepEqual(await signersOf('grace', id, [previous, next]), [false, true]);
  });

  test('the first delivery after an update goes to the new URL, or nowhere', async () => {
    const { id } = await makeEndpoint(owner, 'here');
    for (let round = 0; round < 3; round++) {
      await makeBusy(id);
      await update(id, `there-${round}`, true);
      await deliver(owner, id, '{}');
      assert.equal((await caughtBy(stack, `there-${round}`)).length, 1);
    }
    await makeBusy(id);
    await update(id, 'there-2', false);
    assert.equal((await deliver(owner, id, '{}')).Error, 'endpoint_inactive');
    await update(id, 'there-2', true);
    assert.equal((await deliver(owner, id, '{}')).Status, 'delivered');
  });

  test('no delivery is made after a deletion', async () => {
    const { id } = await makeEndpoint(owner, 'deleted');
    await makeBusy(id);
    await call('Webhooks_DeleteEndpoint', { Tenant: owner.tenant, ID: id });
    assert.equal((await deliver(owner, id, '{}')).Error, 'endpoint_not_found');
  });
});
