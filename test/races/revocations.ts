import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from '../support/answers.ts';
import type { Answer } from '../support/harness.ts';
import { createTenant, mailTo, password, tokenIn } from '../support/people.ts';
import { newPassword, type Stage } from '../support/stage.ts';

/** The number of runs of each race, since one run may miss it, and of concurrent runs. */
const rounds = 20;
const atOnce = 4;
/** Requests through each gateway when the answer arrives. */
const burst = 12;

/** `started` is called after the suite has started the stage. */
export function testRevocationRaces(started: () => Stage): void {
  describe('after a revocation is answered, both gateways reject the cached access', () => {
    let stage: Stage;
    before(() => {
      stage = started();
    });

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
}
