import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from './support/answers.ts';
import type { Answer } from './support/harness.ts';
import { createTenant, mailsTo, mailTo, newAddress, password, tokenIn } from './support/people.ts';
import { newPassword, type Person, type Stage, startStage } from './support/stage.ts';
import { countOf, rowsOf } from './support/store.ts';

// Guarantees under concurrency: two replicas of every process, with background load.

/** The number of runs of each race, since one run may miss it, and of concurrent runs. */
const rounds = 20;
const atOnce = 4;
/** Requests through each gateway when the answer arrives. */
const burst = 12;
/** Calls with the same token. */
const crowd = 200;

describe('races between replicas', () => {
  let stage: Stage;
  before(async () => {
    stage = await startStage();
  });
  after(() => stage?.stop());

  describe('after a revocation is answered, both gateways reject the cached access', () => {
    /** A user's access: a call that uses it, and a call that revokes it. */
    type Access = {
      use: (gateway: number) => Promise<Answer>;
      end: (gateway: number) => Promise<Answer>;
    };

    const ofSession = (token: string, end: Access['end']): Access => ({
      use: (gateway) => stage.via(gateway, 'Account_Get', {}, token),
      end,
    });

    async function ofMembership(operation: string): Promise<Access> {
      const [owner, member] = await Promise.all([stage.newPerson(), stage.newPerson()]);
      const membership = {
        Tenant: await createTenant(stage.stack, owner.token),
        UserID: member.id,
      };
      bodyOf(await stage.via(0, 'TenantMembers_Add', membership, stage.stack.platformKey));
      return {
        use: (gateway) =>
          stage.via(gateway, 'Groups_List', { Tenant: membership.Tenant }, member.token),
        end: (gateway) => stage.via(gateway, operation, membership, owner.token),
      };
    }

    const revocations: Record<string, () => Promise<Access>> = {
      async Account_Logout() {
        const { token } = await stage.newPerson();
        return ofSession(token, (gateway) => stage.via(gateway, 'Account_Logout', {}, token));
      },
      async Sessions_Revoke() {
        const { email, token } = await stage.newPerson();
        const other = bodyOf(
          await stage.via(0, 'Account_Login', { Email: email, Password: password }),
        );
        return ofSession(String(other['Token']), (gateway) =>
          stage.via(
            gateway,
            'Sessions_Revoke',
            { ID: (other['Session'] as { ID: string }).ID },
            token,
          ),
        );
      },
      async Sessions_RevokeAll() {
        const { email, token } = await stage.newPerson();
        return ofSession(await stage.login(0, email), (gateway) =>
          stage.via(gateway, 'Sessions_RevokeAll', {}, token),
        );
      },
      async Account_ChangePassword() {
        const { email, token } = await stage.newPerson();
        const change = { Current: password, Password: newPassword() };
        return ofSession(await stage.login(0, email), (gateway) =>
          stage.via(gateway, 'Account_ChangePassword', change, token),
        );
      },
      async Account_ResetPassword() {
        const { email, token } = await stage.newPerson();
        bodyOf(await stage.via(0, 'Account_RequestPasswordReset', { Email: email }));
        const reset = { Token: tokenIn(await mailTo(stage.stack, email)), Password: newPassword() };
        return ofSession(token, (gateway) => stage.via(gateway, 'Account_ResetPassword', reset));
      },
      TenantMembers_Remove: () => ofMembership('TenantMembers_Remove'),
      TenantMembers_Disable: () => ofMembership('TenantMembers_Disable'),
    };

    /**
     * Uses the access through both gateways all the time, revokes it, and counts the results of
     * calls that began after the answer.
     */
    async function tryOnce(
      round: number,
      { use, end }: Access,
    ): Promise<{ allowed: number; refused: number }> {
      let endedAt = Number.POSITIVE_INFINITY;
      const outcome = { allowed: 0, refused: 0 };
      const attempt = async (gateway: number) => {
        const isLate = performance.now() > endedAt;
        const { status, body } = await use(gateway);
        assert.ok([200, 401, 403].includes(status), JSON.stringify(body));
        if (isLate) outcome[status === 200 ? 'allowed' : 'refused']++;
        else if (endedAt === Number.POSITIVE_INFINITY)
          assert.equal(status, 200, JSON.stringify(body));
      };
      await Promise.all(Array.from({ length: 6 }, (_, index) => attempt(index)));
      const ending = end(round);
      const meanwhile = Array.from({ length: 4 }, async (_, index) => {
        while (endedAt === Number.POSITIVE_INFINITY) await use(index);
      });
      bodyOf(await ending);
      endedAt = performance.now();
      await Promise.all([
        ...Array.from({ length: 2 * burst }, (_, index) => attempt(index)),
        ...meanwhile,
      ]);
      return outcome;
    }

    for (const [name, prepare] of Object.entries(revocations)) {
      test(`${name}: none of ${2 * burst} later requests is allowed, in ${rounds} rounds`, async (t) => {
        const all: Array<{ allowed: number; refused: number }> = [];
        for (let round = 0; round < rounds; round += atOnce) {
          const rights = await Promise.all(Array.from({ length: atOnce }, prepare));
          all.push(
            ...(await Promise.all(rights.map((right, index) => tryOnce(round + index, right)))),
          );
        }
        const sum = (kind: 'allowed' | 'refused') =>
          all.reduce((total, outcome) => total + outcome[kind], 0);
        t.diagnostic(`${sum('allowed')} allowed, ${sum('refused')} refused`);
        assert.deepEqual([sum('allowed'), sum('refused')], [0, 2 * burst * rounds]);
      });
    }

    test('Account_Logout: a gateway that does not get the revocation rejects the session too', async () => {
      for (let round = 0; round < 2; round++) {
        const { token } = await stage.newPerson();
        for (const gateway of [0, 1, 0, 1])
          bodyOf(await stage.via(gateway, 'Account_Get', {}, token));
        stage.cable.hold();
        try {
          bodyOf(await stage.via(round, 'Account_Logout', {}, token));
          const late = await Promise.all(
            Array.from({ length: 2 * burst }, (_, index) =>
              stage.via(index, 'Account_Get', {}, token),
            ),
          );
          assert.deepEqual(
            late.filter(({ status }) => status !== 401).map(({ status }) => status),
            [],
          );
        } finally {
          stage.cable.goOn();
        }
        // Until leases are renewed, so that the gateways cache again.
        await sleep(1000);
      }
    });
  });

  describe('one-time tokens and passwords', () => {
    const dead = '400 failed_precondition the token is not valid any more';
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
      for (let round = 0; round < rounds / 2; round++) {
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
      for (let round = 0; round < rounds / 2; round++) {
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
          while (!replaced) {
            const { status, body } = await stage.via(gateway, 'Account_Login', {
              Email: email,
              Password: password,
            });
            assert.ok(status === 200 || status === 401, JSON.stringify(body));
            if (status === 200) sessions.push(String(body['Token']));
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
      for (let round = 0; round < rounds / 2; round++) {
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

  test('no background call failed in the meantime', (t) =>
    stage.endLoad((line) => t.diagnostic(line)));
});
