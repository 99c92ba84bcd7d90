import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { createToken } from '@bailiwick/contract';
import { ServiceError } from '@bailiwick/errors';
import { parseKeyRing } from '@bailiwick/keys';
import { mailTask } from '@bailiwick/outbox';
import { MailRefused } from './mailer.ts';
import { createMails } from './mails.ts';
import type { Mail } from './message.ts';
import { openTemplates } from './templates.ts';

const ring = parseKeyRing(`one:${Buffer.alloc(32, 1).toString('base64')}`);
const otherRing = parseKeyRing(`one:${Buffer.alloc(32, 2).toString('base64')}`);
const templates = openTemplates('');
const attempt = (extra: Record<string, string> = {}, id = 'tsk_1', number = 1) => ({
  id,
  number,
  extra,
});

/**
 * A mailer without a server. `answer`: the error of a rejecting mail server; `counted`: the number
 * of earlier mails.
 */
function mails(answer?: Error) {
  const inbox: Mail[] = [];
  const suppressed = new Map<string, number>();
  const counted = new Map<string, number>();
  const send = (mail: Mail) =>
    answer ? Promise.reject(answer) : Promise.resolve(void inbox.push(mail));
  const suppressions = {
    nameOf: (key: string) => `name of ${key}`,
    find: (key: string) =>
      Promise.resolve(
        suppressed.has(key) ? { code: 550, created_at: '', expires_at: '' } : undefined,
      ),
    add: (key: string, code: number) => Promise.resolve(void suppressed.set(key, code)),
  };
  const limiter = {
    useInBatch: (key: string, { count }: { count: number }) => {
      counted.set(key, (counted.get(key) ?? 0) + 1);
      return Promise.resolve((counted.get(key) ?? 0) > count ? 60 : 0);
    },
  };
  const sender = { service: 'Example', publicUrl: 'https://example.com/iam' };
  const deps = {
    mailer: { send, close: () => Promise.resolve() },
    templates,
    ring,
    sender,
    suppressions,
    limiter,
    limit: { count: 2, each: 2, others: 1, known: 1, seconds: 900 },
    brands: { of: (tenant: string) => Promise.resolve({ name: tenant, color: '' }) },
  };
  return { inbox, suppressed, counted, ...createMails(deps) };
}

test('a verification mail has the unsealed token in a link below the public URL', async () => {
  const { inbox, sendToken } = mails();
  const token = createToken('verify');
  const { request } = mailTask(
    'Account_Task_SendEmailVerification',
    ring,
    { Email: 'ann@example.org', Token: token },
    {},
  );
  assert.ok(!JSON.stringify(request).includes(token));
  await sendToken(
    'verification',
    'verify',
    { email: 'ann@example.org', token: String(request['Token']) },
    attempt(),
  );
  assert.ok(inbox[0]?.text.includes(`https://example.com/iam/verify#token=${token}\n`));
  assert.equal(inbox[0]?.to, 'ann@example.org');
  assert.equal(inbox[0]?.messageId, '<tsk_1@example.com>');
});

test('a password reset mail accepts a plain token, as a direct call has it', async () => {
  const { inbox, sendToken } = mails();
  await sendToken(
    'reset',
    'reset',
    { email: 'ann@example.org', token: 'bwkr_plain' },
    attempt({}, ''),
  );
  assert.ok(inbox[0]?.text.includes('/reset#token=bwkr_plain\n'));
  assert.match(inbox[0]?.messageId ?? '', /^<tsk_\w{26}@example\.com>$/);
});

test('the link of a mail opens its page in the language of the mail', async () => {
  const { inbox, sendToken } = mails();
  const request = { email: 'ann@example.org', token: 'bwkr_plain' };
  await sendToken('reset', 'reset', request, attempt({ locale: 'de-CH' }));
  assert.ok(inbox[0]?.text.includes('/reset?ui_locale=de-CH#token=bwkr_plain\n'));
  await sendToken('reset', 'reset', request, attempt({ locale: 'x"&#y' }));
  assert.ok(inbox[1]?.text.includes('/reset?ui_locale=x%22%26%23y#token=bwkr_plain\n'));
});

test('a malformed token is rejected', async () => {
  const { sendToken } = mails();
  for (const token of ['two\nlines', 'sealed:junk']) {
    await assert.rejects(
      sendToken('verification', 'verify', { email: 'a@example.org', token }, attempt({}, '')),
      { code: 'invalid_argument' },
    );
  }
});

test('a token sealed with another key ring is an internal error', async () => {
  const { sendToken } = mails();
  const { request } = mailTask(
    'Account_Task_SendEmailVerification',
    otherRing,
    { Email: 'a@example.org', Token: 'x' },
    {},
  );
  const failure = await sendToken(
    'verification',
    'verify',
    { email: 'a@example.org', token: String(request['Token']) },
    attempt(),
  ).catch((error: unknown) => error);
  assert.ok(failure instanceof Error && !(failure instanceof ServiceError));
});

