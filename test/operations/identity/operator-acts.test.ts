import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, type Stack, startStack } from '../../support/harness.ts';
import { mailTo, signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { addTotp } from '../../support/totp.ts';
import { supportCalls } from './support-calls.ts';

describeOne('what operators do to accounts of others', 'one process', (topology) => {
  let stack: Stack;
  const { newOperator, newOwner } = supportCalls(() => stack);
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  const acts = [
    ['Users_Disable', 'user.disabled'],
    ['Users_Enable', 'user.enabled'],
    ['Users_ResetFactors', 'user.factors_reset'],
    ['Users_Delete', 'user.deleted'],
  ] as const;
  const Reason = 'Ticket 4711: lost phone';
  type Recorded = { audit: string; event: string; tasks: Array<{ request: { Kind: string } }> };
  const recordsOf = (type: string, userId: string) =>
    rowsOf<Recorded>(
      stack,
      'select audit, event, tasks from identity.outbox where type = $1 and audit like $2',
      [type, `%${userId}%`],
    );

  test('an operator who disables, enables, resets or deletes needs a reason, which the audit and a mail name', async () => {
    const operator = await newOperator();
    const user = await signUp(stack);
    await addTotp(stack, user.token);
    // Of the registration and of the new factor.
    const before = 2;
    await mailTo(stack, user.email, before);
    let mails = before;
    for (const [operation, type] of acts) {
      const request = { UserID: user.id };
      for (const wrong of [request, { ...request, Reason: ' ' }])
        assertRefused(await stack.call(operation, wrong, operator.token), 400, 'invalid_argument', [
          'Reason is required',
        ]);
      assert.deepEqual(await recordsOf(type, user.id), []);
      bodyOf(await stack.call(operation, { ...request, Reason }, operator.token));
      mails += 1;
      const { Text } = await mailTo(stack, user.email, mails);
      assert.match(Text, /Ticket 4711: lost phone/);
      // An address in a name must not become a link in the mail.
      assert.ok(Text.includes(operator.email.split('@')[0] ?? ''), Text);
      const [row, ...more] = await recordsOf(type, user.id);
      assert.ok(row && more.length === 0, operation);
      const { Changes } = JSON.parse(row.audit) as { Changes: unknown[] };
      assert.deepEqual(Changes.at(-1), { Field: 'Reason', Old: null, New: Reason });
      // Endpoints of tenants get the event: the reason is not for them.
      assert.ok(!row.event.includes('4711'));
      // A process of the previous version sends the mail of a reset too: its kind is the known one.
      assert.deepEqual(
        row.tasks.map(({ request }) => request.Kind),
        [type.replace('.', '_').replace('user_factors', 'factors')],
      );
    }
  });

  test('an operator needs a recent sign-in, with the own second factor, to act on another account', async () => {
    const [operator, careless, owner] = [
      await newOperator(),
      await newOperator(),
      await newOwner(),
    ];
    const old =
      "update identity.session set created_at = now() - interval '20 minutes', proven_at = null where user_id = $1";
    await rowsOf(stack, old, [operator.id]);
    await addTotp(stack, careless.token);
    const unproven = "update identity.session set further_methods = '{}' where user_id = $1";
    await rowsOf(stack, unproven, [careless.id]);
    for (const [operation] of acts) {
      const request = { UserID: owner.id, Reason };
      assertRefused(
        await stack.call(operation, request, operator.token),
        403,
        'permission_denied',
        ['recent login required'],
      );
      const refused = await stack.call(operation, request, careless.token);
      assert.equal(refused.body['Reason'], 'FACTOR_REQUIRED');
    }
    const { User } = bodyOf(
      await stack.call('Users_Get', { UserID: owner.id }, stack.platformKey),
    ) as { User: { Status: string } };
    assert.equal(User.Status, 'active');
  });

  test('neither the platform key nor the own account needs a reason, and no mail names one', async () => {
    const [user, other] = [await signUp(stack), await signUp(stack)];
    const disabled = await stack.call('Users_Disable', { UserID: user.id }, stack.platformKey);
    assert.equal((recordIn(disabled, 'User') as { Status: string }).Status, 'disabled');
    bodyOf(await stack.call('Users_Delete', { UserID: other.id }, other.token));
    const rows = [
      ...(await recordsOf('user.disabled', user.id)),
      ...(await recordsOf('user.deleted', other.id)),
    ];
    assert.equal(rows.length, 2);
    for (const { audit, tasks } of rows) {
      assert.ok(!audit.includes('"Reason"'), audit);
      assert.deepEqual(tasks, []);
    }
  });
});
