import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMailer } from '@bailiwick/notifications/email/mailer.ts';
import { hangUp, type SmtpServer, type Stage, startSmtpServer } from '../support/smtp.ts';

describe('the mailer', () => {
  const mail = {
    to: 'ann@example.org',
    messageId: '<tsk_1@example.com>',
    subject: 'x',
    text: 'x',
    html: 'x',
  };

  /** Limits of the phases of a session, in milliseconds. */
  const fast = { setUp: 5000, content: 5000, confirmation: 60_000 };

  /** Sends one mail to a server with this script. */
  async function sending(
    say: Parameters<SmtpServer['say']>[0],
    { to = mail.to, query = '', userinfo = '', limits = fast } = {},
  ) {
    const server = await startSmtpServer();
    server.say(say);
    const mailer = createMailer({
      smtpUrl: server.url.replace('//', `//${userinfo}`) + query,
      limits,
      greetingName: 'mail.example.com',
      from: 'Example <no-reply@example.com>',
      connections: 1,
    });
    try {
      return await mailer.send({ ...mail, to }).then(
        () => ({ reason: 'sent', message: '', mails: server.mails }),
        ({ reason, message }: { reason: string; message: string }) => ({
          reason,
          message,
          mails: server.mails,
        }),
      );
    } finally {
      await mailer.close();
      await server.stop();
    }
  }

  test('sends no mail without TLS if requireTLS is set', async () => {
    const stages: Stage[] = [];
    const { reason, mails } = await sending((at) => void stages.push(at), {
      query: '?requireTLS=true',
    });
    assert.equal(reason, 'MAIL_UNAVAILABLE');
    assert.deepEqual(mails, []);
    assert.ok(!stages.includes('MAIL'));
  });

  test('fails if the server does not respond within five seconds', async () => {
    const started = Date.now();
    const { reason } = await sending((at) => (at === 'greeting' ? { waitMs: 60_000 } : undefined));
    assert.equal(reason, 'MAIL_UNAVAILABLE');
    assert.ok(Date.now() - started < 10_000);
  });

  test('waits for a slow server', async () => {
    const { reason, mails } = await sending((at) =>
      at === 'greeting' || at === 'MAIL' ? { waitMs: 700 } : undefined,
    );
    assert.equal(reason, 'sent');
    assert.deepEqual(mails[0]?.to, ['ann@example.org']);
  });

  test('treats rejected credentials as a temporary failure, not as one of the recipient', async () => {
    const say = (at: Stage) =>
      at === 'EHLO'
        ? '250-scripted\r\n250 AUTH PLAIN'
        : at === 'AUTH'
          ? '535 5.7.8 wrong'
          : undefined;
    assert.deepEqual(await sending(say, { userinfo: 'ada:wrong@' }), {
      reason: 'MAIL_UNAVAILABLE',
      message: 'the mail server did not take the mail (535)',
      mails: [],
    });
  });

  test('greets with its own name, and ends each session with QUIT', async () => {
    const lines: string[] = [];
    await sending((at, line) => {
      if (at === 'EHLO' || at === 'QUIT') lines.push(line);
      return undefined;
    });
    assert.deepEqual(lines, ['EHLO mail.example.com', 'QUIT']);
  });

  test('waits for the confirmation of a mail for longer than for its content', async () => {
    const limits = { ...fast, content: 500 };
    const slow = (at: Stage) => (at === 'end' ? { waitMs: 1000 } : undefined);
    assert.equal((await sending(slow, { limits })).reason, 'sent');
    const stuck = (at: Stage) => (at === 'DATA' ? { waitMs: 60_000 } : undefined);
    assert.equal((await sending(stuck, { limits })).reason, 'MAIL_UNAVAILABLE');
  });

  test('calls the outcome of a mail unknown if the server never confirms it', async () => {
    const { reason, message } = await sending(
      (at) => (at === 'end' ? { waitMs: 60_000 } : undefined),
      { limits: { ...fast, confirmation: 300 } },
    );
    assert.equal(reason, 'MAIL_UNCONFIRMED');
    assert.match(message, /^outcome unknown: /);
  });

  test('sends no address with letters beyond ASCII to a server without SMTPUTF8', async () => {
    const stages: Stage[] = [];
    const without = await sending((at) => void stages.push(at), { to: 'zoë@example.org' });
    assert.equal(without.reason, 'MAIL_REFUSED');
    assert.match(without.message, /SMTPUTF8/);
    assert.deepEqual(stages, ['greeting', 'EHLO', 'QUIT']);
    const within = await sending(
      (at) => (at === 'EHLO' ? '250-scripted\r\n250 SMTPUTF8' : undefined),
      { to: 'zoë@example.org' },
    );
    assert.equal(within.reason, 'sent');
  });

  test('sends a mail over a new session if the server has ended the idle one', async () => {
    const server = await startSmtpServer();
    const mailer = createMailer({
      smtpUrl: server.url,
      greetingName: 'mail.example.com',
      from: 'Example <no-reply@example.com>',
      connections: 1,
    });
    try {
      await mailer.send(mail);
      server.say((at) => (at === 'MAIL' && server.calls() === 1 ? hangUp : undefined));
      await mailer.send(mail);
      assert.deepEqual([server.mails.length, server.calls()], [2, 2]);
    } finally {
      await mailer.close();
      await server.stop();
    }
  });
});