test('an invitation mail shows sanitized names of the tenant and the inviter', async () => {
  const { inbox, sendToken } = mails();
  await sendToken(
    'invitation',
    'invitation',
    { email: 'ann@bücher.example', token: 'bwki_x' },
    attempt({ tenantName: 'Acme <b>\nLtd', inviterName: 'Ada www.win.example' }),
  );
  assert.ok(
    inbox[0]?.text.includes('Ada www win example invites you to join Acme <b> Ltd on Example.'),
  );
  assert.ok(inbox[0]?.html.includes('join <bdi>Acme &lt;b&gt; Ltd</bdi> on Example.'));
  assert.equal(inbox[0]?.to, 'ann@xn--bcher-kva.example');
  await sendToken(
    'invitation',
    'invitation',
    { email: 'ann@example.org', token: 'bwki_x' },
    attempt(),
  );
  assert.ok(
    inbox[1]?.text.includes('Another user invites you to join an organisation on Example.'),
  );
});

test('a mail uses the locale of its task', async () => {
  const { inbox, sendToken, sendNotice } = mails();
  await sendToken(
    'invitation',
    'invitation',
    { email: 'ann@example.org', token: 'bwki_x' },
    attempt({ locale: 'de-CH' }),
  );
  assert.ok(
    inbox[0]?.text.includes(
      'Eine andere Person lädt Sie ein, einer Organisation auf Example beizutreten.',
    ),
  );
  await sendNotice(
    'key_expiring',
    { email: 'ann@example.org' },
    attempt({ locale: 'pt', name: 'build', tenantName: 'Acme', date: '2026-03-01T23:30:00.000Z' }),
  );
  assert.ok(
    inbox[1]?.text.includes(
      'A chave “build” de um bot de Acme expira em 1 de março de 2026 (UTC).',
    ),
  );
});

test('an address that rejected a mail is suppressed, and gets no further mail', async () => {
  const refusing = mails(new MailRefused(550, true));
  await assert.rejects(
    refusing.sendNotice('password_changed', { email: 'Ann@Example.org' }, attempt()),
    { reason: 'MAIL_REFUSED' },
  );
  assert.deepEqual([...refusing.suppressed], [['ann@example.org', 550]]);
  await assert.rejects(
    refusing.sendNotice('password_changed', { email: 'ANN@example.org' }, attempt()),
    { reason: 'MAIL_SUPPRESSED' },
  );
});

test('mails about one role or bot of the platform do not use up the limit of another', async () => {
  const { inbox, sendNotice } = mails();
  const send = (about: string) =>
    sendNotice(
      'platform_bot_changed',
      { email: 'ann@example.org' },
      attempt({ operatorName: 'Ada', name: 'Archivist', about }),
    );
  for (let time = 0; time < 2; time++) await send('bot_1');
  await assert.rejects(send('bot_1'), { reason: 'MAIL_LIMITED' });
  await send('bot_2');
  assert.equal(inbox.length, 3);
});

test('a rejection that is not about the recipient suppresses no address', async () => {
  const refusing = mails(new MailRefused(554, false));
  await assert.rejects(
    refusing.sendNotice('password_changed', { email: 'ann@example.org' }, attempt()),
    { reason: 'MAIL_REFUSED' },
  );
  assert.equal(refusing.suppressed.size, 0);
});

test('mails to an address are limited per kind, and one kind does not use up the limit of another', async () => {
  const { inbox, sendToken, sendNotice } = mails();
  const reset = (number = 1) =>
    sendToken(
      'reset',
      'reset',
      { email: 'ann@example.org', token: 'bwkr_x' },
      attempt({}, 'tsk_1', number),
    );
  // Kinds that the requesting service counts have twice the limit here.
  for (let index = 0; index < 4; index++) await reset();
  await assert.rejects(reset(), { reason: 'MAIL_LIMITED' });
  await reset(2); // a later attempt of the same task is not counted again
  for (let index = 0; index < 2; index++)
    await sendNotice('password_changed', { email: 'ann@example.org' }, attempt());
  await assert.rejects(sendNotice('password_changed', { email: 'ann@example.org' }, attempt()), {
    reason: 'MAIL_LIMITED',
  });
  await sendNotice('address_changed', { email: 'ann@example.org' }, attempt());
  assert.equal(inbox.length, 8);
});

test('a mail about a tenant looks like the tenant, beside the name of the service', async () => {
  const { inbox, sendNotice } = mails();
  const to = { email: 'ann@example.org' };
  await sendNotice('sso_lifted', to, attempt({ tenant: 'Acme <b>', date: '2026-01-31T12:00:00Z' }));
  assert.match(
    inbox[0]?.html ?? '',
    /<p class="service"><bdi>Acme &lt;b&gt;<\/bdi> · Example<\/p>/,
  );
  await sendNotice('password_changed', to, attempt());
  assert.match(inbox[1]?.html ?? '', /<p class="service">Example<\/p>/);
});
