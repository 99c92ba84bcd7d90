// 35 s: compares passwords with the slow hashes of every other system.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { published } from '@bailiwick/identity/passwords/imported/published-hashes.ts';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import {
  login,
  mailTo,
  newAddress,
  password,
  signUp,
  tenantFor,
  tokenIn,
} from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import {
  bcryptHash,
  type Imports,
  importedPerson,
  startImports,
  type Verdict,
} from './user-import-calls.ts';

/** scrypt with 64 MiB. */
const slowHash =
  '$scrypt$ln=16,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw';

/** Times may differ by less than a comparison with the slow hash takes, or by this share. */
const [alikeMs, alikeShare] = [120, 0.25];
/** A busy machine can favour one side once, but not several times. */
const tries = 4;

function areAlike(times: readonly number[]): boolean {
  const least = Math.min(...times);
  return Math.max(...times) - least < Math.max(alikeMs, alikeShare * least);
}

describeOne('imports of users', 'one process', (topology) => {
  let suite: Imports;
  before(async () => {
    suite = await startImports(topology);
  });
  after(() => suite?.stop());

  const hashOf = async (id: string) =>
    (
      await rowsOf<{ hash: string | null }>(
        suite.stack,
        'select password_hash as hash from identity.user_account where id = $1',
        [id],
      )
    )[0]?.hash;

  test('each hash of another system signs its user in with the old password, and is renewed once', async () => {
    const { stack, verdicts } = suite;
    const rows = published.map(([, , hash]) => importedPerson({ PasswordHash: hash }));
    const results = await verdicts(rows);
    assert.deepEqual(
      results.map(({ Result }) => Result),
      published.map(() => 'created'),
    );
    for (const [index, [name, secret]] of published.entries()) {
      const { Email } = rows[index] ?? assert.fail();
      const { UserID } = results[index] ?? assert.fail();
      assert.match((await hashOf(UserID)) ?? '', /^imported /, name);
      assertRefused(await login(stack, Email, `${secret}x`), 401, 'unauthenticated');
      assert.match((await hashOf(UserID)) ?? '', /^imported /, name);
      assert.equal((await login(stack, Email, secret)).status, 200, name);
      const renewed = (await hashOf(UserID)) ?? '';
      assert.match(renewed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, name);
      assert.equal((await login(stack, Email, secret)).status, 200, name);
      assert.equal(await hashOf(UserID), renewed, name);
    }
  });

  test('no answer, event or audit entry has the hash', async () => {
    const { stack, verdicts } = suite;
    const row = importedPerson({ PasswordHash: bcryptHash });
    const [verdict] = await verdicts([row]);
    assert.doesNotMatch(JSON.stringify(verdict), /E5YPO9kmyuRGyh0X/);
    const user = bodyOf(
      await stack.call('Users_Get', { UserID: verdict?.UserID }, stack.platformKey),
    );
    assert.doesNotMatch(JSON.stringify(user), /E5YPO9kmyuRGyh0X/);
    assert.equal((user['User'] as { HasPassword: boolean }).HasPassword, true);
    const rows = await rowsOf(
      stack,
      `select 1 from identity.outbox where event like '%E5YPO9kmyuRGyh0X%' or audit like '%E5YPO9kmyuRGyh0X%'`,
    );
    assert.deepEqual(rows, []);
  });

  test('sign-ins that renew one hash at the same time all succeed', async () => {
    const { stack, verdicts } = suite;
    const row = importedPerson({ PasswordHash: bcryptHash });
    const [verdict] = await verdicts([row]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => login(stack, row.Email, 'U*U')),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    const renewed = (await hashOf(verdict?.UserID ?? '')) ?? '';
    assert.match(renewed, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    assert.equal((await login(stack, row.Email, 'U*U')).status, 200);
    assert.equal(await hashOf(verdict?.UserID ?? ''), renewed);
  });

  test('while users have imported hashes, wrong passwords take the same time for all addresses', async () => {
    const { stack, verdicts } = suite;
    const wrong = async (address: string) =>
      assertRefused(await login(stack, address, 'wrong'), 401, 'unauthenticated');
    // At the same time, since the floor follows the load of the machine. Guesses of one account take
    // turns: the last one waits for those before.
    const took = (addresses: readonly string[], guesses: number) =>
      Promise.all(
        addresses.map(async (address) => {
          const began = performance.now();
          await Promise.all(Array.from({ length: guesses }, () => wrong(address)));
          return performance.now() - began;
        }),
      );
    const measurements: string[] = [];
    for (let attempt = 0; attempt < tries; attempt++) {
      const row = importedPerson({ PasswordHash: slowHash });
      await verdicts([row]);
      const addresses = [row.Email, (await signUp(stack)).email, newAddress('unknown')];
      const [once, thrice] = [await took(addresses, 1), await took(addresses, 3)];
      assert.ok(Math.min(...once) >= 490 && Math.min(...thrice) >= 1470);
      if (areAlike(once) && areAlike(thrice)) return;
      measurements.push([...once, ...thrice].map((ms) => ms.toFixed(0)).join(', '));
    }
    assert.fail(measurements.join('; '));
  });

  test('wrong passwords lock an account with an imported hash as any other', async () => {
    const { stack, verdicts } = suite;
    const row = importedPerson({ PasswordHash: bcryptHash });
    await verdicts([row]);
    for (let wrong = 0; wrong < 5; wrong++)
      assertRefused(await login(stack, row.Email, `wrong ${wrong}`), 401, 'unauthenticated');
    assertRefused(await login(stack, row.Email, 'U*U'), 429, 'resource_exhausted');
  });

  test('the repetition of a call whose response was lost says which users that call created', async () => {
    const { verdicts } = suite;
    const row = importedPerson();
    const results = async (rows: readonly object[], more: object) =>
      (await verdicts(rows, { OnError: 'continue', ...more })).map(({ Result }) => Result);
    const batch = { BatchID: 'import-1' };
    assert.deepEqual(await results([row], batch), ['created']);
    const wrong = importedPerson({ PasswordHash: 'x' });
    const rows = [row, importedPerson(), wrong];
    assert.deepEqual(await results(rows, { ...batch, DryRun: true }), [
      'created',
      'created',
      'failed',
    ]);
    assert.deepEqual(await results(rows, batch), ['created', 'created', 'failed']);
    for (const other of [{}, { BatchID: '' }, { BatchID: 'import-2' }])
      assert.deepEqual(await results([row], other), ['existing']);
    // A user of no batch belongs to none.
    const alone = importedPerson();
    assert.deepEqual(await results([alone], {}), ['created']);
    assert.deepEqual(await results([alone], {}), ['existing']);
  });

  test('a repeated import makes no second user and leaves password, profile and memberships as they are', async () => {
    const { stack, owner, verdicts } = suite;
    const tenant = await tenantFor(stack, owner.id);
    const row = importedPerson({
      Name: 'Ada',
      PasswordHash: bcryptHash,
      Tenants: [{ Tenant: tenant, Roles: ['auditor'] }],
    });
    const [first] = await verdicts([row]);
    assert.equal(first?.Result, 'created');
    assert.equal((await login(stack, row.Email, 'U*U')).status, 200);
    const renewed = await hashOf(first.UserID);
    const grant = { Grant: { Tenant: tenant, UserID: first.UserID, Role: 'auditor' } };
    bodyOf(await stack.call('Grants_Remove', grant, owner.token));
    const again = { ...row, Name: 'Another', Email: newAddress('moved') };
    assert.deepEqual(await verdicts([again]), [
      { ...first, Email: again.Email, Result: 'existing' },
    ]);
    assert.equal(await hashOf(first.UserID), renewed);
    const stored = await rowsOf(
      stack,
      `select u.name, u.email, (select count(*)::int from access.grant_entry g where g.subject = u.id) as grants
       from identity.user_account u where u.external_id = $1`,
      [row.ExternalID],
    );
    assert.deepEqual(stored, [{ name: 'Ada', email: row.Email, grants: 0 }]);
  });

  test('memberships come with roles and groups, and a user without roles gets the default role', async () => {
    const { stack, owner, verdicts } = suite;
    const tenant = await tenantFor(stack, owner.id);
    bodyOf(
      await stack.call(
        'Groups_Save',
        { Group: { Tenant: tenant, Path: 'sales/emea' } },
        owner.token,
      ),
    );
    const rows = [
      importedPerson({
        Tenants: [{ Tenant: tenant, Roles: ['admin', 'auditor'], Groups: ['/Sales/EMEA'] }],
      }),
      importedPerson({ Tenants: [{ Tenant: tenant }] }),
    ];
    const [led, plain] = await verdicts(rows);
    const rights = async (id: string | undefined) =>
      rowsOf(
        stack,
        `select m.status, m.source,
           array(select role from access.grant_entry g where g.tenant = m.tenant and g.subject = m.user_id order by 1) as roles,
           array(select e.key from access.group_member g join access.group_entry e on e.id = g.group_id where g.tenant = m.tenant and g.user_id = m.user_id) as groups
         from access.tenant_member m where m.tenant = $1 and m.user_id = $2`,
        [tenant, id],
      );
    assert.deepEqual(await rights(led?.UserID), [
      { status: 'active', source: 'admin', roles: ['admin', 'auditor'], groups: ['sales/emea'] },
    ]);
    assert.deepEqual(await rights(plain?.UserID), [
      { status: 'active', source: 'admin', roles: ['member'], groups: [] },
    ]);
    const [entry] = await rowsOf<{ audit: { ActorType: string; Operation: string } }>(
      stack,
      `select audit::jsonb as audit from access.outbox where type = 'tenant.member_added' and event like '%' || $1 || '%'`,
      [plain?.UserID],
    );
    assert.equal(entry?.audit.Operation, 'Users_Import');
    assert.equal(entry?.audit.ActorType, 'platform');
  });

  test('an unverified address opens nothing with the old password, and a reset verifies it', async () => {
    const { stack, verdicts } = suite;
    const row = importedPerson({ EmailVerified: false, PasswordHash: bcryptHash });
    const [verdict] = await verdicts([row]);
    assert.equal(await hashOf(verdict?.UserID ?? ''), null);
    assertRefused(await login(stack, row.Email, 'U*U'), 401, 'unauthenticated');
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: row.Email }));
    const Token = tokenIn(await mailTo(stack, row.Email));
    bodyOf(await stack.call('Account_ResetPassword', { Token, Password: password }));
    const user = bodyOf(await login(stack, row.Email))['User'] as { EmailVerified: boolean };
    assert.equal(user.EmailVerified, true);
  });

  test('200 imports of the same users at once make one user each', async () => {
    const { stack, owner, send } = suite;
    const tenant = await tenantFor(stack, owner.id);
    const rows = Array.from({ length: 5 }, () => importedPerson({ Tenants: [{ Tenant: tenant }] }));
    const all = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        // Every second call has other addresses for the same ExternalIDs.
        const users = index % 2 ? rows : rows.map((row) => ({ ...row, Email: `o-${row.Email}` }));
        return bodyOf(await retryWhileBusy(() => send(users)))['Verdicts'] as Verdict[];
      }),
    );
    for (const [index, { ExternalID }] of rows.entries()) {
      const ids = new Set(all.map((results) => results[index]?.UserID));
      assert.equal(ids.size, 1);
      assert.equal(all.filter((results) => results[index]?.Result === 'created').length, 1);
      const stored = await rowsOf(
        stack,
        'select u.id from identity.user_account u join access.tenant_member m on m.user_id = u.id where u.external_id = $1',
        [ExternalID],
      );
      assert.deepEqual(stored, [{ id: [...ids][0] }]);
    }
  });

  test('an import beside a registration of the same address makes one account, and voids the registration', async () => {
    const { stack, verdicts } = suite;
    const row = importedPerson({ PasswordHash: bcryptHash });
    bodyOf(await stack.call('Account_Register', { Email: row.Email, Password: password }));
    const Token = tokenIn(await mailTo(stack, row.Email));
    assert.equal((await verdicts([row]))[0]?.Result, 'created');
    assertRefused(await stack.call('Account_Verify', { Token }), 400, 'failed_precondition');
    assert.equal((await login(stack, row.Email, 'U*U')).status, 200);
  });
});
