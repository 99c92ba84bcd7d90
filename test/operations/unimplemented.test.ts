import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { requestExample } from '@bailiwick/proto/openapi/examples.ts';
import { operations } from '@bailiwick/proto/registry.ts';
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
    const found: string[] = [];
    // A streamed answer is not JSON.
    for (const operation of [...operations.values()].filter(
      ({ public: isPublic, stream }) => isPublic && !stream,
    )) {
      // A new session each time, because some operations end the session or the account.
      const token =
        operation.credential === 'worker'
          ? stack.workerToken
          : operation.credential === 'session'
            ? (await signUp(stack)).token
            : stack.platformKey;
      const { status, body } = await stack.call(operation.name, requestExample(operation), token);
      assert.ok(
        status < 500 && status !== 401,
        `${operation.name}: ${status} ${JSON.stringify(body)}`,
      );
      if (body.Code === 'unimplemented') found.push(operation.name);
    }
    assert.deepEqual(found, []);
  });
});
