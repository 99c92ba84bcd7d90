import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { countOf } from '../../support/store.ts';
import {
  bcryptHash,
  type Imports,
  importedPerson,
  startImports,
  type Verdict,
} from './user-import-calls.ts';

describeOne('refused imports of users', 'one process', (topology) => {
  let suite: Imports;
  before(async () => {
    suite = await startImports(topology);
  });
  after(() => suite?.stop());

  test('one wrong user keeps all others out, unless OnError is continue', async () => {
    const { stack, owner, verdicts } = suite;
    const tenant = await tenantFor(stack, owner.id);
    const account = await signUp(stack);
    const bcryptLimit = 'a cost of bcrypt from 4 to 14';
    const wrong: ReadonlyArray<readonly [row: object, code: string, message: RegExp]> = [
      [
        importedPerson({ Email: 'no address' }),
        'invalid_argument',
        /^Email must be a mail address$/,
      ],
      [importedPerson({ Name: 'n'.repeat(200) }), 'invalid_argument', /^Name must be at most 128/],
      [
        importedPerson({ PasswordHash: 'secret' }),
        'invalid_argument',
        /^PasswordHash has an unsupported format$/,
      ],
      [
        importedPerson({ PasswordHash: bcryptHash.replace('$05$', '$20$') }),
        'invalid_argument',
        /^PasswordHash must have a cost of bcrypt from 4 to 14$/,
      ],
      [
        importedPerson({ Email: account.email }),
        'already_exists',
        /^Email belongs to an account without an ExternalID/,
      ],
      [
        importedPerson({ Tenants: [{ Tenant: 'tnt_01hzzzzzzzzzzzzzzzzzzzzzzz' }] }),
        'not_found',
        /^Tenants\[0\]: tenant tnt_\w+ not found$/,
      ],
      [
        importedPerson({ Tenants: [{ Tenant: tenant, Roles: ['nothing'] }] }),
        'not_found',
        /^Tenants\[0\]: role nothing not found$/,
      ],
      [
        importedPerson({ Tenants: [{ Tenant: tenant, Groups: ['nowhere'] }] }),
        'not_found',
        /^Tenants\[0\]: group nowhere not found$/,
      ],
      [
        importedPerson({ Tenants: [{ Tenant: tenant }, { Tenant: tenant }] }),
        'invalid_argument',
        /^Tenants\[1\]\.Tenant is named twice$/,
      ],
    ];
    const right = [importedPerson(), importedPerson({ Tenants: [{ Tenant: tenant }] })];
    const rows = [
      ...right,
      ...wrong.map(([row]) => row),
      { ...importedPerson(), Email: right[0]?.Email },
    ];
    const before = await countOf(stack, 'identity.user_account');
    for (const more of [{}, { OnError: 'abort' }, { DryRun: true }]) {
      const results = await verdicts(rows, more);
      assert.deepEqual(
        results.map(({ Result }) => Result),
        ['skipped', 'skipped', ...wrong.map(() => 'failed'), 'failed'],
      );
      for (const [index, [, code, message]] of wrong.entries()) {
        assert.equal(results[index + 2]?.Code, code);
        assert.match(results[index + 2]?.Messages[0] ?? '', message);
      }
      assert.deepEqual(results.at(-1)?.Messages, ['Email is the same as in Users[0]']);
      const reasons = results.map(({ Reason, Params, Problems }) => ({ Reason, Params, Problems }));
      const custom = { Field: 'PasswordHash', Rule: 'custom', Params: {} };
      const unique = (Field: string) => ({ Field, Rule: 'unique', Params: {} });
      const max = { Field: 'Name', Rule: 'max_len', Params: { Max: '128' } };
      assert.deepEqual(reasons.slice(3), [
        { Reason: '', Params: {}, Problems: [max] },
        { Reason: 'HASH_FORM', Params: {}, Problems: [custom] },
        { Reason: 'HASH_COST', Params: { Limit: bcryptLimit }, Problems: [custom] },
        ...wrong.slice(4, -1).map(() => ({ Reason: '', Params: {}, Problems: [] })),
        { Reason: '', Params: {}, Problems: [unique('Tenants[1].Tenant')] },
        { Reason: '', Params: {}, Problems: [unique('Email')] },
      ]);
    }
    const tried = await verdicts(rows, { OnError: 'continue', DryRun: true });
    assert.deepEqual(tried.map(({ Result, UserID }) => [Result, UserID]).slice(0, 2), [
      ['created', ''],
      ['created', ''],
    ]);
    assert.equal(await countOf(stack, 'identity.user_account'), before);
    const results = await verdicts(rows, { OnError: 'continue' });
    assert.deepEqual(
      results.map(({ Result }) => Result),
      ['created', 'created', ...wrong.map(() => 'failed'), 'failed'],
    );
    assert.equal(await countOf(stack, 'identity.user_account'), before + 2);
  });

  test('only the platform imports, and an importer gives no right that it does not hold', async () => {
    const { stack, owner, send } = suite;
    const tenant = await tenantFor(stack, owner.id);
    const home = await tenantFor(stack, owner.id);
    assertRefused(await send([importedPerson()], {}, owner.token), 403, 'permission_denied');
    assertRefused(
      await stack.call('Users_Import', { Users: [importedPerson()] }),
      401,
      'unauthenticated',
    );
    const bot = bodyOf(
      await stack.call('Bots_Save', { Bot: { Tenant: home, Name: 'Mover' } }, owner.token),
    )['Bot'] as { ID: string };
    const keyFor = async (more: object = {}) =>
      bodyOf(
        await stack.call(
          'BotKeys_Create',
          { Tenant: home, Bot: bot.ID, Name: 'mover', ...more },
          stack.platformKey,
        ),
      )['Secret'] as string;
    assertRefused(await send([importedPerson()], {}, await keyFor()), 403, 'permission_denied');
    bodyOf(
      await stack.call(
        'BotGrants_Add',
        { Grant: { Bot: bot.ID, Role: 'platform-owner', Platform: true } },
        stack.platformKey,
      ),
    );
    const narrow = await keyFor({ Permissions: ['iam.platform.users.write'] });
    const rows = [
      importedPerson(),
      importedPerson({ Tenants: [{ Tenant: tenant, Roles: ['owner'] }] }),
    ];
    const results = bodyOf(await send(rows, { OnError: 'continue' }, narrow))[
      'Verdicts'
    ] as Verdict[];
    assert.deepEqual(
      results.map(({ Result, Code }) => [Result, Code]),
      [
        ['created', ''],
        ['failed', 'permission_denied'],
      ],
    );
  });

  test('1,001 users are too many, and an unknown key is refused', async () => {
    const { send } = suite;
    assertRefused(await send(Array.from({ length: 1001 }, () => ({}))), 400, 'invalid_argument', [
      'Users must have at most 1000 items',
    ]);
    assertRefused(await send([]), 400, 'invalid_argument', ['Users is required']);
    assertRefused(await send([{ ...importedPerson(), Hash: 'x' }]), 400, 'invalid_argument');
  });
});
