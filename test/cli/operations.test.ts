import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { hostNode } from '../client/host-node.ts';
import { type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { type Cli, createCli } from './cli.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('bailiwick: every operation', () => {
  let stack: Stack;
  let cli: Cli;
  let owner: Awaited<ReturnType<typeof signUp>>;
  let tenant: string;
  before(async () => {
    stack = await sharedStack('one process');
    owner = await signUp(stack);
    tenant = await createTenant(stack, owner.token);
    cli = createCli(stack.url, owner.token);
  });
  after(async () => {
    cli?.remove();
    await stack?.stop();
  });
  const save = (Path: string, ...more: string[]) =>
    cli.run(['Groups_Save', '--Group.Tenant', tenant, '--Group.Path', Path, ...more]);

  test('flags, a file and the standard input make the same requests', async () => {
    assert.deepEqual(
      await save('eng', '--Group.Name', 'Engineering', '--Group.Metadata', 'team=a'),
      { code: 0, stdout: '', stderr: 'done\n' },
    );
    const request = (Path: string) =>
      JSON.stringify({ Group: { Tenant: tenant, Path, Name: 'By data' } });
    const file = path.join(cli.home, 'request.json');
    writeFileSync(file, request('ops'));
    assert.equal((await cli.run(['Groups_Save', '--data', `@${file}`])).code, 0);
    assert.equal(
      (
        await cli.run(['Groups_Save', '--data', '-', '--Group.Name', 'By flag'], {
          input: request('sales'),
        })
      ).code,
      0,
    );
    const names = await Promise.all(
      ['eng', 'ops', 'sales'].map(async (Path) => {
        const { stdout } = await cli.run([
          'Groups_Get',
          '--Tenant',
          tenant,
          '--Path',
          Path,
          '--json',
        ]);
        return (JSON.parse(stdout) as { Group: { Name: string } }).Group.Name;
      }),
    );
    assert.deepEqual(names, ['Engineering', 'By data', 'By flag']);
  });

  test('--data with an unknown key is rejected with the message of the service', async () => {
    const data = JSON.stringify({ Group: { Tenant: tenant, Path: 'typo', Nmae: 'x' }, Unknown: 1 });
    const { code, stderr } = await cli.run(['Groups_Save', '--data', data]);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /Unknown is not a known field\n.*Group\.Nmae is not a known field; did you mean Name\?/,
    );
    const asJson = await cli.run(['Groups_Save', '--data', data, '--json']);
    assert.equal(asJson.code, 1);
    assert.match(asJson.stderr, /Unknown is not a known field/);
    const { Code, Messages, Problems } = JSON.parse(asJson.stdout) as Record<string, unknown>;
    assert.deepEqual([Code, (Messages as string[]).length], ['invalid_argument', 2]);
    assert.deepEqual(Problems, [
      { Field: 'Unknown', Rule: 'unknown_key', Params: {} },
      { Field: 'Group.Nmae', Rule: 'unknown_key', Params: { Meant: 'Name' } },
    ]);
    assert.deepEqual(
      JSON.parse(
        (await cli.run(['Groups_Get', '--Tenant', tenant, '--Path', 'typo', '--json'])).stdout,
      ),
      { Group: null },
    );
  });

  test('terminals get tables, scripts get JSON, and --all reads all pages', async () => {
    for (const one of ['a', 'b', 'c'])
      await save(`list/${one}`, '--Group.Metadata', `colour=\u001b[31m${one}`);
    const first = await cli.run(['Groups_List', '--Tenant', tenant, '--Page.Limit', '2']);
    assert.match(first.stdout, /^Name +Path .* ID\n/);
    assert.ok(!first.stdout.includes(tenant), 'the tenant of the request is not repeated');
    assert.equal(first.stdout.trim().split('\n').length, 3);
    assert.match(first.stderr, /--all/);
    const all = await cli.run(['Groups_List', '--Tenant', tenant, '--Page.Limit', '2', '--all']);
    assert.match(all.stdout, /list\/c/);
    assert.ok(!all.stdout.includes('\u001b'), 'a value does not colour the terminal');
    const lines = (
      await cli.run(['Groups_List', '--Tenant', tenant, '--Page.Limit', '2', '--all', '--json'])
    ).stdout
      .trim()
      .split('\n');
    assert.deepEqual(
      lines
        .map((line) => (JSON.parse(line) as { Path: string }).Path)
        .filter((one) => one.startsWith('list/')),
      ['list/a', 'list/b', 'list/c'],
    );
  });

  test('--idempotency-key makes two commands one call', async () => {
    const create = [
      'Bots_Save',
      '--Bot.Tenant',
      tenant,
      '--Bot.Name',
      'deployer',
      '--idempotency-key',
      'deploy-1',
      '--json',
    ];
    const [first, second] = [await cli.run(create), await cli.run(create)];
    assert.equal(first.code, 0, first.stderr);
    assert.equal(second.stdout, first.stdout);
    const refused = await cli.run([
      'Groups_Get',
      '--Tenant',
      tenant,
      '--Path',
      'a',
      '--idempotency-key',
      'deploy-1',
    ]);
    assert.equal(refused.code, 2, 'operations that change nothing have no such option');
  });

  test('an empty list is reported as such on a terminal, and prints nothing for scripts', async () => {
    const list = ['Groups_List', '--Tenant', await createTenant(stack, owner.token)];
    const none = { code: 0, stdout: '', stderr: 'none\n' };
    assert.deepEqual([await cli.run(list), await cli.run([...list, '--all'])], [none, none]);
    assert.deepEqual(await cli.run([...list, '--all', '--json']), {
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  test('a long text is streamed', async () => {
    const { code, stdout } = await cli.run(['Audit_Export', '--Tenant', tenant, '--Format', 'csv']);
    assert.equal(code, 0);
    assert.match(stdout, /^ID,/);
  });

  test('an error response lists all messages, and exits with 1', async () => {
    const { code, stdout, stderr } = await cli.run([
      'Webhooks_CreateEndpoint',
      '--Endpoint.Tenant',
      tenant,
    ]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(
      stderr,
      /endpoint name is required\n.*endpoint url is required\n.*request [0-9a-f-]{36}\n/,
    );
  });

  test('a missing record has an exit code of its own, answered as null or as an error', async () => {
    const get = ['Groups_Get', '--Tenant', tenant, '--Path', 'nowhere'];
    const none = await cli.run(get);
    assert.deepEqual(
      [none.code, none.stdout, none.stderr],
      [6, 'Group  (none)\n', 'bailiwick: Groups_Get: not found\n'],
    );
    const asJson = await cli.run([...get, '--json']);
    assert.deepEqual([asJson.code, JSON.parse(asJson.stdout)], [6, { Group: null }]);
    const missing = `app_${'0'.repeat(26)}`;
    const refused = await cli.run(['Apps_Get', '--Tenant', tenant, '--ID', missing]);
    assert.deepEqual([refused.code, refused.stdout], [6, ''], refused.stderr);
  });

  test('a mistyped operation, command or flag is answered with the one that is meant', async () => {
    for (const [args, meant] of [
      [['Groups_Lst'], 'Groups_List'],
      [['help', 'Groups_Lst'], 'Groups_List'],
      [['lgoin'], 'login'],
      [['Groups_Get', '--Pth', 'x'], '--Path'],
      [['Groups_List', '--tokn-file', 'x'], '--token-file'],
    ] as const) {
      const { code, stdout, stderr } = await cli.run(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, new RegExp(`; did you mean ${meant}\\?\n`), args.join(' '));
    }
  });

  test('a flag without a value means true', async () => {
    const names = async (...flag: string[]) => {
      const list = ['TenantMembers_List', '--Tenant', tenant, '--json'];
      const { code, stdout, stderr } = await cli.run([...list, ...flag]);
      assert.equal(code, 0, stderr);
      const [item] = (JSON.parse(stdout) as { Page: { Items: object[] } }).Page.Items;
      return Object.hasOwn(item ?? {}, 'User');
    };
    assert.deepEqual(
      [await names('--WithNames'), await names('--WithNames', 'false'), await names()],
      [true, false, false],
    );
    assert.equal(await names('--WithNames', '--timeout', '20'), true);
    assert.equal((await cli.run(['TenantMembers_List', '--WithNames', 'yes'])).code, 2);
  });

  test('exit codes distinguish usage errors, missing credentials and unreachable servers', async () => {
    const codes = async (args: string[], env?: Record<string, string>) =>
      (await cli.run(args, env ? { env } : {})).code;
    assert.equal(await codes(['Groups_Sav']), 2);
    assert.equal(await codes(['Groups_Get', '--Slug', 'x']), 2);
    assert.equal(await codes(['Groups_List', '--Page.Limit', 'many']), 2);
    assert.equal(await codes(['Groups_Get', '--data', '{']), 2);
    for (const url of ['somewhere', 'ftp://h/', 'https://h/?a=b', 'https://u:p@h/'])
      assert.equal(await codes(['Groups_List', '--Tenant', tenant, '--url', url]), 2, url);
    assert.equal(await codes(['Groups_List', '--Tenant', tenant], { BAILIWICK_TOKEN: '' }), 4);
    assert.equal(await codes(['Groups_Save', '--url', 'http://127.0.0.1:1']), 5);
  });

  test('sending to another host without TLS prints a warning, and no password of a URL is shown', async () => {
    const said = async (url: string, ...args: string[]) =>
      (await cli.run([...args, '--url', url], { input: 'hunter22' })).stderr;
    const save = ['Groups_Save', '--Group.Tenant', tenant];
    assert.match(
      await said('http://0.0.0.0:1', ...save),
      /^bailiwick: http:\/\/0\.0\.0\.0:1 is not https: .*\n.*cannot be reached/,
    );
    assert.match(
      await said('http://0.0.0.0:1', 'login', '--email', 'ada@example.com'),
      /is not https/,
    );
    for (const url of ['http://localhost:1', 'http://[::1]:1', 'https://0.0.0.0:1'])
      assert.doesNotMatch(await said(url, ...save), /is not https/, url);
    assert.doesNotMatch(await said('https://:hunter22@h/', ...save), /hunter22/);
  });

  test('the help lists every operation except the worker’s, with its permission and its fields', async () => {
    const overview = (await cli.run(['--help'])).stdout;
    for (const { name, credential, public: isPublic } of operations.values()) {
      const [area = '', verb] = name.split(/_(.*)/);
      const line = overview.split('\n').find((one) => one.trim().startsWith(`${area} `)) ?? '';
      assert.equal(line.split(' ').includes(`_${verb}`), isPublic && credential !== 'worker', name);
    }
    const { code, stdout } = await cli.run(['Groups_AddMember', '--help']);
    assert.equal(code, 0);
    assert.match(
      stdout,
      /Adds a member of the tenant to a group\..*Who may: .*iam\.groups\.write.*--UserID TEXT +Required/s,
    );
    assert.equal((await cli.run(['help', 'Groups_AddMember'])).stdout, stdout);
  });

  test('the commands in the documents use existing operations and flags', async () => {
    const documents = ['README.md', 'packages/cli/README.md'].map((file) =>
      readFileSync(path.join(root, file), 'utf8'),
    );
    const lines = documents.flatMap((text) => [
      ...text.matchAll(/^\$ (?:npx --no -- )?bailiwick (\w+)(.*)$/gm),
    ]);
    assert.ok(lines.length > 8);
    for (const [line, name = '', rest = ''] of lines) {
      const { code, stdout } = await cli.run(['help', name]);
      assert.equal(code, 0, line);
      for (const [flag] of rest.matchAll(/--[\w.-]+/g))
        assert.ok(stdout.includes(` ${flag}`), line);
    }
  });

  test('the command of README.md passes on arguments, the standard input and the exit code, on the host’s own Node', async () => {
    const [, command] =
      /^\$ (npx .*?bailiwick) /m.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? [];
    assert.ok(command);
    const program = `cd '${root}'\n${command} plan --file -`;
    const env = { PATH: [path.dirname(hostNode()), process.env['PATH']].join(path.delimiter) };
    const { code, stderr } = await cli.run(['-c', program], {
      env,
      program: ['bash'],
      input: 'Roles: 1',
    });
    assert.deepEqual([code, stderr], [1, 'bailiwick: -: Roles must be a list\n']);
  });

  test('bash completes operations and flags', async () => {
    const { stdout: script } = await cli.run(['completion', 'bash']);
    const complete = async (...words: string[]) => {
      const program = `bailiwick() { "$NODE" "$MAIN" "$@"; }\n${script}\nCOMP_WORDS=(bailiwick ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _bailiwick; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const env = { NODE: process.execPath, MAIN: path.join(root, 'packages/cli/main.ts') };
      const { stdout } = await cli.run(['-c', program], { env, program: ['bash'] });
      return stdout.trim().split('\n');
    };
    assert.deepEqual(await complete('Groups_Ad'), ['Groups_AddMember']);
    assert.deepEqual(await complete('Groups_Get', '--P'), ['--Path']);
    assert.deepEqual(await complete('Groups_ListMembers', '--Effective', 't'), ['true']);
    for (const shell of ['zsh', 'fish'])
      assert.equal((await cli.run(['completion', shell])).code, 0);
    assert.equal((await cli.run(['completion', 'cmd'])).code, 2);
  });
});
