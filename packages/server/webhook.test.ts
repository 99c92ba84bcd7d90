import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { verifyWebhook } from './webhook.ts';

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const [current, previous, other] = [newSecret(), newSecret(), newSecret()];
const body = Buffer.from('{ "name" : "ünïcödé 🦉" }\r\n');

/** The headers of a delivery, signed at this time. */
function sign(
  secrets: string[],
  seconds = Math.floor(Date.now() / 1000),
  bytes: Uint8Array = body,
) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`evt_1.${seconds}.`).update(bytes);
    return `v1,${mac.digest('base64')}`;
  });
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}

test('a signed request is accepted, with the headers of Node and of the web', async () => {
  const headers = sign([current]);
  assert.equal(await verifyWebhook(current, headers, body), true);
  assert.equal(await verifyWebhook(current, new Headers(headers), body), true);
  assert.equal(await verifyWebhook(current, headers, body.toString()), true);
  const bytes = Buffer.from([0, 255, 10, 254]);
  assert.equal(await verifyWebhook(current, sign([current], undefined, bytes), bytes), true);
});

test('during a rotation either secret accepts the request', async () => {
  const headers = sign([current, previous]);
  assert.equal(await verifyWebhook(current, headers, body), true);
  assert.equal(await verifyWebhook(previous, headers, body), true);
  assert.equal(await verifyWebhook([other, previous], sign([previous]), body), true);
  assert.equal(await verifyWebhook([other, newSecret()], headers, body), false);
});

test('another secret, body, id or time is refused', async () => {
  const headers = sign([current]);
  assert.equal(await verifyWebhook(other, headers, body), false);
  assert.equal(await verifyWebhook(current, headers, `${body.toString()} `), false);
  assert.equal(await verifyWebhook(current, { ...headers, 'webhook-id': 'evt_2' }, body), false);
  const later = String(Math.floor(Date.now() / 1000) + 10);
  assert.equal(
    await verifyWebhook(current, { ...headers, 'webhook-timestamp': later }, body),
    false,
  );
});

test('a request is accepted for five minutes', async () => {
  const now = Math.floor(Date.now() / 1000);
  for (const [seconds, accepted] of [
    [-290, true],
    [290, true],
    [-310, false],
    [310, false],
  ] as const)
    assert.equal(
      await verifyWebhook(current, sign([current], now + seconds), body),
      accepted,
      String(seconds),
    );
});

test('absent and malformed headers are refused', async () => {
  const headers = sign([current]);
  for (const name of Object.keys(headers))
    for (const header of [undefined, '', 'x', 'v1,', 'v1,!', 'v2,AAAA', 'NaN', '1e9', ['a', 'b']])
      if (!(name === 'webhook-id' && typeof header === 'string' && header !== ''))
        assert.equal(
          await verifyWebhook(current, { ...headers, [name]: header }, body),
          false,
          `${name}: ${String(header)}`,
        );
  assert.equal(await verifyWebhook(current, {}, body), false);
  const unknownVersion = headers['webhook-signature'].replace('v1,', 'v2,');
  assert.equal(
    await verifyWebhook(current, { ...headers, 'webhook-signature': unknownVersion }, body),
    false,
  );
  assert.equal(await verifyWebhook([], headers, body), false);
});

test('a malformed secret is an error', async () => {
  for (const secret of ['', 'whsec_', 'whsec_!'])
    await assert.rejects(verifyWebhook(secret, sign([current]), body), TypeError);
});
