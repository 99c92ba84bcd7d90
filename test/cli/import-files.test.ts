import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { failedIn, importTool, linesOf } from './import-tool.ts';

// The files of `bailiwick import`.

const tenants = { acme: 'tnt_01hzzzzzzzzzzzzzzzzzzzzzz1', other: 'tnt_01hzzzzzzzzzzzzzzzzzzzzzz2' };

const reasonsIn = (file: string) => failedIn(file).map(({ Verdict }) => Verdict.Messages[0]);
const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ Email: `p${index}@example.com` }));

describe('the files of bailiwick import', () => {
  const tool = importTool();

  test('--failed never names the file that is imported, nor one that exists', async () => {
    const file = tool.write(linesOf([{ Email: 'wrong@example.com' }]));
    const content = readFileSync(file, 'utf8');
    const link = path.join(tool.cli.home, 'link.jsonl');
    symlinkSync(file, link);
    for (const more of [[], ['--restart'], ['--dry-run']])
      for (const failed of [file, link]) {
        const refused = await tool.run(file, '--failed', failed, ...more);
        assert.equal(refused.code, 1);
        assert.match(refused.stderr, /--failed must be another file/);
      }
    const notes = tool.write('my notes', 'txt');
    const refused = await tool.run(file, '--failed', notes);
    assert.match(refused.stderr, /users-\d+\.txt exists/);
    assert.equal(readFileSync(notes, 'utf8'), 'my notes');
    assert.equal(readFileSync(file, 'utf8'), content);
    assert.deepEqual(tool.calls, []);
    assert.equal((await tool.run(file)).code, 1);
    assert.match((await tool.run(file)).stderr, /failed\.jsonl exists/);
    assert.equal((await tool.run(file, '--restart')).code, 1);
    assert.equal(failedIn(file).length, 1);
  });

  test('a dry run shows who would fail, and changes no file', async () => {
    const file = tool.write(linesOf([{ Email: 'wrong@example.com' }, ...people(250)]));
    tool.refuse = (users) =>
      users.some(({ Email }) => Email === 'p249@example.com') ? denied : undefined;
    assert.equal((await tool.run(file)).code, 1);
    const contents = [`${file}.import.json`, `${file}.failed.jsonl`].map((name) =>
      readFileSync(name),
    );
    tool.refuse = () => undefined;
    const dry = await tool.run(file, '--dry-run');
    assert.equal(dry.code, 1);
    assert.match(dry.stderr, /^! wrong@example\.com: taken$/m);
    assert.deepEqual(
      [`${file}.import.json`, `${file}.failed.jsonl`].map((name) => readFileSync(name)),
      contents,
    );
    const alone = tool.write(linesOf([{ Email: 'wrong@example.com' }]));
    await tool.run(alone, '--dry-run');
    assert.deepEqual(
      [existsSync(`${alone}.failed.jsonl`), existsSync(`${alone}.import.json`)],
      [false, false],
    );
  });

  const denied = { status: 403, Code: 'permission_denied', Message: 'permission denied' };

  test('an interrupted import continues only with the same options, and names each failed user once', async () => {
    const users = [{ Email: 'wrong@example.com' }, ...people(250), { Email: 'wrong2@example.com' }];
    const file = tool.write(linesOf(users));
    tool.refuse = () => (tool.calls.length === 2 ? denied : undefined);
    assert.equal((await tool.run(file)).code, 1);
    // The tool was killed after it wrote failed users, and before it stored its progress.
    appendFileSync(`${file}.failed.jsonl`, linesOf([{ Email: 'wrong2@example.com', Verdict: {} }]));
    const inTenant = await tool.run(file, '--tenant', tenants.acme, '--failed', `${file}.other`);
    assert.match(inTenant.stderr, /this one begins at the first user/);
    assert.equal(tool.calls.slice(2).flat().length, users.length);

    tool.calls = [];
    tool.refuse = () => (tool.calls.length === 2 ? denied : undefined);
    const again = tool.write(linesOf(users));
    assert.equal((await tool.run(again)).code, 1);
    appendFileSync(
      `${again}.failed.jsonl`,
      linesOf([{ Email: 'wrong2@example.com', Verdict: {} }]),
    );
    assert.match((await tool.run(again)).stderr, /^continuing after 200 users$/m);
    assert.deepEqual(
      failedIn(again).map(({ Email }) => Email),
      ['wrong@example.com', 'wrong2@example.com'],
    );
    assert.equal(existsSync(`${again}.import.json`), false);
  });

  test('an interrupted import drops nothing that a user has written into the file of failed users', async () => {
    const wrong = { Email: 'wrong@example.com' };
    const corrected = { Email: 'right@example.com', Name: 'A longer line than the import wrote' };
    const verdict = { Verdict: { Code: 'already_exists', Messages: ['taken'] } };
    for (const content of [
      linesOf([{ ...wrong, ...verdict }, corrected]),
      linesOf([
        { ...corrected, ...verdict },
        { ...wrong, ...verdict },
      ]),
    ]) {
      const file = tool.write(linesOf([wrong, ...people(250)]));
      tool.calls = [];
      tool.refuse = () => (tool.calls.length === 2 ? denied : undefined);
      assert.equal((await tool.run(file)).code, 1);
      writeFileSync(`${file}.failed.jsonl`, content);
      const { code, stderr } = await tool.run(file);
      assert.equal(code, 1);
      assert.match(stderr, /failed\.jsonl was changed after the import was interrupted/);
      assert.equal(readFileSync(`${file}.failed.jsonl`, 'utf8'), content);
    }
  });

  test('--restart replaces no file but one of failed users', async () => {
    const file = tool.write(linesOf([{ Email: 'wrong@example.com' }]));
    for (const content of ['my notes\n', linesOf(people(2)), 'Email\na@example.com', '{"a":1}']) {
      const notes = tool.write(content, 'txt');
      const { code, stderr } = await tool.run(file, '--restart', '--failed', notes);
      assert.equal(code, 1);
      assert.match(stderr, /is not a file of failed users/);
      assert.equal(readFileSync(notes, 'utf8'), content);
    }
    assert.deepEqual(tool.calls, []);
  });

  test('a user whom the service cannot read fails alone', async () => {
    const file = tool.write(
      linesOf([...people(150), { Email: 'odd@example.com', Hash: 'x' }, ...people(20)]),
    );
    tool.refuse = (users) => {
      const index = users.findIndex(({ Email }) => Email === 'odd@example.com');
      return index < 0
        ? undefined
        : {
            status: 400,
            Code: 'invalid_argument',
            Message: `Users[${index}].Hash is unknown`,
            Problems: [{ Field: `Users[${index}].Hash`, Rule: 'unknown_key', Params: {} }],
          };
    };
    const { stderr } = await tool.run(file);
    assert.match(stderr, /170 users were created, 0 existed already, 1 failed/);
    assert.deepEqual(reasonsIn(file), ['Hash is unknown']);
  });

  test('a call that is repeated says so', async () => {
    tool.refuse = () =>
      tool.calls.length === 1
        ? { status: 400, Code: 'failed_precondition', Message: 'busy' }
        : undefined;
    const { code, stderr } = await tool.run(tool.write(linesOf(people(1))));
    assert.equal(code, 0);
    assert.match(stderr, /^Users_Import failed \(failed_precondition\), trying again in 1 s$/m);
    // The service knows by it which users the first call has created.
    assert.equal(tool.batches.length, 2);
    assert.match(tool.batches[0] ?? '', /./);
    assert.equal(tool.batches[1], tool.batches[0]);
  });

  test('a batch that is sent again after an interruption has the same id, and others have none of it', async () => {
    const file = tool.write(linesOf(people(450)));
    tool.refuse = () => (tool.calls.length === 2 ? denied : undefined);
    assert.equal((await tool.run(file)).code, 1);
    assert.equal((await tool.run(file)).code, 0);
    const [first, second, again, third] = tool.batches;
    assert.equal(again, second);
    assert.equal(new Set([first, second, third]).size, 3);
  });

  test('a row of CSV with too many or few columns fails with its line, and an endless one ends the import', async () => {
    const file = tool.write(
      'Email,Name\na@example.com,A\nb@example.com\nc@example.com,C,more\n',
      'csv',
    );
    const { stderr } = await tool.run(file);
    assert.match(stderr, /1 users were created, 0 existed already, 2 failed/);
    assert.deepEqual(reasonsIn(file), [
      'line 3 has more or fewer columns than the first line',
      'line 4 has more or fewer columns than the first line',
    ]);
    const endless = await tool.run(
      tool.write(`Email,Name\na@example.com,"${'x'.repeat(3_000_000)}`, 'csv'),
    );
    assert.match(endless.stderr, /users-\d+\.csv: Max Record Size/);
    const long = await tool.run(tool.write(`{}\n{"Email":"${'x'.repeat(3_000_000)}`));
    assert.match(long.stderr, /line 2 is larger than 1 MiB/);
  });

  test('--tenant gives its roles to users without their own, and none to users of another tenant', async () => {
    const own = { Tenant: tenants.acme, Roles: ['admin'], Groups: [] };
    const file = tool.write(
      linesOf([
        { Email: 'a@example.com' },
        { Email: 'b@example.com', Tenants: [own] },
        { Email: 'c@example.com', Tenants: [{ Tenant: tenants.other }] },
        { Email: 'd@example.com', Tenants: [null] },
      ]),
    );
    await tool.run(file, '--tenant', tenants.acme, '--role', 'auditor', '--group', 'eng');
    assert.deepEqual(
      tool.calls.flat().map(({ Tenants }) => Tenants),
      [
        [{ Tenant: tenants.acme, Roles: ['auditor'], Groups: ['eng'] }],
        [{ Tenant: tenants.acme, Roles: ['admin'], Groups: ['eng'] }],
      ],
    );
    assert.deepEqual(reasonsIn(file), [
      `the user names tenant ${tenants.other}, and the import another one`,
      'Tenants must be a list of records, each with a Tenant',
    ]);
    const csv = tool.write('Email,Roles\na@example.com,admin\nb@example.com,\n', 'csv');
    await tool.run(csv);
    assert.deepEqual(reasonsIn(csv), [
      'the user has roles or groups, and neither the user nor the import has a tenant',
    ]);
    tool.calls = [];
    await tool.run(csv, '--tenant', tenants.acme, '--restart');
    assert.deepEqual(
      tool.calls.flat().map(({ Tenants }) => (Tenants as Array<{ Roles: string[] }>)[0]?.Roles),
      [['admin'], []],
    );
  });

  test('app_metadata of Auth0, which users cannot edit there, does not become Metadata', async () => {
    const user = {
      user_id: 'auth0|1',
      email: 'a@example.com',
      user_metadata: { theme: 'dark' },
      app_metadata: { role: 'admin' },
    };
    await tool.cli.run(['import', tool.write(linesOf([user])), '--from', 'auth0']);
    assert.deepEqual(tool.calls.flat()[0]?.Metadata, { theme: 'dark' });
  });
});
