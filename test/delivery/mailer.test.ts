import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createMailer } from '@bailiwick/notifications/email/mailer.ts';
import { type SmtpServer, type Stage, startSmtpServer } from '../support/smtp.ts';

describe('the mailer', () => {
  const mail = {
    to: 'ann@example.org',
    messageId: '<tsk_1@example.com>',
    subject: 'x',
    text: 'x',
    html: 'x',
  };

  async function sending(say: Parameters<SmtpServer['say']>[0], query = '', userinfo = '') {
    const server = await startSmtpServer();
    server.say(say);
    const mailer = createMailer({
      smtpUrl: server.url.replace('//', `//${userinfo}`) + query,
      from: 'Example <no-reply@example.com>',
      connections: 1,
    });
    try {
      return await mailer.send(mail).then(
        () => ({ reason: 'sent', message: '', mails: server.mails }),
        ({ reason, message }: { reason: string; message: string }) => ({
          reason,
          message,
          mails: server.mails,
        }),
      );
    } finally {
      mailer.close();
      await server.stop();
    }
  }

  test('sends no mail without TLS if requireTLS is set', async () => {
    const seen: Stage[] = [];
    const { reason, mails } = await sending((at) => void seen.push(at), '?requireTLS=true');
    assert.equal(reason, 'MAIL_UNAVAILABLE');
    assert.deepEqual(mails, []);
    assert.ok(!seen.includes('MAIL'));
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
    assert.deepEqual(await sending(say, '', 'ada:wrong@'), {
      reason: 'MAIL_UNAVAILABLE',
      message: 'the mail server did not take the mail (535)',
      mails: [],
    });
  });
});
