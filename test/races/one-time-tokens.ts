import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { mailsTo, mailTo, newAddress, password, tokenIn } from '../support/people.ts';
import { newPassword, type Person, type Stage } from '../support/stage.ts';
import { countOf, rowsOf } from '../support/store.ts';

/** The number of rounds of each race, since one may miss it. */
const rounds = 10;
/** Calls with the same token. */
const crowd = 200;

/** `started` is called after the suite has started the stage. */
export function testOneTimeTokenRaces(started: () => Stage): void {
  describe('one-time tokens and passwords', () => {
    let stage: Stage;
    before(() => {
      stage = started();
    });

    const dead = '400 failed_precondition the token is no longer valid';
    const oneOf = (count: number) => ({ 200: 1, [dead]: count - 1 });
    const copies = (count: number, body: object) => Array.from({ length: count }, () => body);
    const countEvents = (type: string, id: string) =>
      countOf(
        stage.stack,
        `identity.outbox where event is not null and event::jsonb ->> 'type' = $1 and event::jsonb -> 'data' ->> 'ID' = $2`,
        [type, id],
      );

    async function registered(): Promise<{ email: string; token: string }> {
      const email = newAddress();
      bodyOf(await stage.via(0, 'Account_Register', { Email: email, Password: password }));
      return { email, token: tokenIn(await mailTo(stage.stack, email)) };
    }

    async function changing(
      { token }: Person,
      to = newAddress('next'),
    ): Promise<{ email: string; token: string }> {
      const earlier = (await mailsTo(stage.stack, to)).length;
      bodyOf(await stage.via(1, 'Account_ChangeEmail', { Email: to, Password: password }, token));
      return { email: to, token: tokenIn(await mailTo(stage.stack, to, earlier + 1)) };
    }

    test('Account_Verify of a registration has one winner among 200', async () => {
      const { email, token } = await registered();
      const { tally } = await stage.race('Account_Verify', copies(crowd, { Token: token }));
      assert.deepEqual(tally, oneOf(crowd));
      const [user, ...more] = await rowsOf<{ id: string }>(
        stage.stack,
        'select id from identity.user_account where email = $1',
        [email],
      );
      assert.ok(user && more.length === 0);
      assert.equal(
        await countOf(stage.stack, 'identity.registration where email = $1', [email]),
        0,
      );
      assert.equal(await countEvents('user.verified', user.id), 1);
      await stage.login(0, email);
    });

    test('Account_Verify of a change of address has one winner among 200', async () => {
      const person = await stage.newPerson();
      const { email, token } = await changing(person);
      const { tally } = await stage.race('Account_Verify', copies(crowd, { Token: token }));
      assert.deepEqual(tally, oneOf(crowd));
      assert.equal(await countEvents('user.updated', person.id), 1);
      await stage.login(0, email);
      assert.equal(
        (await stage.via(1, 'Account_Login', { Email: person.email, Password: password })).status,
        401,
      );
    });

    test('Account_ResetPassword has one winner among 200, and the password is the winner’s', async () => {
      const { id, email, token: session } = await stage.newPerson();
      bodyOf(await stage.via(0, 'Account_RequestPasswordReset', { Email: email }));
      const token = tokenIn(await mailTo(stage.stack, email));
      const bodies = Array.from({ length: crowd }, () => ({
        Token: token,
        Password: newPassword(),
      }));
      const { answers, tally } = await stage.race('Account_ResetPassword', bodies);
      assert.deepEqual(tally, oneOf(crowd));
      const winner = answers.findIndex(({ status }) => status === 200);
      await stage.login(0, email, bodies[winner]?.Password);
      for (const { Password } of [...bodies.slice(winner + 1), ...bodies.slice(0, winner)].slice(
        0,
        3,
      )) {
        assert.equal((await stage.via(1, 'Account_Login', { Email: email, Password })).status, 401);
      }
      assert.equal((await stage.via(1, 'Account_Get', {}, session)).status, 401);
      assert.equal(await countEvents('user.password_changed', id), 1);
      assert.equal(await countOf(stage.stack, 'identity.reset_token where user_id = $1', [id]), 0);
    });

    test('Account_Verify of registrations and changes to one address has one winner', async () => {
      for (let round = 0; round < 5; round++) {
        const { email, token } = await registered();
        bodyOf(await stage.via(1, 'Account_Register', { Email: email, Password: password }));
        const other = tokenIn(await mailTo(stage.stack, email, 2));
        const changes = [
          await changing(await stage.newPerson(), email),
          await changing(await stage.newPerson(), email),
        ];
        const tokens = [token, other, ...changes.map((change) => change.token)];
        const { tally } = await stage.race(
          'Account_Verify',
          [...tokens, ...tokens.toReversed(), ...tokens].map((Token) => ({ Token })),
        );
        assert.deepEqual(tally, oneOf(3 * tokens.length));
        assert.equal(
          await countOf(stage.stack, 'identity.user_account where email = $1', [email]),
          1,
        );
      }
    });

    test('Account_RequestPasswordReset and Account_ChangeEmail, called at once, leave one valid token', async () => {
      for (let round = 0; round < rounds; round++) {
        const [{ id, email }, changer] = [await stage.newPerson(), await stage.newPerson()];
        const next = newAddress('next');
        const answers = await Promise.all([
          ...[0, 1, 0, 1].map((gateway) =>
            stage.via(gateway, 'Account_RequestPasswordReset', { Email: email }),
          ),
          ...[0, 1].map((gateway) =>
            stage.via(
              gateway,
              'Account_ChangeEmail',
              { Email: next, Password: password },
              changer.token,
            ),
          ),
        ]);
        for (const answer of answers) assert.deepEqual(bodyOf(answer), {});
        assert.equal(
          await countOf(stage.stack, 'identity.reset_token where user_id = $1', [id]),
          1,
        );
        assert.equal(
          await countOf(stage.stack, 'identity.email_change where user_id = $1', [changer.id]),
          1,
        );
        if (round % 5 > 0) continue;
        await mailTo(stage.stack, email, 4);
        const bodies = (await mailsTo(stage.stack, email)).map((mail) => ({
          Token: tokenIn(mail),
          Password: newPassword(),
        }));
        assert.deepEqual((await stage.race('Account_ResetPassword', bodies)).tally, oneOf(4));
      }
    });

    test('Account_Login with the old password, during a change of it, leaves no session', async () => {
      for (let round = 0; round < rounds; round++) {
        const { email, token } = await stage.newPerson();
        bodyOf(await stage.via(0, 'Account_RequestPasswordReset', { Email: email }));
        const Token = tokenIn(await mailTo(stage.stack, email));
        const Password = newPassword();
        const replace = () =>
          round % 2 === 0
            ? stage.via(round / 2, 'Account_ResetPassword', { Token, Password })
            : stage.via(
                (round - 1) / 2,
                'Account_ChangePassword',
                { Current: password, Password },
                token,
              );
        let replaced = false;
        const sessions: string[] = [];
        const signIns = [0, 1].map(async (gateway) => {
          // The fifth refusal would lock the account.
          for (let refused = 0; !replaced && refused < 2; ) {
            const { status, body } = await stage.via(gateway, 'Account_Login', {
              Email: email,
              Password: password,
            });
            assert.ok(status === 200 || status === 401, JSON.stringify(body));
            if (status === 200) sessions.push(String(body['Token']));
            else refused++;
          }
        });
        bodyOf(await replace().finally(() => (replaced = true)));
        await Promise.all(signIns);
        const alive = await Promise.all(
          sessions.map((session) => stage.via(round, 'Account_Get', {}, session)),
        );
        assert.equal(alive.filter(({ status }) => status !== 401).length, 0, `round ${round}`);
        await stage.login(0, email, Password);
      }
    });

    test('Account_ChangePassword, called twice at once, succeeds once', async () => {
      for (let round = 0; round < rounds; round++) {
        const { email, token } = await stage.newPerson();
        const passwords = [newPassword(), newPassword()];
        const answers = await Promise.all(
          passwords.map((Password, gateway) =>
            stage.via(gateway, 'Account_ChangePassword', { Current: password, Password }, token),
          ),
        );
        assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ['200', '403']);
        await stage.login(0, email, passwords[answers.findIndex(({ status }) => status === 200)]);
      }
    });

    test('Account_ChangePassword voids a pending change of address', async () => {
      const person = await stage.newPerson();
      const change = await changing(person);
      bodyOf(
        await stage.via(
          0,
          'Account_ChangePassword',
          { Current: password, Password: newPassword() },
          person.token,
        ),
      );
      assert.equal(
        (await stage.via(1, 'Account_Verify', { Token: change.token })).body.Code,
        'failed_precondition',
      );
    });

    test('Account_ResetPassword voids a pending change of address', async () => {
      const person = await stage.newPerson();
      const change = await changing(person);
      bodyOf(await stage.via(0, 'Account_RequestPasswordReset', { Email: person.email }));
      const Token = tokenIn(await mailTo(stage.stack, person.email));
      bodyOf(await stage.via(0, 'Account_ResetPassword', { Token, Password: newPassword() }));
      assert.equal(
        (await stage.via(1, 'Account_Verify', { Token: change.token })).body.Code,
        'failed_precondition',
      );
    });
  });
}
