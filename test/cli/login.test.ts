import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { answerConsent, enter } from '../sso/issuer/stage.ts';
import { type Arrival, startVisitor, type Visitor } from '../sso/issuer/visitor.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { type Cli, createCli, type Outcome } from './cli.ts';

// bailiwick login without a password: with the browser of this computer, or of any device.

type CredentialsFile = {
  Current: string;
  Tokens: Record<string, string>;
  Renewals: Record<string, { RefreshToken: string; ExpiresAt: string }>;
};

describe('bailiwick login', () => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
  });
  after(() => stack?.stop());

  const newCli = (t: TestContext): Cli => {
    const cli = createCli(stack.url);
    t.after(cli.remove);
    return cli;
  };
  const storedIn = ({ sessionsFile }: Cli) =>
    JSON.parse(readFileSync(sessionsFile, 'utf8')) as CredentialsFile;
  const claimsOf = (token = '') =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
      string,
      unknown
    >;

  /** Runs the tool, and gives `visit` the first match in its output. A failed visit is thrown at once. */
  async function runWith(
    cli: Cli,
    args: readonly string[],
    said: RegExp,
    visit: (found: string) => Promise<unknown>,
    env: Record<string, string> = {},
  ): Promise<Outcome> {
    const failure = Promise.withResolvers<never>();
    let visited: Promise<unknown> | undefined;
    const run = cli.run(args, {
      env,
      watch(stderr) {
        const address = said.exec(stderr)?.[1];
        if (address === undefined || visited) return;
        visited = visit(address);
        visited.catch(failure.reject);
      },
    });
    const outcome = await Promise.race([run, failure.promise]);
    await visited;
    return outcome;
  }

  const address = /^(http\S+\/oauth\/authorize\?\S+)$/m;
  const code = /^ {4}([A-Z]{4}-[A-Z]{4})$/m;

  /** Signs in with the browser, as a person who consents. */
  const byBrowser = (cli: Cli, token: string, consent: 'yes' | 'no' = 'yes', args: string[] = []) =>
    runWith(
      cli,
      ['login', ...args],
      address,
      async (url) => {
        const visitor = startVisitor(stack);
        const page = await enter(visitor, await visitor.open(url), token);
        assert.match(page.text, /Sign in to Bailiwick command line\?/);
        const back = await answerConsent(visitor, page, consent);
        // Another program cannot answer for the browser.
        const forged = new URL(back.url);
        forged.searchParams.set('state', 'other');
        assert.equal((await fetch(forged)).status, 404);
        assert.match(await (await fetch(back.url)).text(), /command line/);
      },
      { BROWSER: 'true' },
    );

  async function send(visitor: Visitor, { text }: Arrival, fields: Record<string, string>) {
    const xsrf = /name="xsrf" value="([^"]*)"/.exec(text)?.[1] ?? '';
    return visitor.open('/device', {
      method: 'POST',
      body: new URLSearchParams({ xsrf, ...fields }),
    });
  }

  const deviceAnswers = {
    confirm: /Your device is signed in/,
    abort: /Your device is not signed in/,
  };

  const byDevice = (cli: Cli, token: string, answer: 'confirm' | 'abort') =>
    runWith(cli, ['login'], code, async (user_code) => {
      const visitor = startVisitor(stack, token);
      const page = await send(visitor, await visitor.open('/device'), { user_code });
      assert.match(page.text, /Sign in to Bailiwick command line\?/);
      const last = await send(visitor, page, { user_code, [answer]: 'yes' });
      assert.match(last.text, deviceAnswers[answer]);
    });

  test('opens the browser, and stores the tokens for its user alone', async (t) => {
    const cli = newCli(t);
    const { id, email, token } = await signUp(stack);
    const opened = path.join(cli.home, 'opened');
    const browser = path.join(cli.home, 'browser');
    writeFileSync(browser, `#!/bin/sh\necho "$1" > ${opened}\n`);
    chmodSync(browser, 0o755);
    const visit = async (url: string) => {
      await eventually(
        'the browser',
        async () => existsSync(opened) && readFileSync(opened, 'utf8').trim() === url,
      );
      const visitor = startVisitor(stack, token);
      const back = await answerConsent(visitor, await visitor.open(url), 'yes');
      assert.match(await (await fetch(back.url)).text(), /Go back to the command line/);
    };
    const { code: exit, stderr } = await runWith(cli, ['login'], address, visit, {
      BROWSER: browser,
    });
    assert.equal(exit, 0, stderr);
    assert.ok(stderr.includes(`${email} is signed in at ${stack.url}`), stderr);
    assert.equal(statSync(cli.sessionsFile).mode & 0o777, 0o600);
    const { Current, Tokens, Renewals } = storedIn(cli);
    const { sub, aud, client_id, scope } = claimsOf(Tokens[Current]);
    assert.deepEqual(
      { sub, aud, client_id, scope },
      { sub: id, aud: stack.url, client_id: 'bailiwick-cli', scope: 'account *' },
    );
    assert.ok(Renewals[Current]?.RefreshToken);
  });

  test('leads to the operations of the account and of the tenants, until the session ends', async (t) => {
    const cli = newCli(t);
    const { email, token } = await signUp(stack);
    const [first, second] = [await createTenant(stack, token), await createTenant(stack, token)];
    await byBrowser(cli, token);
    const account = await cli.run(['Account_Get', '--json']);
    assert.equal(account.code, 0, account.stderr);
    assert.equal((JSON.parse(account.stdout) as { User: { Email: string } }).User.Email, email);
    for (const tenant of [first, second]) {
      const group = ['--Group.Tenant', tenant, '--Group.Path', 'eng', '--Group.Name', 'Eng'];
      const saved = await cli.run(['Groups_Save', ...group]);
      assert.equal(saved.code, 0, saved.stderr);
    }
    await stack.call('Account_Logout', {}, token);
    assert.equal((await cli.run(['Account_Get'])).code, 4);
    assert.equal((await cli.run(['Groups_List', '--Tenant', first])).code, 4);
  });

  test('shows a code without a browser, and says that the person refused', async (t) => {
    const cli = newCli(t);
    const { id, email, token } = await signUp(stack);
    // A session answers one device at a time: the form of its last page is the valid one.
    const other = await signUp(stack);
    const [{ code: exit, stderr }, refused] = await Promise.all([
      byDevice(cli, token, 'confirm'),
      byDevice(newCli(t), other.token, 'abort'),
    ]);
    assert.equal(exit, 0, stderr);
    assert.ok(stderr.includes(`${email} is signed in`), stderr);
    assert.equal(claimsOf(storedIn(cli).Tokens[stack.url])['sub'], id);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /refused in the browser/);
  });

  test('of processes that renew the token at once, one does, and the sign-in goes on', async (t) => {
    const cli = newCli(t);
    const { token } = await signUp(stack);
    assert.equal((await byBrowser(cli, token)).code, 0);
    const expire = () => {
      const stored = storedIn(cli);
      const renewal = stored.Renewals[stack.url];
      assert.ok(renewal);
      renewal.ExpiresAt = new Date(0).toISOString();
      writeFileSync(cli.sessionsFile, JSON.stringify(stored));
      return renewal.RefreshToken;
    };
    for (const processes of [4, 1]) {
      const before = expire();
      const outcomes = await Promise.all(
        Array.from({ length: processes }, () => cli.run(['Account_Get'])),
      );
      for (const { code: exit, stderr } of outcomes) assert.equal(exit, 0, stderr);
      assert.notEqual(storedIn(cli).Renewals[stack.url]?.RefreshToken, before);
    }
    // Once the browser's session has ended, so has this one.
    await stack.call('Account_Logout', {}, token);
    expire();
    const ended = await cli.run(['Account_Get']);
    assert.deepEqual([ended.code, /sign in with bailiwick login/.test(ended.stderr)], [4, true]);
  });

  test('and logout ends the refresh token, but not the session of the browser', async (t) => {
    const cli = newCli(t);
    const { token } = await signUp(stack);
    await byBrowser(cli, token);
    const { RefreshToken = '' } = storedIn(cli).Renewals[stack.url] ?? {};
    assert.equal((await cli.run(['logout'])).code, 0);
    assert.deepEqual(storedIn(cli).Renewals, {});
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: 'bailiwick-cli',
      refresh_token: RefreshToken,
    });
    const answer = await fetch(`${stack.url}/oauth/token`, { method: 'POST', body });
    assert.equal(answer.status, 400);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 200);
  });

  test('says what to do if the person refuses, or the address is not the public one', async (t) => {
    const cli = newCli(t);
    const { token } = await signUp(stack);
    const refused = await byBrowser(cli, token, 'no');
    assert.deepEqual([refused.code, /was refused/.test(refused.stderr)], [1, true]);
    const elsewhere = stack.url.replace('127.0.0.1', 'localhost');
    const other = await cli.run(['login', '--url', elsewhere]);
    assert.match(other.stderr, new RegExp(`sign in with --url ${stack.url}`));
    assert.equal((await cli.run(['login', '--url', 'http://127.0.0.1:1'])).code, 5);
  });
});
