import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { type Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// A reader copies a request example from the reference and sends it. The product may not know the example's records, but it
// must accept the request's shape.

type Document = {
  paths: Record<
    string,
    { post?: { requestBody: { content: { 'application/json': { example: object } } } } }
  >;
};

/** An example cannot know the caller's address. */
const aboutTheCaller = 'User.Email must be the stored address';

describe('the request examples of /openapi.json', () => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
  });
  after(() => stack?.stop());

  test('each is accepted by the product, or refused only for the state of its records', async () => {
    const { paths } = (await (await fetch(`${stack.url}/openapi.json`)).json()) as Document;
    const refused: string[] = [];
    for (const { name, credential } of [...operations.values()].filter(
      (operation) => operation.public,
    )) {
      const example =
        paths[`/${name}`]?.post?.requestBody.content['application/json'].example ??
        assert.fail(name);
      const { status, body } = await call(name, example, await tokenFor(name, credential));
      assert.ok(status < 500, `${name}: ${status} ${JSON.stringify(body)}`);
      assert.notEqual(status, 401, name);
      const messages = (body.Messages ?? []).filter(
        (message) => !message.startsWith(aboutTheCaller),
      );
      if (body.Code === 'invalid_argument' && messages.length > 0)
        refused.push(`${name}: ${messages.join('; ')}`);
    }
    assert.deepEqual(refused, []);
  });

  async function tokenFor(operation: string, credential: string): Promise<string | undefined> {
    if (credential === 'none') return undefined;
    if (credential === 'worker') return stack.workerToken;
    // A new user each time, because some operations end the session or the account. A user owns the
    // tenants that they create.
    return credential === 'session' || operation === 'Tenants_Create'
      ? (await signUp(stack)).token
      : stack.platformKey;
  }

  /** Reads the status and, if there is one, the ErrorResponse: an export answers with text. */
  async function call(operation: string, example: object, token?: string) {
    const headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(`${stack.url}/${operation}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(example),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: response.ok ? {} : (JSON.parse(text) as { Code?: string; Messages?: string[] }),
    };
  }
});
