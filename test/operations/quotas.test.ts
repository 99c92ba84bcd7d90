import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeBoth, type Stack, startStack } from '../harness.ts';
import { createTenant, signUp } from '../people.ts';

describeBoth('quotas', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_TENANT_CALLS_PER_MINUTE: '20' });
  });
  after(() => stack?.stop());

  test('a tenant’s own calls use up its quota, and those of a stranger do not', async () => {
    const [owner, stranger] = [await signUp(stack), await signUp(stack)];
    const Tenant = await createTenant(stack, owner.token);
    const call = async ({ token }: { token: string }) =>
      (await stack.call('Groups_List', { Tenant }, token)).status;
    for (let index = 0; index < 25; index++) assert.equal(await call(stranger), 403);
    const answers = await Promise.all(Array.from({ length: 25 }, () => call(owner)));
    assert.deepEqual(
      [200, 429].map((wanted) => answers.filter((status) => status === wanted).length),
      [20, 5],
    );
  });
});
