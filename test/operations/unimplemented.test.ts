import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { requestExample } from '@bailiwick/contract/examples';
import { describeOne, type Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// A declared operation without a handler would answer `unimplemented`.
// test/openapi/examples.test.ts checks that the examples are valid requests.

describeOne('every operation', 'five processes', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  test('is implemented', async () => {
    const names: string[] = [];
    let { token: session } = await signUp(stack);
    // A streamed answer is not JSON.
    for (const operation of [...operations.values()].filter(
      ({ public: isPublic, stream }) => isPublic && !stream,
    )) {
      // Some operations end the session or the account.
      if ((await stack.call('Account_Get', {}, session)).status !== 200)
        ({ token: session } = await signUp(stack));
      const token =
        operation.credential === 'worker'
          ? stack.workerToken
          : operation.credential === 'session'
            ? session
            : stack.platformKey;
      const { status, body } = await stack.call(operation.name, requestExample(operation), token);
      // An open operation answers 401 to a proof in its request that is wrong.
      assert.ok(
        status < 500 && (status !== 401 || operation.credential === 'none'),
        `${operation.name}: ${status} ${JSON.stringify(body)}`,
      );
      if (body.Code === 'unimplemented') names.push(operation.name);
    }
    assert.deepEqual(names, []);
  });
});
