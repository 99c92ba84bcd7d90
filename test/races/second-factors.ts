import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { password } from '../support/people.ts';
import type { Stage } from '../support/stage.ts';
import { countOf } from '../support/store.ts';
import { addTotp, totp, wrongTotp } from '../support/totp.ts';

/** Concurrent calls. */
const crowd = 200;
/** Challenges of one user: each costs a password hash. */
const challenges = 40;

/** `started` is called after the suite has started the stage. */
export function testSecondFactorRaces(started: () => Stage): void {
  describe('second factors', () => {
    let stage: Stage;
    before(() => {
      stage = started();
    });

    async function protectedPerson() {
      const person = await stage.newPerson();
      const { secret } = await addTotp(stage.stack, person.token);
      return { ...person, secret };
    }
    async function challengeOf(email: string): Promise<string> {
      const answer = await stage.via(0, 'Account_Login', { Email: email, Password: password });
      return String(bodyOf(answer)['Challenge']);
    }
    const challengesOf = async (email: string) => {
      const list: string[] = [];
      while (list.length < challenges) list.push(await challengeOf(email));
      return list;
    };
    /** Bodies for all calls, with the challenges in turn. */
    const crowdOf = (list: readonly string[], answer: object) =>
      Array.from({ length: crowd }, (_, index) => ({
        Challenge: list[index % list.length],
        ...answer,
      }));
    const stepUpsOf = (id: string) =>
      countOf(
        stage.stack,
        `identity.outbox where type = 'session.stepped_up' and audit like '%' || $1 || '%'`,
        [id],
      );
    const sessionsOf = (id: string) =>
      countOf(stage.stack, 'identity.session where user_id = $1', [id]);

    test('Account_CompleteLogin with one challenge has one winner among 200', async () => {
      const { id, email, secret } = await protectedPerson();
      const challenge = await challengeOf(email);
      const { tally } = await stage.race(
        'Account_CompleteLogin',
        crowdOf([challenge], { Totp: totp(secret) }),
      );
      assert.equal(tally['200'], 1, JSON.stringify(tally));
      assert.equal(await sessionsOf(id), 2);
    });

    test('one code of an authenticator app has one winner among 200, in several challenges', async () => {
      const { id, email, secret } = await protectedPerson();
      const list = await challengesOf(email);
      const { tally } = await stage.race(
        'Account_CompleteLogin',
        crowdOf(list, { Totp: totp(secret) }),
      );
      assert.equal(tally['200'], 1, JSON.stringify(tally));
      assert.equal(await sessionsOf(id), 2);
    });

    test('one recovery code has one winner among 200, in several challenges', async () => {
      const { id, email, token } = await protectedPerson();
      const { Codes } = bodyOf(await stage.via(1, 'RecoveryCodes_Generate', {}, token)) as {
        Codes: string[];
      };
      const list = await challengesOf(email);
      const { tally } = await stage.race(
        'Account_CompleteLogin',
        crowdOf(list, { RecoveryCode: Codes[0] }),
      );
      assert.equal(tally['200'], 1, JSON.stringify(tally));
      assert.equal(
        await countOf(stage.stack, 'identity.recovery_code where user_id = $1', [id]),
        Codes.length - 1,
      );
    });

    test('Account_CompleteStepUp with one challenge has one winner among 200', async () => {
      const { id, token, secret } = await protectedPerson();
      const { Challenge } = bodyOf(await stage.via(0, 'Account_BeginStepUp', {}, token));
      const { tally } = await stage.race(
        'Account_CompleteStepUp',
        crowdOf([String(Challenge)], { Totp: totp(secret) }),
        token,
      );
      assert.equal(tally['200'], 1, JSON.stringify(tally));
      assert.equal(await stepUpsOf(id), 1);
    });

    test('one code has one winner among 200, in sign-ins and step-ups together', async () => {
      const { id, email, token, secret } = await protectedPerson();
      const list = await challengesOf(email);
      const { Challenge } = bodyOf(await stage.via(0, 'Account_BeginStepUp', {}, token));
      const answer = { Totp: totp(secret) };
      const [signIns, stepUps] = await Promise.all([
        stage.race('Account_CompleteLogin', crowdOf(list, answer).slice(0, crowd / 2)),
        stage.race(
          'Account_CompleteStepUp',
          crowdOf([String(Challenge)], answer).slice(0, crowd / 2),
          token,
        ),
      ]);
      const winners = (signIns.tally['200'] ?? 0) + (stepUps.tally['200'] ?? 0);
      assert.equal(winners, 1, JSON.stringify([signIns.tally, stepUps.tally]));
      assert.equal((await stepUpsOf(id)) + (await sessionsOf(id)), 2);
    });

    test('of 200 guesses at once in several challenges, few are checked', async () => {
      const { id, email, secret } = await protectedPerson();
      const list = await challengesOf(email);
      await stage.race('Account_CompleteLogin', crowdOf(list, { Totp: wrongTotp(secret) }));
      const checked = await countOf(
        stage.stack,
        'generate_series(1, (select sum(tries)::int from identity.login_challenge where user_id = $1))',
        [id],
      );
      // Five in one process; the other may have begun its own meanwhile.
      assert.ok(checked >= 5 && checked <= 10, `${checked} were checked`);
    });
  });
}
