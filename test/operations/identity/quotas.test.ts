import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne, type Stack, startStack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { assertScimError, newDirectory } from '../access/scim-calls.ts';

describeOne('settings of the gateway', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, {
      BAILIWICK_TENANT_CALLS_PER_MINUTE: '20',
      BAILIWICK_UNKNOWN_KEYS: 'ignore',
    });
  });
  after(() => stack?.stop());

  test('a tenant’s own calls use up its quota, and a stranger’s calls do not', async () => {
    const [owner, stranger] = [await signUp(stack), await signUp(stack)];
    const Tenant = await createTenant(stack, owner.token);
    const call = async ({ token }: { token: string }) =>
      (await stack.call('Groups_List', { Tenant }, token)).status;
    for (let index = 0; index < 25; index++) assert.equal(await call(stranger), 403);
    const answers = await Promise.all(Array.from({ length: 25 }, () => call(owner)));
    assert.deepEqual(
      [200, 429].map((code) => answers.filter((status) => status === code).length),
      [20, 5],
    );
    for (const { headers } of [await stack.call('Groups_List', { Tenant }, owner.token)])
      assert.equal(
        headers.get('ratelimit'),
        null,
        'a quota would disclose the calls of other members',
      );
  });

  test('a directory over the quota gets 429 with Retry-After, in the form of SCIM', async () => {
    const { address, call } = await newDirectory(stack, await signUp(stack));
    const answers = [];
    for (let n = 0; n < 25; n += 1)
      answers.push(await call('POST', 'Users', { userName: address(`p${n}`) }));
    const refused = answers.filter(({ status }) => status !== 201);
    assert.ok(refused.length >= 5 && refused.length < 25, String(refused.length));
    refused.push(await call('GET', 'Groups'), await call('DELETE', 'Users/scu_1'));
    for (const answer of refused) {
      assertScimError(answer, 429, undefined, /too many calls/);
      const seconds = Number(answer.headers.get('retry-after'));
      assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
    }
  });

  test('with BAILIWICK_UNKNOWN_KEYS=ignore unknown keys are ignored', async () => {
    const { token } = await signUp(stack);
    const { status, body } = await stack.call(
      'Account_Update',
      { User: { Name: 'Ada', NickName: 5 }, Newer: {} },
      token,
    );
    assert.deepEqual([status, (body['User'] as { Name: string }).Name], [200, 'Ada']);
  });
});
