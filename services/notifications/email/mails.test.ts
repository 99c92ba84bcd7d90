import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import path from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '@bailiwick/shared/errors.ts';
import { parseKeyRing } from '@bailiwick/shared/seal.ts';
import { mailTask } from '@bailiwick/shared/tasks.ts';
import { createToken } from '@bailiwick/shared/tokens.ts';
import { createTaskCaller } from '../queue/context.ts';
import type { Mail } from './mailer.ts';
import { createMails } from './mails.ts';
import { readTemplates } from './templates.ts';

const ring = parseKeyRing(`one:${Buffer.alloc(32, 1).toString('base64')}`);
const strange = parseKeyRing(`one:${Buffer.alloc(32, 2).toString('base64')}`);
const templates = readTemplates(path.join(import.meta.dirname, 'templates'));
const caller = (extra: Record<string, string> = {}, id = 'tsk_1') => createTaskCaller({ id, attempt: 1, extra });

function mails() {
  const sent: Mail[] = [];
  const mailer = { send: (mail: Mail) => Promise.resolve(void sent.push(mail)), close: () => {} };
  return { sent, ...createMails({ mailer, templates, ring, publicUrl: 'https://example.com/iam' }) };
}

test('Account_Task_SendEmailVerification opens the sealed token into a link below the public URL', async () => {
  const { sent, sendToken } = mails();
  const token = createToken('verify');
  const { request } = mailTask('Account_Task_SendEmailVerification', ring, { Email: 'ann@example.org', Token: token }, {});
  assert.ok(!JSON.stringify(request).includes(token));
  await sendToken('verification', 'verify', { email: 'ann@example.org', token: String(request['Token']) }, caller());
  assert.ok(sent[0]?.text.includes(`https://example.com/iam/verify#token=${token}\n`));
  assert.equal(sent[0]?.to, 'ann@example.org');
  assert.equal(sent[0]?.messageId, '<tsk_1@example.com>');
});

test('Account_Task_SendPasswordReset takes a plain token in a direct call', async () => {
  const { sent, sendToken } = mails();
  await sendToken('reset', 'reset', { email: 'ann@example.org', token: 'bwkr_plain' }, caller({}, ''));
  assert.ok(sent[0]?.text.includes('/reset#token=bwkr_plain\n'));
  assert.match(sent[0]?.messageId ?? '', /^<tsk_\w{26}@example\.com>$/);
});

test('Account_Task_SendEmailVerification refuses a token that is none', async () => {
  const { sendToken } = mails();
  for (const token of ['two\nlines', 'sealed:junk']) {
    await assert.rejects(sendToken('verification', 'verify', { email: 'a@example.org', token }, caller({}, '')), { code: 'invalid_argument' });
  }
});

test('a token sealed by another key ring is a fault of ours and not of the mail', async () => {
  const { sendToken } = mails();
  const { request } = mailTask('Account_Task_SendEmailVerification', strange, { Email: 'a@example.org', Token: 'x' }, {});
  const failure = await sendToken('verification', 'verify', { email: 'a@example.org', token: String(request['Token']) }, caller()).catch(
    (error: unknown) => error,
  );
  assert.ok(failure instanceof Error && !(failure instanceof ServiceError));
});

test('TenantInvitations_Task_SendTenantInvitation names the tenant, tamed', async () => {
  const { sent, sendToken } = mails();
  await sendToken('invitation', 'invitation', { email: 'ann@bücher.example', token: 'bwki_x' }, caller({ tenantName: 'Acme <b>\nLtd' }));
  assert.ok(sent[0]?.text.includes('join Acme <b> Ltd.'));
  assert.ok(sent[0]?.html.includes('join Acme &lt;b&gt; Ltd.'));
  assert.equal(sent[0]?.to, 'ann@xn--bcher-kva.example');
});
