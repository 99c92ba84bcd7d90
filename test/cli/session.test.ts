import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { createBot, createKey } from '../support/bots.ts';
import { type Stack } from '../support/harness.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { createCli } from './cli.ts';

describe('bailiwick: who is calling', () => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
  });
  after(() => stack?.stop());

  const newCli = (t: TestContext, token?: string) => {
    const cli = createCli(stack.url, token);
    t.after(cli.remove);
    return cli;
  };

  test('login keeps a session for its user alone, and logout ends it', async (t) => {
    const cli = newCli(t);
    const { email } = await signUp(stack);
    const signedIn = await cli.run(['login', '--email', email], { input: `${password}\n` });
    assert.deepEqual([signedIn.code, signedIn.stdout], [0, ''], signedIn.stderr);
    assert.equal(statSync(cli.sessionsFile).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(cli.sessionsFile)).mode & 0o777, 0o700);
    // The URL may have another spelling, or be omitted after the login.
    assert.equal(
      (await cli.run(['Account_Get', '--url', `${stack.url.replace('http:', 'HTTP:')}//`])).code,
      0,
    );
    const account = await cli.run(['Account_Get', '--json'], { env: { BAILIWICK_URL: '' } });
    assert.equal((JSON.parse(account.stdout) as { User: { Email: string } }).User.Email, email);

    const { Tokens } = JSON.parse(readFileSync(cli.sessionsFile, 'utf8')) as {
      Tokens: Record<string, string>;
    };
    assert.equal((await cli.run(['logout'])).code, 0);
    assert.equal((await stack.call('Account_Get', {}, Tokens[stack.url])).status, 401);
    assert.equal((await cli.run(['Account_Get'])).code, 4);
    assert.equal((await cli.run(['logout'])).code, 0);
  });

  test('a wrong password exits with 4, is not shown, and stores nothing', async (t) => {
    const cli = newCli(t);
    const { email } = await signUp(stack);
    const { code, stdout, stderr } = await cli.run(['login', '--email', email], {
      input: 'not the password',
    });
    assert.equal(code, 4);
    assert.doesNotMatch(stdout + stderr, /not the password/);
    assert.ok(!existsSync(cli.sessionsFile));
  });

  test('a stored token is only sent to its address', async (t) => {
    const cli = newCli(t);
    const { email } = await signUp(stack);
    await cli.run(['login', '--email', email], { input: password });
    const elsewhere = await cli.run([
      'Account_Get',
      '--url',
      stack.url.replace('127.0.0.1', 'localhost'),
    ]);
    assert.equal(elsewhere.code, 4, elsewhere.stderr);
  });

  test('a file that others can read is rejected', async (t) => {
    const cli = newCli(t);
    const { email } = await signUp(stack);
    await cli.run(['login', '--email', email], { input: password });
    chmodSync(cli.sessionsFile, 0o644);
    const { code, stderr } = await cli.run(['Account_Get']);
    assert.equal(code, 1);
    assert.match(stderr, /others can read/);
    // A token in the environment needs no file.
    const { token } = await signUp(stack);
    assert.equal((await cli.run(['Account_Get'], { env: { BAILIWICK_TOKEN: token } })).code, 0);
  });

  test('a key comes from a file, from the standard input, or from login', async (t) => {
    const cli = newCli(t);
    const file = path.join(cli.home, 'key');
    mkdirSync(cli.home, { recursive: true });
    writeFileSync(file, `${stack.platformKey}\n`);
    const { email } = await signUp(stack);
    const call = ['Users_GetByEmail', '--Email', email];
    assert.equal((await cli.run(call)).code, 4);
    assert.equal((await cli.run([...call, '--token-file', file])).code, 0);
    assert.equal(
      (await cli.run([...call, '--token-file', '-'], { input: stack.platformKey })).code,
      0,
    );
    assert.equal((await cli.run(['login', '--token-file', file])).code, 0);
    assert.equal((await cli.run(call)).code, 0);
    writeFileSync(file, 'bwkb_junk');
    assert.equal((await cli.run(['login', '--token-file', file])).code, 4);
    assert.equal(
      (await cli.run(['Account_Get', '--token-file', path.join(cli.home, 'none')])).code,
      1,
    );
  });

  test('a password is not accepted on the command line', async (t) => {
    const cli = newCli(t);
    const { email } = await signUp(stack);
    const direct = await cli.run(['Account_Login', '--Email', email, '--Password', password]);
    assert.equal(direct.code, 2);
    assert.doesNotMatch(direct.stderr, new RegExp(password));
    const piped = await cli.run(['Account_Login', '--Email', email, '--Password', '-', '--json'], {
      input: `${password}\n`,
    });
    assert.match((JSON.parse(piped.stdout) as { Token: string }).Token, /^bwks_/);
  });

  test('a tenant is named by its slug, and use stores a default for the address', async (t) => {
    const { token } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    const { Slug } = (await stack.call('Tenants_Get', { Tenant: tenant }, token)).body[
      'Tenant'
    ] as { Slug: string };
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'eng' } }, token);
    const cli = newCli(t, token);
    const groups = async (...args: string[]) => {
      const { code, stdout, stderr } = await cli.run(['Groups_List', '--json', ...args]);
      return {
        code,
        stderr,
        paths:
          code === 0
            ? (JSON.parse(stdout) as { Page: { Items: Array<{ Path: string }> } }).Page.Items.map(
                ({ Path }) => Path,
              )
            : [],
      };
    };
    assert.deepEqual((await groups('--Tenant', Slug)).paths, ['eng']);
    assert.match(
      (await groups('--Tenant', 'elsewhere')).stderr,
      /you do not belong to a tenant elsewhere/,
    );
    assert.match((await groups()).stderr, /Tenant is required/);

    assert.equal((await cli.run(['use'])).code, 1);
    assert.equal((await cli.run(['use', Slug])).code, 0);
    assert.equal((await cli.run(['use'])).stdout, `${tenant}\n`);
    const inDefault = await groups();
    assert.deepEqual(inDefault.paths, ['eng']);
    assert.match(inDefault.stderr, /in the default tenant tnt_/);
    assert.equal((await cli.run(['Groups_Save', '--Group.Path', 'ops'])).code, 0);
    assert.deepEqual((await groups('--Tenant', tenant)).paths.sort(), ['eng', 'ops']);
    assert.match(
      (await groups('--Tenant', '')).stderr,
      /Tenant is required/,
      'an empty tenant is not replaced by the default',
    );
    const elsewhere = await cli.run([
      'Groups_List',
      '--url',
      stack.url.replace('127.0.0.1', 'localhost'),
    ]);
    assert.match(elsewhere.stderr, /Tenant is required/, 'the default belongs to its address');
    const other = await createTenant(stack, token);
    assert.deepEqual(
      JSON.parse(
        (await cli.run(['Groups_List', '--json'], { env: { BAILIWICK_TENANT: other } })).stdout,
      ).Page.Items,
      [],
    );

    // For these operations an empty tenant means the platform or all tenants, and is sent if it is given.
    const env = { BAILIWICK_TENANT: tenant, BAILIWICK_TOKEN: stack.platformKey };
    for (const operation of ['Audit_List', 'Keys_Status']) {
      const inTenant = await cli.run([operation, '--json'], { env });
      assert.deepEqual(
        [inTenant.code, inTenant.stderr],
        [0, `bailiwick: in the default tenant ${tenant}\n`],
        operation,
      );
      const platform = await cli.run([operation, '--Tenant', '', '--json'], { env });
      assert.deepEqual([platform.code, platform.stderr], [0, ''], operation);
    }
    const { stdout: audit } = await cli.run(['Audit_List']);
    assert.match(audit, /group\.created/, 'the tenant’s own entries');
    assert.equal(
      (
        await cli.run(['login', '--token-file', '-'], {
          input: token,
          env: { BAILIWICK_TOKEN: '' },
        })
      ).code,
      0,
    );
    assert.equal((await cli.run(['use'])).code, 1, 'the default may have been another user’s');
    assert.equal((await cli.run(['use', Slug])).code, 0);
    assert.equal((await cli.run(['use', '--clear'])).code, 0);
    assert.match((await groups()).stderr, /Tenant is required/);
    // The platform key belongs to no tenant, and lists all of them.
    const operator = createCli(stack.url, stack.platformKey);
    assert.equal((await operator.run(['Groups_List', '--Tenant', Slug])).code, 0);
    const bot = await createBot(stack, tenant, token);
    const { Secret } = await createKey(stack, bot, token);
    const byBot = await createCli(stack.url, Secret).run(['Groups_List', '--Tenant', Slug]);
    assert.match(byBot.stderr, /a bot names its tenant by ID/);
  });
});
