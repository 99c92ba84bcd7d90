import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { login, newAddress, signUp, tenantFor } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { type Cli, createCli } from './cli.ts';

const bcryptOfU = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';

/** A user as each system exports it, with a published hash. */
const exported = (email: string) =>
  ({
    csv: {
      file: `Email,EmailVerified,ExternalID,Name,PasswordHash,Metadata.plan\n"${email}",true,csv-${email},"Lovelace, Ada",${bcryptOfU},gold\n`,
      secret: 'U*U',
      expected: { external_id: `csv-${email}`, name: 'Lovelace, Ada', metadata: { plan: 'gold' } },
    },
    jsonl: {
      file: `${JSON.stringify({ Email: email, EmailVerified: true, ExternalID: `j-${email}`, Name: 'Ada', PasswordHash: bcryptOfU })}\n\n`,
      secret: 'U*U',
      expected: { external_id: `j-${email}`, name: 'Ada', metadata: {} },
    },
    keycloak: {
      file: JSON.stringify({
        realm: 'old',
        clients: [{ id: 'c', name: 'users' }],
        users: [
          {
            id: `k-${email}`,
            username: 'ada',
            enabled: true,
            email,
            emailVerified: true,
            firstName: 'Ada',
            lastName: 'Lovelace',
            attributes: { plan: ['gold'] },
            credentials: [
              {
                type: 'password',
                secretData: JSON.stringify({
                  value:
                    'TdzY9guYviGDDO5e8icB+WQaRBjQTAQUrv8Ih2s0q1ah1CWhIlgzVJrbhBtRybMXaicr3ruh0HhHj2Kzl/M8jQ==',
                  salt: 'TmFDbA==',
                  additionalParameters: {},
                }),
                credentialData: JSON.stringify({
                  hashIterations: 80_000,
                  algorithm: 'pbkdf2-sha256',
                  additionalParameters: {},
                }),
              },
            ],
          },
        ],
      }),
      secret: 'Password',
      expected: { external_id: `k-${email}`, name: 'Ada Lovelace', metadata: { plan: 'gold' } },
    },
    'keycloak with argon2': {
      file: JSON.stringify([
        {
          id: `k2-${email}`,
          email,
          emailVerified: true,
          credentials: [
            {
              type: 'password',
              secretData: JSON.stringify({
                value: 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc=',
                salt: 'c29tZXNhbHQ=',
              }),
              credentialData: JSON.stringify({
                hashIterations: 2,
                algorithm: 'argon2',
                additionalParameters: {
                  hashLength: ['32'],
                  memory: ['65536'],
                  type: ['id'],
                  version: ['1.3'],
                  parallelism: ['1'],
                },
              }),
            },
          ],
        },
      ]),
      secret: 'password',
      expected: { external_id: `k2-${email}`, name: '', metadata: {} },
    },
    auth0: {
      file: `${JSON.stringify({ _id: { $oid: email }, email, email_verified: true, name: email, passwordHash: bcryptOfU, user_metadata: { plan: 'gold' } })}\n`,
      secret: 'U*U',
      expected: { external_id: `auth0|${email}`, name: '', metadata: { plan: 'gold' } },
    },
    firebase: {
      file: JSON.stringify({
        users: [
          {
            localId: `f-${email}`,
            email,
            emailVerified: true,
            displayName: 'Ada',
            passwordHash:
              'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
            salt: '42xEC-ixf3L2lw==',
          },
        ],
      }),
      secret: 'user1password',
      expected: { external_id: `f-${email}`, name: 'Ada', metadata: {} },
    },
    clerk: {
      file: `id,first_name,last_name,username,primary_email_address,verified_email_addresses,password_digest,password_hasher\nc-${email},Ada,Lovelace,ada,${email},${email},${bcryptOfU},bcrypt\n`,
      secret: 'U*U',
      expected: { external_id: `c-${email}`, name: 'Ada Lovelace', metadata: { username: 'ada' } },
    },
    zitadel: {
      file: JSON.stringify({
        orgs: [
          {
            orgId: '1',
            humanUsers: [
              {
                userId: `z-${email}`,
                user: {
                  userName: 'ada',
                  profile: { firstName: 'Ada', lastName: 'Lovelace', displayName: 'Ada L.' },
                  email: { email, isEmailVerified: true },
                  hashedPassword: { value: bcryptOfU },
                },
              },
            ],
          },
        ],
      }),
      secret: 'U*U',
      expected: { external_id: `z-${email}`, name: 'Ada L.', metadata: {} },
    },
  }) as const;

/** As the console of the project in Firebase's own test shows it. */
const hashConfig = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;

