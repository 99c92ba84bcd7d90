import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { failedIn, importTool, linesOf } from './import-tool.ts';

// How `bailiwick import` reads the files of other systems.

const disabled = 'the user is disabled in the other system: to import the user, remove Verdict';

describe('the sources of bailiwick import', () => {
  const tool = importTool();

  const from = (system: string, content: string | Uint8Array, ...more: string[]) => {
    const file = tool.write(content, system);
    return { file, ended: tool.run(file, ...more) };
  };

  test('the head of a file is checked before its first user', async () => {
    for (const [system, content, message] of [
      ['csv', 'email,Name\na@example.com,A\n', /has no column Email; it has email, Name/],
      ['csv', 'Email,Phone\na@example.com,1\n', /does not know the column Phone/],
      ['csv', '[{"Email": "a@example.com"}]', /this is JSON, and not CSV/],
      ['clerk', 'id,email\n1,a@example.com\n', /has no column primary_email_address/],
      ['supabase', 'id,email\n1,a@example.com\n', /has no column encrypted_password/],
      ['cognito', 'Email\na@example.com\n', /has no column cognito:username/],
      ['auth0', 'id,email\n1,a@example.com\n', /this is not JSON/],
      ['keycloak', '{"realm": "r"}', /has no users: they are expected in a list "users"/],
    ] as const) {
      const { file, ended } = from(system, content);
      const { code, stderr } = await ended;
      assert.equal(code, 1, system);
      assert.match(stderr, message, system);
      assert.equal(existsSync(`${file}.import.json`), false);
    }
    assert.deepEqual(tool.calls, []);
  });

  test('files are read as programs write them', async () => {
    const hash = '$2b$10$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    for (const [system, content] of [
      ['csv', 'Email;EmailVerified;Name\na@example.com;1;Zoë\n'],
      ['csv', Buffer.from('Email,EmailVerified,Name\na@example.com,1,Zoë\n', 'latin1')],
      // The last byte is the only one that is not ASCII.
      ['csv', Buffer.from('Email,EmailVerified,Name\na@example.com,1,Zoë', 'latin1')],
      ['csv', Buffer.from('Email\tEmailVerified\tName\na@example.com\t1\tZoë\n', 'utf16le')],
      ['csv', Buffer.from('\ufeffEmail\tEmailVerified\tName\na@example.com\t1\tZoë\n', 'utf16le')],
      ['auth0', JSON.stringify([{ email: 'a@example.com', email_verified: true, name: 'Zoë' }])],
      [
        'supabase',
        `id,email,encrypted_password,email_confirmed_at,raw_user_meta_data\n1,a@example.com,${hash},2026-01-01,"{""name"":""Zoë""}"\n`,
      ],
      ['cognito', 'cognito:username,name,email,email_verified\nada,Zoë,a@example.com,true\n'],
    ] as const) {
      tool.calls = [];
      const { code, stderr } = await from(system, content).ended;
      assert.equal(code, 0, stderr);
      const [user] = tool.calls.flat();
      assert.deepEqual(
        [user?.Email, user?.EmailVerified, user?.Name],
        ['a@example.com', true, 'Zoë'],
      );
    }
  });

  test('the hashes of older and imported users are taken over', async () => {
    const keycloak7 = {
      type: 'password',
      hashedSaltedValue: 'aGFzaA==',
      salt: 'c2FsdA==',
      hashIterations: 27_500,
      algorithm: 'pbkdf2-sha256',
    };
    await from(
      'keycloak',
      JSON.stringify({ users: [{ email: 'a@example.com', credentials: [keycloak7] }] }),
    ).ended;
    const custom = (custom_password_hash: object) => ({
      email: 'a@example.com',
      email_verified: true,
      custom_password_hash,
    });
    const sha512 = { value: 'AAAA', encoding: 'base64' };
    const { ended } = from(
      'auth0',
      linesOf([
        custom({ algorithm: 'bcrypt', hash: { value: '$2b$10$x' } }),
        custom({
          algorithm: 'sha512',
          hash: sha512,
          salt: { value: 'salt', position: 'suffix' },
        }),
        custom({ algorithm: 'scrypt', hash: sha512, salt: sha512, cost: 16_384 }),
        custom({ algorithm: 'hmac', hash: sha512 }),
        custom({ algorithm: 'md5', hash: sha512, salt: { value: 'salt', position: 'prefix' } }),
      ]),
    );
    const { stderr } = await ended;
    assert.match(stderr, /3 users were created, 0 existed already, 2 failed/);
    const pepper = tool.write('pepper\n', 'txt');
    const devise = tool.write(`Email,PasswordHash\na@example.com,$2a$10$x\n`, 'csv');
    await tool.run(devise, '--bcrypt-pepper', pepper);
    assert.deepEqual(
      tool.calls.flat().map(({ PasswordHash }) => PasswordHash),
      [
        '$pbkdf2-sha256$i=27500$c2FsdA$aGFzaA',
        '$2b$10$x',
        '{SSHA512}AAAAc2FsdA==',
        '$scrypt$ln=14,r=8,p=1$AAAA$AAAA',
        '$bcrypt-pepper$cGVwcGVy$2a$10$x',
      ],
    );
  });

  test('failed users of every system are written in the form that jsonl reads', async () => {
    const { file, ended } = from(
      'keycloak',
      '[\n{"id": "7", "email": "a@example.com", "enabled": false, "firstName": "Ada"},\n{"id": "8", "username": "b"}]',
    );
    assert.equal((await ended).code, 1);
    assert.deepEqual(
      failedIn(file).map(({ Email, ExternalID, Name, Verdict }) => [
        Email,
        ExternalID,
        Name,
        Verdict.Line,
        Verdict.Messages,
      ]),
      [
        ['a@example.com', '7', 'Ada', 2, [disabled]],
        ['', '8', '', 3, ['the user has no email address']],
      ],
    );
    const corrected = readFileSync(`${file}.failed.jsonl`, 'utf8').replace(
      '"Email":""',
      '"Email":"b@example.com"',
    );
    const unchanged = await tool.run(tool.write(corrected));
    assert.match(unchanged.stderr, /1 users were created, 0 existed already, 1 failed/);
    assert.deepEqual(
      tool.calls.flat().map(({ Email }) => Email),
      ['b@example.com'],
    );
    const allowed = corrected.replace(/,"Verdict":{"Line":2.*}/, '}');
    assert.match(
      (await tool.run(tool.write(allowed))).stderr,
      /2 users were created, 0 existed already, 0 failed/,
    );
  });

  test('a disabled user of every system stays out', async () => {
    for (const [system, content] of [
      ['keycloak', '[{"email": "a@example.com", "enabled": false}]'],
      ['keycloak', '[{"email": "a@example.com", "enabled": "false"}]'],
      ['auth0', '{"email": "a@example.com", "blocked": true}'],
      ['auth0', '{"email": "a@example.com", "blocked": "true"}'],
      ['firebase', '{"users": [{"email": "a@example.com", "disabled": 1}]}'],
      ['firebase', '{"users": [{"email": "a@example.com", "disabled": true}]}'],
      [
        'supabase',
        'id,email,encrypted_password,email_confirmed_at,deleted_at\n1,a@example.com,,2026-01-01,2026-02-01\n',
      ],
    ] as const) {
      const { file, ended } = from(system, content);
      assert.equal((await ended).code, 1, system);
      assert.deepEqual(
        failedIn(file).map(({ Verdict }) => [Verdict.Code, Verdict.Messages]),
        [['disabled', [disabled]]],
        system,
      );
    }
    assert.deepEqual(tool.calls, []);
  });

  test('a flag that is neither true nor false fails in every system', async () => {
    for (const [system, content] of [
      ['keycloak', '[{"email": "a@example.com", "emailVerified": "yes"}]'],
      ['keycloak', '[{"email": "a@example.com", "enabled": "yes"}]'],
      ['auth0', '{"email": "a@example.com", "email_verified": "yes"}'],
      ['auth0', '{"email": "a@example.com", "blocked": "yes"}'],
      ['firebase', '{"users": [{"email": "a@example.com", "disabled": "yes"}]}'],
      ['firebase', '{"users": [{"email": "a@example.com", "emailVerified": "yes"}]}'],
      [
        'zitadel',
        '{"humanUsers": [{"user": {"email": {"email": "a@example.com", "isEmailVerified": "yes"}}}]}',
      ],
      ['cognito', 'cognito:username,email,email_verified\nada,a@example.com,yes\n'],
    ] as const) {
      const { file, ended } = from(system, content);
      assert.equal((await ended).code, 1, system);
      assert.match(failedIn(file)[0]?.Verdict.Messages[0] ?? '', /must be true, false/, system);
    }
  });

  test('users who lose their password are counted, listed and, if wanted, mailed', async () => {
    const file = tool.write(
      'Email,EmailVerified,PasswordHash\na@example.com,true,$2b$\nb@example.com,false,$2b$\nc@example.com,true,\nd@example.com,yes,$2b$\n',
      'csv',
    );
    const dry = await tool.run(file, '--dry-run');
    assert.match(
      dry.stderr,
      /2 of the new users would have no password \(1: the address is not verified; 1: the file has no password of the user\)/,
    );
    assert.deepEqual([existsSync(`${file}.no-password.jsonl`), tool.mailed], [false, []]);
    // The client repeats a call three times by itself.
    let mails = 0;
    tool.refuseMail = () =>
      mails++ > 0 && mails <= 5
        ? { status: 429, Code: 'resource_exhausted', Message: 'busy' }
        : undefined;
    const { stderr } = await tool.run(file, '--mail-resets');
    assert.match(stderr, /2 of the new users have no password/);
    assert.deepEqual(tool.mailed, ['b@example.com', 'c@example.com']);
    assert.match(stderr, /^1 mails to set a password were sent; the service refuses/m);
    assert.match(
      readFileSync(`${file}.no-password.jsonl`, 'utf8'),
      /"b@example\.com".*no_password/,
    );
    assert.match(failedIn(file)[0]?.Verdict.Messages[0] ?? '', /EmailVerified must be true/);
    const json = await tool.run(file, '--restart', '--json');
    assert.equal((JSON.parse(json.stdout) as { WithoutPassword: number }).WithoutPassword, 2);
  });
});
