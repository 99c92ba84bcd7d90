import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MailRefused, mailError } from './mailer.ts';
import { isAboutRecipient } from './refusal.ts';

test('isAboutRecipient distinguishes rejections of the recipient from rejections of the sender', () => {
  const ofRecipient = [
    ['RCPT TO', '550 No such user here'],
    ['RCPT TO', '550 5.1.1 <ann@example.org>: Recipient address rejected: User unknown'],
    ['RCPT TO', '552 5.2.2 mailbox full'],
    ['RCPT TO', '550 5.4.1 Recipient address rejected: Access denied'],
    ['RCPT TO', '550-5.1.1 The email account that you tried to reach does not exist'],
    ['RCPT TO', '550 5.1.1 <relay.policy@sender.example>: unknown'],
    ['DATA', '550 5.1.1 unknown after all'],
  ] as const;
  const ofSender = [
    ['MAIL FROM', '550 5.1.0 sender rejected'],
    ['MAIL FROM', '550 no'],
    ['CONN', '554 go away'],
    ['RCPT TO', '550 5.7.1 refused by policy'],
    ['RCPT TO', '554 5.7.1 <ann@example.org>: Relay access denied'],
    ['RCPT TO', '550 relaying denied'],
    ['RCPT TO', '550 5.1.8 domain not found'],
    ['RCPT TO', '553 <us@example.com>: Sender address rejected: not owned by user'],
    ['RCPT TO', '554 transaction failed'],
    ['RCPT TO', '503 5.5.1 bad sequence'],
    ['RCPT TO', '552 5.2.3 message too long'],
    ['DATA', '554 message refused'],
    ['DATA', '550 5.7.1 looks like spam'],
    ['DATA', '550 no'],
    ['RCPT TO', '450 4.1.1 later'],
    ['RCPT TO', ''],
  ] as const;
  for (const [command, response] of ofRecipient)
    assert.equal(isAboutRecipient(command, response), true, `${command}: ${response}`);
  for (const [command, response] of ofSender)
    assert.equal(isAboutRecipient(command, response), false, `${command}: ${response}`);
});

test('rejected credentials and greetings are temporary errors', () => {
  const failure = (fields: object) => mailError(Object.assign(new Error('x'), fields));
  assert.equal(
    failure({ responseCode: 535, code: 'EAUTH', command: 'AUTH PLAIN' }).code,
    'unavailable',
  );
  assert.equal(
    failure({ responseCode: 554, code: 'EPROTOCOL', command: 'CONN' }).code,
    'unavailable',
  );
  assert.equal(
    failure({ responseCode: 451, code: 'EENVELOPE', command: 'RCPT TO' }).code,
    'unavailable',
  );
  const refused = failure({
    responseCode: 550,
    code: 'EENVELOPE',
    command: 'RCPT TO',
    response: '550 5.1.1 ann@example.org is unknown',
  });
  assert.ok(refused instanceof MailRefused && refused.suppress);
  assert.doesNotMatch(refused.message, /ann/);
});
