import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { describeCaught } from './hooks.ts';
import { startInbox } from './inbox.ts';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const body = '{"id":"evt_1","name":"Zoë"}';
const now = (): number => Math.floor(Date.now() / 1000);

type Described = ReturnType<typeof describeCaught>;

async function start(t: TestContext): Promise<string> {
  const inbox = await startInbox({ httpPort: 0 });
  t.after(() => inbox.stop());
  return `${inbox.url}/hooks/sample`;
}

function signed(timestamp: number, old?: string): Record<string, string> {
  const hex = (text: string): string =>
    createHmac('sha256', text).update(`${timestamp}.${body}`).digest('hex');
  const base64 = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64');
  return {
    'X-Webhook-Signature': `t=${timestamp},${old === undefined ? '' : `v1=${hex(old)},`}v1=${hex(secret)}`,
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `${old === undefined ? '' : 'v1,AAAA '}v1,${base64}`,
  };
}

async function post(
  url: string,
  headers: Record<string, string> = {},
  text = body,
): Promise<number> {
  const response = await fetch(url, { method: 'POST', body: text, headers });
  await response.text();
  return response.status;
}

async function newest(
  url: string,
  headers: Record<string, string> = {},
): Promise<Described | undefined> {
  const { Requests } = (await (await fetch(url, { headers })).json()) as { Requests: Described[] };
  return Requests[0];
}

const withSecret = (url: string, hookSecret = secret): string =>
  `${url}?secret=${encodeURIComponent(hookSecret)}`;

test('a hook keeps the method, the headers and the exact body', async (t) => {
  const url = await start(t);
  assert.equal(await newest(url), undefined);
  assert.equal(await post(url, { 'X-Webhook-Event': 'user.created' }), 200);
  const caught = await newest(url);
  assert.ok(caught);
  assert.equal(caught.Method, 'POST');
  assert.equal(caught.Headers['x-webhook-event'], 'user.created');
  assert.equal(caught.Body, body);
  assert.equal(Buffer.from(caught.BodyBase64, 'base64').toString(), body);
  assert.ok(Math.abs(Date.parse(caught.ReceivedAt) - Date.now()) < 5000);
  assert.ok(!('SignatureValid' in caught) && !('StandardWebhooksValid' in caught));
  await fetch(url, { method: 'DELETE' });
  assert.equal(await newest(url), undefined);
});

test('a hook given the secret reports whether both signatures are valid', async (t) => {
  const url = await start(t);
  const judged = async (query: string, headers?: Record<string, string>) => {
    const caught = await newest(query, headers);
    return [caught?.SignatureValid, caught?.StandardWebhooksValid];
  };
  await post(url, signed(now()));
  assert.deepEqual(await judged(withSecret(url)), [true, true]);
  assert.deepEqual(await judged(url, { 'X-Webhook-Secret': secret }), [true, true]);
  assert.deepEqual(await judged(withSecret(url, `whsec_${randomBytes(32).toString('base64')}`)), [
    false,
    false,
  ]);
  assert.deepEqual(await judged(withSecret(url, 'x')), [false, false]);

  await post(url, signed(now(), 'whsec_the-previous-secret'));
  assert.deepEqual(await judged(withSecret(url)), [true, true]);
  await post(url, signed(now()), `${body} `);
  assert.deepEqual(await judged(withSecret(url)), [false, false]);
  // Time passes before the check: the later one is not at the limit of 300 s.
  for (const age of [-301, 330]) {
    await post(url, signed(now() + age));
    assert.deepEqual(await judged(withSecret(url)), [false, false]);
  }
  await post(url);
  assert.deepEqual(await judged(withSecret(url)), [false, false]);
  for (const junk of ['', 't=', 't=1,v1', `t=${now()},v1=zz`, 'v1=,t=NaN', ',,,=']) {
    await post(url, {
      'X-Webhook-Signature': junk,
      'webhook-id': 'x',
      'webhook-timestamp': String(now()),
      'webhook-signature': junk,
    });
    assert.deepEqual(await judged(withSecret(url)), [false, false]);
  }
});

test('a hook can fail a number of times first', async (t) => {
  const url = await start(t);
  const failing = `${url}?status=500&times=2`;
  assert.deepEqual(
    [await post(failing), await post(failing), await post(failing)],
    [500, 500, 200],
  );
  assert.deepEqual([await post(`${url}?status=410`), await post(`${url}?status=410`)], [410, 410]);
  await fetch(url, { method: 'DELETE' });
  assert.equal(await post(failing), 500);
});
