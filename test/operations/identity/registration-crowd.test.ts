import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, describeOne, type Stack } from '../../support/harness.ts';
import { inviter } from '../../support/invitations.ts';
import { newAddress, password, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

/** More than may wait for one row. */
const crowd = 60;

describeOne('crowds at one address', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  function assertBounded(answers: readonly Answer[], allowed: readonly number[]): void {
    for (const { status, body, headers } of answers) {
      assert.ok([...allowed, 429].includes(status), `${status} ${JSON.stringify(body)}`);
      if (status === 429) assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    assert.ok(answers.some(({ status }) => status === 200));
  }

  test('many registrations of one address, or accepts of one invitation, at once never answer 500', async () => {
    const owner = await signUp(stack);
    const guest = await signUp(stack);
    const { invite, accept } = inviter(stack);
    const token = await invite(await tenantFor(stack, owner.id), guest.email, owner.token);
    const accepts = await Promise.all(
      Array.from({ length: crowd }, () => accept(token, guest.token)),
    );
    assertBounded(accepts, [200]);
    const Email = newAddress('crowd');
    const registrations = await Promise.all(
      Array.from({ length: crowd }, () =>
        stack.call('Account_Register', { Email, Password: password }),
      ),
    );
    assertBounded(registrations, [200]);
    // Those that find no place are refused at once, before their password is hashed.
    assert.ok(registrations.some(({ status }) => status === 429));
  });
});
