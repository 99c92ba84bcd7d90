import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { writeMessage } from './message.ts';

const from = 'Bäiliwick <no-reply@example.org>';
const mail = {
  to: 'ada@xn--bcher-kva.example',
  messageId: '<tsk_1@example.org>',
  subject: `Grüße\r\nBcc: eve@example.org ${'x'.repeat(200)}`,
  text: `.\n.dot\nÜber = 1 \n${'long '.repeat(50)}\n`,
  html: `<p>${'ä'.repeat(300)}</p>`,
};

/** The content of a part, decoded. */
function contentOf(content: string, type: string): string {
  const [, boundary = ''] = /boundary="([^"]+)"/.exec(content) ?? [];
  const part = content
    .split(`--${boundary}`)
    .find((each) => each.includes(`Content-Type: ${type};`));
  const [, lines = ''] = /\r\n\r\n([^]*)\r\n$/.exec(part ?? '') ?? [];
  const bytes = lines
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

test('a written mail has both texts, in lines that every mail server takes', () => {
  const { content, envelope } = writeMessage(from, mail);
  assert.deepEqual(envelope, { from: 'no-reply@example.org', to: mail.to });
  assert.equal(contentOf(content, 'text/plain'), mail.text.replaceAll('\n', '\r\n'));
  assert.equal(contentOf(content, 'text/html'), mail.html);
  assert.ok(
    content.split('\r\n').every((line) => line.length <= 76 && !/[^\t\x20-\x7e]/.test(line)),
  );
});

test('a written mail has the headers of an automatic message, and no others', () => {
  const [head = ''] = writeMessage(from, mail).content.split('\r\n\r\n');
  const names = head.match(/^[^\s:]+(?=:)/gm) ?? [];
  assert.deepEqual(names.map((name) => name.toLowerCase()).sort(), [
    'auto-submitted',
    'content-type',
    'date',
    'from',
    'message-id',
    'mime-version',
    'subject',
    'to',
    'x-auto-response-suppress',
  ]);
  assert.match(head, /^Message-ID: <tsk_1@example\.org>$/m);
  assert.match(head, /^To: ada@xn--bcher-kva\.example$/m);
});