describe('bailiwick import', () => {
  let stack: Stack;
  let cli: Cli;
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
    cli = createCli(stack.url, stack.platformKey);
  });
  after(async () => {
    cli?.remove();
    await stack?.stop();
  });

  const write = (name: string, content: string): string => {
    const file = path.join(cli.home, name);
    writeFileSync(file, content);
    return file;
  };
  const lines = (users: readonly object[]) =>
    users.map((user) => `${JSON.stringify(user)}\n`).join('');
  const people = (count: number, name: string) => {
    const prefix = newAddress(name).replace(/@.*/, '');
    return Array.from({ length: count }, (_, index) => ({
      Email: `${prefix}-${index}@example.com`,
      EmailVerified: true,
      ExternalID: `${prefix}|${index}`,
      Name: `Person ${index}`,
    }));
  };

  test('the users of every system sign in with their old passwords', async () => {
    for (const name of Object.keys(exported(''))) {
      const email = newAddress(name.split(' ')[0]);
      const { file, secret, expected } = exported(email)[name as keyof ReturnType<typeof exported>];
      const [from = ''] = name.split(' ');
      const config = from === 'firebase' ? ['--firebase-hash', write('hash.txt', hashConfig)] : [];
      const run = await cli.run([
        'import',
        write(`users.${from}`, file),
        '--from',
        from,
        ...config,
      ]);
      assert.deepEqual([run.code, run.stdout], [0, ''], run.stderr);
      assert.match(run.stderr, /1 users were created, 0 existed already, 0 failed/);
      assert.equal((await login(stack, email, secret)).status, 200, name);
      const rows = await rowsOf(
        stack,
        'select external_id, name, metadata from identity.user_account where email = $1',
        [email],
      );
      assert.deepEqual(rows, [expected], name);
    }
  });

  test('failed users are written to a file that can be imported once it is corrected', async () => {
    const tenant = await tenantFor(stack, (await signUp(stack)).id);
    const { Tenant } = bodyOf(
      await stack.call('Tenants_Get', { Tenant: tenant }, stack.platformKey),
    ) as { Tenant: { Slug: string } };
    const [good, second] = people(2, 'rows');
    const wrong = { ...second, PasswordHash: 'nothing' };
    const file = write(
      'mixed.jsonl',
      `${lines([good ?? {}, wrong, { Name: 'no address' }])}not JSON\n`,
    );
    // The platform key belongs to no tenant, and names one by its slug nevertheless.
    const first = await cli.run([
      'import',
      file,
      '--from',
      'jsonl',
      '--tenant',
      Tenant.Slug,
      '--json',
    ]);
    assert.equal(first.code, 1, first.stderr);
    const counts = { Created: 1, Existing: 0, Failed: 3, WithoutPassword: 1 };
    assert.deepEqual(JSON.parse(first.stdout), counts);
    const failed = `${file}.failed.jsonl`;
    assert.equal(statSync(failed).mode & 0o777, 0o600);
    const reasons = readFileSync(failed, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { Verdict: { Messages: string[] } }).Verdict.Messages[0]);
    assert.deepEqual(
      reasons.toSorted((one = '', other = '') => (one < other ? -1 : 1)),
      [
        'PasswordHash has an unsupported format',
        'the user has no email address',
        'this is not a JSON object',
      ],
    );
    const corrected = readFileSync(failed, 'utf8')
      .split('\n')
      .filter((line) => line.includes('nothing'))
      .join('\n')
      .replace('nothing', bcryptOfU);
    const again = await cli.run([
      'import',
      write('corrected.jsonl', corrected),
      '--from',
      'jsonl',
      '--tenant',
      tenant,
    ]);
    assert.equal(again.code, 0, again.stderr);
    const members = await rowsOf(
      stack,
      `select u.email from access.tenant_member m join identity.user_account u on u.id = m.user_id where m.tenant = $1 and m.source = 'admin'`,
      [tenant],
    );
    assert.equal(members.length, 2);
  });

  test('a killed import continues where it stopped, and makes no user twice', async () => {
    const users = people(2600, 'many');
    const before = await countOf(stack, 'identity.user_account');
    const file = write('many.jsonl', lines(users));
    const state = `${file}.import.json`;
    const running = cli.run(['import', file, '--from', 'jsonl']);
    const pause = () => new Promise((resolve) => setTimeout(resolve, 5));
    const doneSoFar = () =>
      existsSync(state) ? (JSON.parse(readFileSync(state, 'utf8')) as { done: number }).done : 0;
    while (doneSoFar() === 0) await pause();
    cli.kill();
    assert.notEqual((await running).code, 0);
    const count = doneSoFar();
    assert.ok(count > 0 && count < users.length, String(count));
    const second = await cli.run(['import', file, '--from', 'jsonl']);
    assert.equal(second.code, 0, second.stderr);
    assert.match(second.stderr, new RegExp(`^continuing after ${count} users$`, 'm'));
    assert.equal(await countOf(stack, 'identity.user_account'), before + users.length);
    assert.equal(existsSync(state), false);
    const third = await cli.run(['import', file, '--from', 'jsonl']);
    assert.match(third.stderr, /0 users were created, 2600 existed already, 0 failed/);
    assert.equal(await countOf(stack, 'identity.user_account'), before + users.length);
  });

  test('a dry run imports nothing', async () => {
    const before = await countOf(stack, 'identity.user_account');
    const file = write('dry.jsonl', lines(people(3, 'dry')));
    const run = await cli.run(['import', file, '--from', 'jsonl', '--dry-run']);
    assert.match(run.stderr, /3 users would be created, 0 existed already, 0 failed/);
    assert.equal(await countOf(stack, 'identity.user_account'), before);
  });

  test('a wrong command line, a missing file and a caller who may not import are refused', async () => {
    const file = write('one.jsonl', lines(people(1, 'one')));
    for (const args of [['import'], ['import', file], ['import', file, '--from', 'okta']])
      assert.equal((await cli.run(args)).code, 2, args.join(' '));
    const missing = await cli.run(['import', `${file}x`, '--from', 'jsonl']);
    assert.match(missing.stderr, /one\.jsonlx cannot be read \(ENOENT\)/);
    const { token } = await signUp(stack);
    const stranger = await cli.run(['import', file, '--from', 'jsonl'], {
      env: { BAILIWICK_TOKEN: token },
    });
    assert.equal(stranger.code, 1);
    assert.match(stranger.stderr, /Users_Import: permission denied/);
  });
});
