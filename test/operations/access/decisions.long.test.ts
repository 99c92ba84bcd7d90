import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf } from '../../support/answers.ts';
import { countTrue } from '../../support/bursts.ts';
import { decisionEndings, newSubject } from '../../support/decision-endings.ts';
import { describeOne, type OwnStack, startStack } from '../../support/harness.ts';

// Access caches for two seconds what decisions depend on. A change of any of it ends that.
describeOne('cached decisions', 'one process', (topology) => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
    // A service that has just started waits for a whole lease, because it may not know every
    // cache yet.
    await sleep(2500);
  });
  after(() => stack?.stop());

  const call = (operation: string, body: object, token = stack.platformKey) =>
    stack.call(operation, body, token);
  const isAllowed = async (check: object, token?: string) =>
    bodyOf(await call('Access_Check', check, token))['Allowed'] === true;

  for (const [name, prepare] of Object.entries(decisionEndings))
    test(`${name}: none of 200 later checks is allowed, and all are once it is undone`, async () => {
      const { check, token, end, undo } = await prepare(call);
      const allowed = await countTrue(() => isAllowed(check, token), end);
      assert.deepEqual(allowed, { before: 200, after: 0 });
      if (!undo) return;
      const undone = await countTrue(() => isAllowed(check, token), undo);
      assert.deepEqual(undone, { before: 0, after: 200 });
    });

  test('a grant that expires while it is cached is denied at that moment', async () => {
    const { Tenant, UserID, check } = await newSubject(call);
    const end = Date.now() + 3000;
    const Grant = { Tenant, UserID, Role: 'reader', ExpiresAt: new Date(end).toISOString() };
    bodyOf(await call('Grants_Add', { Grant }));
    let allowed = 0;
    for (let isOver = false; !isOver; ) {
      isOver = Date.now() >= end;
      const answer = await isAllowed(check);
      if (isOver) assert.equal(answer, false);
      else allowed += Number(answer);
    }
    assert.ok(allowed > 20, `${allowed} checks were allowed before`);
  });

  test('Access_ListPermissions follows a change with its reply', async () => {
    const { Tenant, UserID, check } = await newSubject(call);
    const request = { Tenant, Subject: UserID, Resource: 'doc:1' };
    const listed = async () =>
      (bodyOf(await call('Access_ListPermissions', request))['Permissions'] as string[]).includes(
        check.Permission,
      );
    const Grant = { Tenant, UserID, Role: 'reader', Resource: 'doc:1' };
    for (let round = 0; round < 5; round++) {
      assert.deepEqual(await countTrue(listed, () => call('Grants_Add', { Grant })), {
        before: 0,
        after: 200,
      });
      assert.deepEqual(await countTrue(listed, () => call('Grants_Remove', { Grant })), {
        before: 200,
        after: 0,
      });
    }
  });

  test('a subject with more than a hundred grants on resources is answered alike', async () => {
    const { Tenant, UserID, check } = await newSubject(call);
    const grantOn = (Resource: string) => ({ Grant: { Tenant, UserID, Role: 'reader', Resource } });
    const resources = Array.from({ length: 105 }, (_, index) => `doc:${index}`);
    const allowedOn = async (subset: readonly string[]) => {
      const Checks = subset.map((Resource) => ({ Permission: check.Permission, Resource }));
      const { Tenant: tenant, Subject } = check;
      const answer = bodyOf(await call('Access_Check', { Tenant: tenant, Subject, Checks }));
      return (answer['Results'] as Array<{ Allowed: boolean }>).filter(({ Allowed }) => Allowed)
        .length;
    };
    for (const [index, resource] of resources.entries()) {
      assert.equal(await allowedOn([resource]), 0);
      bodyOf(await call('Grants_Add', grantOn(resource)));
      assert.equal(await allowedOn([resource]), 1, resource);
      if (index > 95) assert.equal(await allowedOn(resources.slice(index - 95, index + 1)), 96);
    }
    for (const resource of resources) {
      bodyOf(await call('Grants_Remove', grantOn(resource)));
      assert.equal(await allowedOn([resource]), 0, resource);
    }
    assert.equal(await allowedOn(resources.slice(0, 100)), 0);
  });

  test('without the broker, the reply of Grants_Remove waits until every cached decision has expired', async () => {
    const prepare = decisionEndings['Grants_Remove'];
    assert.ok(prepare);
    const { check, end } = await prepare(call);
    assert.equal(await isAllowed(check), true);
    await stack.stopBroker();
    try {
      const allowed = await countTrue(() => isAllowed(check), end);
      assert.deepEqual(allowed, { before: 200, after: 0 });
    } finally {
      await stack.startBroker();
      await stack.ready();
    }
  });
});
