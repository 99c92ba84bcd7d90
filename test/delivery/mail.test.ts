import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createToken } from '@bailiwick/contract';
import { assertRefused, bodyOf, readPage } from '../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { newAddress, password, register } from '../support/people.ts';
import { hangUp, type SmtpServer, type Stage, startSmtpServer } from '../support/smtp.ts';
import { countOf, dumpOf, rowsOf } from '../support/store.ts';

type Attempt = { status: string; error: string };

describeOne('mails', 'one process', (topology) => {
  let stack: Stack;
  let server: SmtpServer;
  before(async () => {
    server = await startSmtpServer();
    const environment = {
      BAILIWICK_SMTP_URL: server.url,
      BAILIWICK_RETRY_SCHEDULE: '0s,1s,1s',
      BAILIWICK_LIMITS: 'standard',
    };
    stack = await startStack(topology, environment);
  });
  after(async () => {
    await stack?.stop();
    await server?.stop();
  });

  /** Registers an address, waits for `count` attempts of the mail and returns their results. */
  async function mailed(address: string, count = 1): Promise<string[]> {
    await register(stack, address);
    const ofMail = `select tasks->0->>'id' as task from identity.outbox where tasks <> '[]' and audit ilike '%' || $1 || '%' order by created_at desc, id desc limit 1`;
    const [row] = await rowsOf<{ task: string }>(stack, ofMail, [address]);
    assert.ok(row);
    const attempts = await eventually(`${count} attempts`, async () => {
      const rows = await rowsOf<Attempt>(
        stack,
        'select status, error from notifications.delivery_attempt where task = $1 order by attempt',
        [row.task],
      );
      return rows.length >= count && rows;
    });
    return attempts.map(({ status, error }) => (error === '' ? status : `${status}/${error}`));
  }
  const isSuppressed = async (Email: string) =>
    (await stack.call('Mail_GetSuppression', { Email }, stack.platformKey)).status === 200;

  const passing: Array<[what: string, stage: Stage, answer: string]> = [
    ['a greylisted recipient (451)', 'RCPT', '451 4.7.1 greylisted, come again'],
    ['a closing server (421 to the recipient)', 'RCPT', '421 4.3.2 closing'],
    ['a greeting of 421', 'greeting', '421 4.3.2 too busy'],
    ['a greeting of 554, which rejects the sender', 'greeting', '554 5.7.1 go away'],
    ['a full disk after the content (452)', 'end', '452 4.3.1 no space'],
    ['a connection that breaks during the content', 'content', hangUp],
    ['a connection that breaks before the greeting', 'greeting', hangUp],
  ];
  for (const [what, stage, answer] of passing) {
    test(`${what} is temporary: the mail is retried and arrives once`, async () => {
      const address = newAddress('patient');
      let failures = 0;
      // Closes the connections, so that the mailer starts with a greeting.
      server.hangUp();
      server.say((at, _line, recipient) => {
        if (at !== stage || (stage !== 'greeting' && recipient !== address) || failures > 0)
          return undefined;
        failures += 1;
        return answer;
      });
      assert.deepEqual(await mailed(address, 2), ['retry', 'delivered']);
      assert.equal(failures, 1, 'one attempt is one SMTP conversation');
      assert.equal(server.mailsTo(address).length, 1);
      assert.equal(await isSuppressed(address), false);
    });
  }

  const final: Array<[what: string, stage: Stage, answer: string]> = [
    ['a refused mail (554 after the content)', 'end', '554 5.6.0 refused'],
    ['a refused sender', 'MAIL', '550 5.1.0 sender rejected'],
    ['a policy that rejects the recipient', 'RCPT', '550 5.7.1 refused by policy'],
    ['a relay that denies access', 'RCPT', '554 5.7.1 Relay access denied'],
  ];
  for (const [what, stage, answer] of final) {
    test(`${what} is permanent, and does not suppress the address`, async () => {
      const address = newAddress('refused');
      let refusals = 0;
      server.say((at) => (at === stage && refusals++ === 0 ? answer : undefined));
      assert.deepEqual(await mailed(address), ['failed']);
      assert.equal(await isSuppressed(address), false);
      assert.deepEqual(await mailed(address), ['delivered']);
    });
  }

  test('a rejected recipient is suppressed: later mails are dropped without a connection or a notice', async () => {
    const address = newAddress('nobody');
    server.say((at, line) =>
      at === 'RCPT' && line.includes(address) ? '550 5.1.1 no such user' : undefined,
    );
    assert.deepEqual(await mailed(address), ['failed']);
    server.say(() => undefined);
    server.hangUp();
    const before = server.calls();
    assert.deepEqual(await mailed(address.toUpperCase()), ['dropped/suppressed']);
    assert.equal(server.calls(), before);
    assert.deepEqual(server.mailsTo(address), []);
  });

  test('Account_RequestPasswordReset gives the same answer for a suppressed address', async () => {
    const [fine, suppressed] = await Promise.all(
      ['fine', 'suppressed'].map((name) => person(name)),
    );
    assert.ok(fine && suppressed);
    server.say((at, line) =>
      at === 'RCPT' && line.includes(suppressed) ? '550 5.1.1 gone' : undefined,
    );
    const ask = (Email: string) => stack.call('Account_RequestPasswordReset', { Email });
    bodyOf(await ask(suppressed));
    await eventually('the suppression', () => isSuppressed(suppressed));
    const [one, other] = [await ask(fine), await ask(suppressed)];
    assert.deepEqual([one.status, one.body], [other.status, other.body]);
    assert.deepEqual(one.body, {});
    // The token of the dropped mail exists and expires as usual. It was sent to no address.
    assert.equal(
      await countOf(
        stack,
        'identity.reset_token r join identity.user_account u on u.id = r.user_id where u.email = $1',
        [suppressed],
      ),
      1,
    );
  });

  test('Mail_GetSuppression returns a suppression, and Mail_DeleteSuppression removes it', async () => {
    const address = newAddress('lifted');
    server.say((at, line) =>
      at === 'RCPT' && line.includes(address) ? '550 5.1.1 no such user' : undefined,
    );
    assert.deepEqual(await mailed(address), ['failed']);
    const { Suppression } = bodyOf(
      await stack.call(
        'Mail_GetSuppression',
        { Email: ` ${address.toUpperCase()} ` },
        stack.platformKey,
      ),
    ) as {
      Suppression?: { StatusCode: number; CreatedAt: string; ExpiresAt: string };
    };
    assert.ok(Suppression);
    assert.equal(Suppression.StatusCode, 550);
    assert.equal(
      Math.round(
        (Date.parse(Suppression.ExpiresAt) - Date.parse(Suppression.CreatedAt)) / 86_400_000,
      ),
      30,
    );
    server.say(() => undefined);
    assert.deepEqual(
      bodyOf(await stack.call('Mail_DeleteSuppression', { Email: address }, stack.platformKey)),
      {},
    );
    assert.deepEqual(
      bodyOf(await stack.call('Mail_DeleteSuppression', { Email: address }, stack.platformKey)),
      {},
    );
    assertRefused(
      await stack.call('Mail_GetSuppression', { Email: address }, stack.platformKey),
      400,
      'not_found',
    );
    assert.deepEqual(await mailed(address), ['delivered']);
    const audited = () =>
      readPage<{ Action: string; ActorType: string; Targets: Array<{ ID: string; Name: string }> }>(
        stack,
        'Audit_List',
        {},
        stack.platformKey,
      );
    const entries = await eventually('the audit', async () => {
      const current = (await audited()).Items.filter(({ Action }) =>
        Action.startsWith('mail_suppression.'),
      ).slice(0, 2);
      return current[0]?.Action === 'mail_suppression.deleted' && current;
    });
    assert.deepEqual(
      entries.map(({ Action, ActorType }) => [Action, ActorType]),
      [
        ['mail_suppression.deleted', 'platform'],
        ['mail_suppression.created', 'system'],
      ],
    );
    assert.equal(entries[0]?.Targets[0]?.ID, entries[1]?.Targets[0]?.ID);
    assert.deepEqual(
      entries.flatMap(({ Targets }) => Targets.map(({ Name }) => Name)),
      ['', ''],
    );
  });

  test('an expired suppression has no effect, even before the sweeper deletes it', async () => {
    const address = newAddress('expired');
    server.say((at, line) =>
      at === 'RCPT' && line.includes(address) ? '550 5.1.1 no such user' : undefined,
    );
    assert.deepEqual(await mailed(address), ['failed']);
    server.say(() => undefined);
    await rowsOf(
      stack,
      `update notifications.mail_suppression set expires_at = now() - interval '1 second'`,
    );
    assert.equal(await isSuppressed(address), false);
    assert.deepEqual(await mailed(address), ['delivered']);
  });

  test('suppressions, mail counts and logs contain no address and no unkeyed hash of one', async () => {
    const address = newAddress('secret');
    server.say((at, line) =>
      at === 'RCPT' && line.includes(address) ? `550 5.1.1 <${address}>: no such user` : undefined,
    );
    assert.deepEqual(await mailed(address), ['failed']);
    assert.ok((await countOf(stack, 'notifications.mail_suppression')) > 0);
    const stored = await dumpOf(stack, 'notifications');
    assert.ok(!stored.includes(address));
    for (const digest of ['sha256', 'sha1', 'md5'])
      assert.ok(!stored.includes(createHmac(digest, '').update(address).digest('hex')));
    // A temporary rejection does not suppress, and the log has its SMTP code.
    const patient = newAddress('patient');
    server.say((at, line) =>
      at === 'RCPT' && line.includes(patient)
        ? `450 4.2.0 <${patient}>: Recipient address rejected: Greylisted`
        : undefined,
    );
    assert.deepEqual(await mailed(patient, 2), ['retry', 'retry']);
    const logged = stack.logOf('notifications');
    assert.ok(logged.includes('EENVELOPE RCPT TO 450 4.2.0'));
    for (const one of [address, patient]) assert.ok(!logged.includes(one));
  });

  test('each kind of mail to an address has its own limit, counted atomically', async () => {
    server.say(() => undefined);
    const Email = newAddress('flooded');
    const send = (operation: string, kind: 'verify' | 'invitation') =>
      stack.call(operation, { Email, Token: createToken(kind) }, stack.workerToken);
    // Twice the limits of a quarter of an hour (8 from known networks and 8 from others), since the callers' windows begin at different times.
    const answers = await Promise.all(
      Array.from({ length: 36 }, () => send('Account_Task_SendEmailVerification', 'verify')),
    );
    assert.deepEqual(
      [200, 400].map((code) => answers.filter(({ status }) => status === code).length),
      [32, 4],
    );
    assert.equal(server.mailsTo(Email).length, 32);
    // Mails above the limit are dropped in the queue, without an error to the caller.
    assert.deepEqual(await mailed(Email), ['dropped/rate_limited']);
    bodyOf(await send('TenantInvitations_Task_SendTenantInvitation', 'invitation'));
    bodyOf(
      await stack.call(
        'Account_Task_SendNotice',
        { Email, Kind: 'password_changed' },
        stack.workerToken,
      ),
    );
    assert.equal(server.mailsTo(Email).length, 34);
  });

  test('a mail has one recipient, the Message-ID of its task, and no headers from user input', async () => {
    server.say(() => undefined);
    const address = newAddress('headers');
    assert.deepEqual(await mailed(address), ['delivered']);
    const [mail] = server.mailsTo(address);
    assert.deepEqual(mail?.to, [address]);
    const headers = (mail?.content ?? '').split('\r\n\r\n')[0] ?? '';
    const [, task = ''] = /^Message-ID: <(.*)@127\.0\.0\.1>$/m.exec(headers) ?? [];
    assert.equal(await countOf(stack, 'notifications.delivery_attempt where task = $1', [task]), 1);
    assert.match(headers, /^Auto-Submitted: auto-generated$/m);
    assert.deepEqual(
      headers
        .match(/^(To|Cc|Bcc|Subject|From):.*$/gim)
        ?.map((line) => line.split(':')[0])
        .sort(),
      ['From', 'Subject', 'To'],
    );
    assert.match(headers, /^Subject: Confirm your e-mail address$/m);
    for (const Email of [
      '"a b"@example.com',
      'a@example.com\r\nBcc: b@example.com',
      'a@example.com, b@example.com',
      '<a@example.com>',
    ]) {
      assertRefused(
        await stack.call('Account_Register', { Email, Password: password }),
        400,
        'invalid_argument',
        ['Email must be a mail address'],
      );
    }
  });

  /** Creates an account and returns its address. */
  async function person(name: string): Promise<string> {
    const address = newAddress(name);
    bodyOf(
      await stack.call(
        'Users_Create',
        { User: { Email: address }, Password: password },
        stack.platformKey,
      ),
    );
    return address;
  }
});
