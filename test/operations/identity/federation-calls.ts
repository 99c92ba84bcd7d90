import assert from 'node:assert/strict';
import { assertRefused } from '../../support/answers.ts';
import { type Assertion, newAssertion, openFederation, opening } from '../../support/federation.ts';
import type { Stack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf } from '../../support/store.ts';

export type Federation = Awaited<ReturnType<typeof startFederation>>;

/**
 * A tenant on a stack, and the calls of the suites about identities and sessions of providers. Only
 * with five processes does sso have a key of its own to call identity.
 */
export async function startFederation(stack: Stack) {
  const { federation, close } = openFederation(stack);
  const owner = await signUp(stack);
  const tenant = await createTenant(stack, owner.token);
  const admit = async (assertion: Assertion & Record<string, unknown>) => {
    const { user, outcome } = await federation.admit(assertion);
    assert.ok(user);
    return { id: user.id, user, outcome };
  };
  /** Admits a user from a provider. */
  async function newGuest(assertion: Assertion = newAssertion(tenant)) {
    const { user } = await admit(assertion);
    const open = async (origin = '') =>
      (await federation.openSession(opening(assertion, user.id, origin))).token;
    return { id: user.id, email: user.email, assertion, open };
  }
  const linksOf = (userId: string) =>
    countOf(stack, 'identity.identity_link where user_id = $1', [userId]);
  /** The user's links, codes and sessions that came from providers. */
  const countsOf = (userId: string) =>
    Promise.all(
      ['identity_link', 'sign_in_code', 'session'].map((table) =>
        countOf(stack, `identity.${table} where user_id = $1`, [userId]),
      ),
    );
  const get = (token: string) => stack.call('Account_Get', {}, token);
  const exchange = (Code: string) => stack.call('Account_ExchangeCode', { Code });
  const assertDeadCode = async (code: string) =>
    assertRefused(await exchange(code), 400, 'failed_precondition', [
      'the token is no longer valid',
    ]);

  return {
    stack,
    federation,
    owner,
    tenant,
    admit,
    newGuest,
    linksOf,
    countsOf,
    get,
    exchange,
    assertDeadCode,
    async stop(): Promise<void> {
      await close();
      await stack.stop();
    },
  };
}
