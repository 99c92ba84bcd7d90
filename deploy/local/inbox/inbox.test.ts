import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { templateNames } from '@bailiwick/notifications/email/placeholders.ts';
import { type Inbox, startInbox } from './inbox.ts';
import type { Mail } from './mails.ts';

async function start(t: TestContext): Promise<Inbox> {
  const inbox = await startInbox({ httpPort: 0 });
  t.after(() => inbox.stop());
  return inbox;
}

async function get<T = Mail[]>(url: string): Promise<T> {
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return (await response.json()) as T;
}

/** Speaks just enough SMTP; resolves with the reply to the message. */
function send(smtpUrl: string, recipients: string[], message: string): Promise<string> {
  const lines = [
    'EHLO test',
    'MAIL FROM:<from@example.com>',
    ...recipients.map((to) => `RCPT TO:<${to}>`),
    'DATA',
    `${message}\r\n.`,
    'QUIT',
  ];
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(smtpUrl);
    const socket = connect(Number(port), hostname);
    const replies: string[] = [];
    socket.setEncoding('utf8').on('data', (text: string) => {
      for (const reply of text.split('\r\n').filter((line) => /^\d{3} /.test(line))) {
        replies.push(reply);
        const next = lines.shift();
        if (next !== undefined) socket.write(`${next}\r\n`);
      }
    });
    socket.on('error', reject).on('close', () => resolve(replies.at(-2) ?? ''));
  });
}

const mail = (subject: string, body: string): string =>
  `From: Sender <sender@example.com>\r\nTo: receiver\r\nSubject: ${subject}\r\n\r\n${body}`;

test('a mail is listed for each recipient, newest first, with its links', async (t) => {
  const { url, smtpUrl } = await start(t);
  await send(smtpUrl, ['ann@example.com'], mail('One', 'old'));
  const html =
    'From: Sender <sender@example.com>\r\nSubject: =?utf-8?B?VHfDtg==?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=b\r\n\r\n' +
    '--b\r\nContent-Type: text/plain\r\n\r\nGo to https://x.example/verify#token=abc.\r\n--b\r\nContent-Type: text/html\r\n\r\n' +
    '<a href="https://x.example/verify#token=abc">go</a> <a href="https://x.example/help?a=1&amp;b=2">help</a>\r\n--b--';
  await send(smtpUrl, ['Ann@Example.com', 'bob@example.com'], html);

  const [newest, older, ...more] = await get(`${url}/messages?to=ann@example.com`);
  assert.ok(newest && older && more.length === 0);
  assert.equal(older.Subject, 'One');
  assert.equal(newest.Subject, 'Twö');
  assert.equal(newest.From, 'sender@example.com');
  assert.equal(newest.To, 'Ann@Example.com');
  assert.match(newest.Text, /Go to/);
  assert.match(newest.Html, /<a href/);
  assert.deepEqual(newest.Links, [
    'https://x.example/verify#token=abc',
    'https://x.example/help?a=1&b=2',
  ]);
  assert.equal((await get(`${url}/messages`)).length, 3);

  await fetch(`${url}/messages`, { method: 'DELETE' });
  assert.deepEqual(await get(`${url}/messages`), []);
});

test('the inbox rejects a mail that is too large, and keeps running', async (t) => {
  const { url, smtpUrl } = await start(t);
  assert.match(
    await send(smtpUrl, ['a@example.com'], mail('Big', `${'x'.repeat(1000)}\r\n`.repeat(2200))),
    /^552 /,
  );
  assert.match(await send(smtpUrl, ['a@example.com'], mail('Small', 'x')), /^250 /);
  assert.equal((await get(`${url}/messages`)).length, 1);
});

test('the inbox keeps at most 500 mails, and 500 requests of each hook', async (t) => {
  const { url, smtpUrl } = await start(t);
  for (let index = 0; index < 6; index += 1)
    await send(
      smtpUrl,
      Array.from({ length: 90 }, (_, at) => `to-${at}@example.com`),
      mail(`Mail ${index}`, 'x'),
    );
  const mails = await get(`${url}/messages`);
  assert.equal(mails.length, 500);
  assert.equal(mails[0]?.Subject, 'Mail 5');
  for (let index = 0; index < 505; index += 1)
    await (await fetch(`${url}/hooks/many`, { method: 'POST', body: String(index) })).text();
  const { Requests } = await get<{ Requests: { Body: string }[] }>(`${url}/hooks/many`);
  assert.deepEqual([Requests.length, Requests[0]?.Body], [500, '504']);
});

