import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryMs, leaseMs } from '@bailiwick/broker';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import pg from 'pg';
import { bodyOf } from '../../support/answers.ts';
import { describeBoth, type Stack } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { type Call, newMember } from '../../support/token-endings.ts';

// A process that is killed after its commit signals nothing to the caches. Its keys are in the log of
// its service, which the caches follow once a second (packages/store/revocations.ts).

/** A second until the next renewal, and much more for a slow machine: still less than a value lives. */
const renewedMs = entryMs / 2;

describeBoth('a change that no signal follows', (topology) => {
  let stack: Stack;
  let database: pg.Client;
  before(async () => {
    stack = await sharedStack(topology);
    database = new pg.Client({ connectionString: stack.databaseUrl });
    await database.connect();
  });
  after(async () => {
    await database?.end();
    await stack?.stop();
  });

  const call: Call = (operation, body, token = stack.platformKey) =>
    stack.call(operation, body, token);

  /** Commits the same rows as the process before its end: the deleted grants, and the key in its log. */
  const revokeGrants = (tenant: string, userId: string) =>
    database.query(
      `with gone as (delete from access.grant_entry where tenant = $1 and subject = $2)
       insert into access.revocation (keys) values (array ['user:' || $2])`,
      [tenant, userId],
    );

  type Member = Awaited<ReturnType<typeof newMember>>;

  /** How a right shows in a gateway's cache, and in the cache of access. */
  const uses: Record<string, (member: Member) => Promise<boolean>> = {
    'a gateway': async ({ tenant, token }) =>
      (await call('Groups_List', { Tenant: tenant }, token)).status === 200,
    access: async ({ tenant, userId }) => {
      const question = { Tenant: tenant, Subject: userId, Permission: 'iam.groups.read' };
      return bodyOf(await call('Access_Check', question))['Allowed'] === true;
    },
  };

  for (const [holder, isAllowed] of Object.entries(uses))
    test(`ends in the cache of ${holder} with its next renewal`, async () => {
      const member = await newMember(call);
      const { tenant, userId } = member;
      // The leases begin with a use.
      assert.ok(await isAllowed(member));
      await sleep(leaseMs);
      assert.ok(await isAllowed(member));
      await revokeGrants(tenant, userId);
      const began = performance.now();
      while (await isAllowed(member)) {
        const took = performance.now() - began;
        assert.ok(took < renewedMs, `allowed for ${Math.round(took)} ms`);
        await sleep(20);
      }
    });

  test('in SQL counts when the operator lets the caches forget', async () => {
    const member = await newMember(call);
    const isAllowed = uses['a gateway'] as (typeof uses)[string];
    assert.ok(await isAllowed(member));
    await sleep(leaseMs);
    assert.ok(await isAllowed(member));
    const text = 'delete from access.grant_entry where tenant = $1 and subject = $2';
    await database.query(text, [member.tenant, member.userId]);
    assert.ok(await isAllowed(member), 'the gateway has it in its cache');
    await forgetRights({ DATABASE_URL: stack.databaseUrl });
    assert.equal(await isAllowed(member), false);
  });
});
