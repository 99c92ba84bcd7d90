import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createToken } from '@bailiwick/contract';
import { environmentOf } from '@bailiwick/deploy/local/environment.ts';
import { createOperatorLink } from '@bailiwick/deploy/operator-link.ts';
import { operatorLinkSettings } from '@bailiwick/deploy/settings.ts';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeBoth, eventually, type Stack, startStack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import type { Entry } from './audit-entries.ts';

describeBoth('the first operator', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());
  beforeEach(async () => {
    for (const UserID of await operators())
      bodyOf(
        await stack.call(
          'Grants_Remove',
          { Grant: { Platform: true, UserID, Role: 'platform-owner' } },
          stack.platformKey,
        ),
      );
  });

  const environment = () => environmentOf('access', operatorLinkSettings, stack.wiring, {});
  /** The token of a new link, which the command makes. */
  async function newToken(): Promise<string> {
    const link = await createOperatorLink(environment());
    const [page, token] = (link ?? assert.fail('no link')).split('#');
    assert.equal(page, `${stack.url}/console/operator`);
    return token ?? '';
  }
  const claim = (Token: string, token: string) => stack.call('Operators_Claim', { Token }, token);
  const operators = async () => {
    const list = { Platform: true };
    const { items } = await readList<{ UserID: string }>(
      stack,
      'Grants_ListByTenant',
      list,
      stack.platformKey,
    );
    return items.map(({ UserID }) => UserID);
  };
  const dead = ['the token is no longer valid'];

  test('Operators_Claim makes the caller an operator at once, once, and is audited', async () => {
    const [person, other] = [await signUp(stack), await signUp(stack)];
    const token = await newToken();
    assert.equal((await stack.call('Users_List', {}, person.token)).status, 403);
    bodyOf(await claim(token, person.token));
    assert.equal((await stack.call('Users_List', {}, person.token)).status, 200);
    assert.deepEqual(await operators(), [person.id]);
    assertRefused(await claim(token, other.token), 400, 'failed_precondition', dead);
    assertRefused(await claim(token, person.token), 400, 'failed_precondition', dead);
    const entry = await eventually('the audit entry', async () => {
      const { items } = await readList<Entry>(stack, 'Audit_List', {}, person.token);
      return items.find(
        ({ Operation, ActorID, Result }) =>
          Operation === 'Operators_Claim' && ActorID === person.id && Result === 'success',
      );
    });
    assert.equal(entry.Action, 'grant.added');
    assert.deepEqual(
      entry.Targets.map(({ ID }) => ID),
      [person.id, 'platform-owner'],
    );
    assert.equal(await createOperatorLink(environment()), undefined);
  });

  test('a role on one resource of the platform makes no operator', async () => {
    const { id: UserID } = await signUp(stack);
    const Grant = { Platform: true, UserID, Role: 'auditor', Resource: 'report:8' };
    bodyOf(await stack.call('Grants_Add', { Grant }, stack.platformKey));
    await newToken();
    bodyOf(await stack.call('Grants_Remove', { Grant }, stack.platformKey));
  });

  test('Operators_Claim of one link by 200 callers at once, and of another link, makes one operator', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => signUp(stack)));
    const tokens = [await newToken(), await newToken()];
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        claim(tokens[at % 2] ?? '', people[at % people.length]?.token ?? ''),
      ),
    );
    const counts = Object.groupBy(answers, ({ status }) => status);
    assert.equal(counts[200]?.length, 1, JSON.stringify(answers.map(({ status }) => status)));
    assert.equal((await operators()).length, 1);
    for (const { status, body } of answers)
      if (status !== 200) assert.match(String(body.Code), /failed_precondition|resource_exhausted/);
    assert.equal(await countOf(stack, 'access.operator_link', []), 0);
  });

  test('Operators_Claim refuses a link that has expired, and one that another installation made', async () => {
    const person = await signUp(stack);
    const token = await newToken();
    await rowsOf(stack, "update access.operator_link set expires_at = now() - interval '1 s'", []);
    assertRefused(await claim(token, person.token), 400, 'failed_precondition', dead);
    const foreign = createToken('operatorLink');
    assertRefused(await claim(foreign, person.token), 400, 'failed_precondition', dead);
    const other = createToken('invitation');
    assertRefused(await claim(other, person.token), 400, 'failed_precondition', dead);
    assert.deepEqual(await operators(), []);
  });

  test('Operators_Claim refuses while a user holds a role on the platform, even one who is disabled', async () => {
    const [person, other] = [await signUp(stack), await signUp(stack)];
    const token = await newToken();
    const grant = { Platform: true, UserID: other.id, Role: 'platform-owner' };
    bodyOf(await stack.call('Grants_Add', { Grant: grant }, stack.platformKey));
    bodyOf(await stack.call('Users_Disable', { UserID: other.id }, stack.platformKey));
    const exists = ['the platform has an operator already'];
    assertRefused(await claim(token, person.token), 400, 'failed_precondition', exists);
    assert.deepEqual(await operators(), [other.id]);
  });

  test('Operators_Claim refuses a key of a bot, a caller without a credential, and an unverified address', async () => {
    const person = await signUp(stack);
    const Tenant = await createTenant(stack, person.token);
    const bot = await createBot(stack, Tenant, person.token);
    const key = await createKey(stack, bot, person.token);
    const token = await newToken();
    for (const credential of [key.Secret, stack.platformKey, ''])
      assert.match(String((await claim(token, credential)).status), /^40[13]$/);
    // Only a social provider has verified the address. Nothing of this person is cached yet.
    const { id, token: session } = await signUp(stack);
    const sql = 'update identity.user_account set mailbox_proven = false where id = $1';
    await rowsOf(stack, sql, [id]);
    const refused = await claim(token, session);
    assertRefused(refused, 403, 'permission_denied', ['email is not verified']);
    assert.equal(refused.body['Reason'], 'EMAIL_NOT_VERIFIED');
    assert.deepEqual(await operators(), []);
    // The link still works.
    bodyOf(await claim(token, person.token));
  });
});
