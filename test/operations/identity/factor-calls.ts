import assert from 'node:assert/strict';
import { bodyOf } from '../../support/answers.ts';
import { eventually, type Stack } from '../../support/harness.ts';
import { login, mailsTo, signUp } from '../../support/people.ts';
import { countOf } from '../../support/store.ts';
import { addTotp } from '../../support/totp.ts';

export type Factor = {
  ID: string;
  Kind: string;
  Name: string;
  CreatedAt: string;
  LastUsedAt?: string;
};

/** The message for a void challenge. */
export const dead = ['the token is no longer valid'];

/** Calls about second factors. `started` returns the suite's stack. */
export function factorCalls(started: () => Stack) {
  return {
    async protectedUser() {
      const user = await signUp(started());
      return { ...user, ...(await addTotp(started(), user.token)), userId: user.id };
    },
    async challengeOf(email: string): Promise<string> {
      const { Challenge, Token } = bodyOf(await login(started(), email));
      assert.equal(Token, '');
      return String(Challenge);
    },
    complete: (Challenge: string, answer: object) =>
      started().call('Account_CompleteLogin', { Challenge, ...answer }),
    factorsOf: async (token: string) =>
      bodyOf(await started().call('Factors_List', {}, token)) as {
        Factors: Factor[];
        RecoveryCodesLeft: number;
      },
    /** The number of audited actions of a type about a user. */
    actionsOf: (id: string, type: string) =>
      countOf(started(), `identity.outbox where type = $1 and audit like '%' || $2 || '%'`, [
        type,
        id,
      ]),
    hasMail: (email: string, subject: RegExp) =>
      eventually(`a mail ${subject}`, async () =>
        (await mailsTo(started(), email)).find(({ Subject }) => subject.test(Subject)),
      ),
  };
}