test('the page shows mails and hooks, and escapes their contents', async (t) => {
  const { url, smtpUrl } = await start(t);
  await send(
    smtpUrl,
    ['a@example.com'],
    mail('<script>alert(1)</script>', '</pre><script>alert(2)</script>'),
  );
  await fetch(`${url}/hooks/sample`, {
    method: 'POST',
    body: '"<img src=x>"',
    headers: { 'x-webhook-event': '<b>user.created' },
  });
  const response = await fetch(`${url}/`);
  const page = await response.text();
  assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  assert.match(page, /alert\(1\)/);
  assert.match(page, /user\.created/);
  assert.doesNotMatch(page, /<script>|<img|<b>user/);
  const again = await fetch(`${url}/`, {
    headers: { 'if-none-match': response.headers.get('etag') ?? '' },
  });
  assert.equal(again.status, 304);

  const [listed] = await get(`${url}/messages`);
  const html = await fetch(`${url}/messages/${listed?.ID}/html`);
  assert.match(html.headers.get('content-security-policy') ?? '', /^sandbox allow-popups/);
  for (const asset of ['page.js', 'page.css'])
    assert.equal((await fetch(`${url}/${asset}`)).status, 200);
});

test('an unknown route is rejected as JSON', async (t) => {
  const { url } = await start(t);
  const expected: [method: string, path: string, status: number][] = [
    ['GET', '/nothing', 404],
    ['GET', '/messages/unknown', 404],
    ['GET', '/hooks/a/b', 404],
    ['GET', '/__proto__', 404],
    ['POST', '/messages', 405],
    ['PUT', '/hooks/a', 405],
    ['POST', '/', 405],
    ['GET', '/hooks/%20', 400],
    ['GET', '/%', 400],
    ['POST', '/hooks/a?status=100', 400],
    ['POST', '/hooks/a?status=500&times=many', 400],
  ];
  for (const [method, path, status] of expected) {
    const response = await fetch(url + path, { method });
    assert.equal(response.status, status, `${method} ${path}`);
    assert.equal(typeof ((await response.json()) as { Message: unknown }).Message, 'string');
  }
  const tooLarge = await fetch(`${url}/hooks/a`, {
    method: 'POST',
    body: 'x'.repeat(2 * 1024 * 1024 + 1),
  });
  assert.equal(tooLarge.status, 413);
});

test('a request for another host name is rejected (DNS rebinding)', async (t) => {
  const { url } = await start(t);
  const statusFor = (host: string): Promise<number> =>
    new Promise((resolve, reject) => {
      request(`${url}/messages`, { headers: { host } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
  assert.equal(await statusFor('evil.example:8025'), 403);
  for (const host of ['127.0.0.1:8025', 'localhost:8025', '[::1]:8025', 'inbox:8025'])
    assert.equal(await statusFor(host), 200, host);
});

test('a taken port fails the start and leaves no mail server behind', async (t) => {
  const { url } = await start(t);
  await assert.rejects(startInbox({ httpPort: Number(new URL(url).port) }), /EADDRINUSE/);
});

test('/mails shows every mail in every language, with sample values and without scripts', async (t) => {
  const { url } = await start(t);
  const page = await (await fetch(`${url}/mails`)).text();
  const frames = [...page.matchAll(/<iframe class="mail" sandbox src="([^"]+)"/g)].map(
    ([, src]) => src ?? '',
  );
  assert.equal(frames.length, 6 * templateNames.length);
  for (const frame of frames) {
    const response = await fetch(url + frame);
    assert.equal(response.status, 200, frame);
    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /^sandbox .*default-src 'none'/,
    );
    assert.doesNotMatch(await response.text(), /\{\{|<script/);
  }
  const german = await (await fetch(`${url}/mails?locale=de`)).text();
  assert.equal(german.match(/<iframe/g)?.length, templateNames.length);
  assert.match(german, /<pre lang="de">Guten Tag,/);
  for (const missing of [
    '/mails/reset',
    '/mails/reset/xx',
    '/mails/nothing/en',
    '/mails/reset/en/more',
  ])
    assert.equal((await fetch(url + missing)).status, 404, missing);
  assert.match(await (await fetch(url)).text(), /href="\/mails"/);
});
