import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { deliveryHeaders, signature, standardSignature, webhookId } from './sign.ts';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const body = Buffer.from('{"id":"evt_1","text":"ü"}');
const named = { tenant: 'tnt_1', endpoint: 'whk_1', type: 'group.created' };

test('the key of a signature is the full text of the secret', () => {
  const expected = createHmac('sha256', secret)
    .update(`1700000000.${body.toString()}`)
    .digest('hex');
  assert.equal(signature([secret], 1_700_000_000, body), `t=1700000000,v1=${expected}`);
});

test('each valid secret adds one signature', () => {
  assert.match(signature([secret, other], 1, body), /^t=1,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
  assert.match(standardSignature([secret, other], 'evt_1', 1, body), /^v1,\S{44} v1,\S{44}$/);
});

// The example of the Standard Webhooks specification.
test('the standard signature is the one of the Standard Webhooks specification', () => {
  const payload = Buffer.from('{"test": 2432232314}');
  assert.equal(
    standardSignature(
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330,
      payload,
    ),
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test("the body's own id is the webhook-id", () => {
  assert.equal(webhookId({ ...named, body }), 'evt_1');
});

for (const text of [
  'not json',
  '[]',
  'null',
  '"evt_1"',
  '{"id":7}',
  '{"id":""}',
  '{"id":"two words"}',
  `{"id":"${'x'.repeat(65)}"}`,
]) {
  test(`the body ${text.slice(0, 20)} has a stable webhook-id`, () => {
    const id = webhookId({ ...named, body: Buffer.from(text) });
    assert.match(id, /^tsk_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
    assert.equal(webhookId({ ...named, body: Buffer.from(text) }), id);
    assert.notEqual(webhookId({ ...named, endpoint: 'whk_2', body: Buffer.from(text) }), id);
    assert.notEqual(
      webhookId({
        tenant: 'tnt_1w',
        endpoint: 'hk_1',
        type: 'group.created',
        body: Buffer.from(text),
      }),
      id,
    );
  });
}

test('the headers have the attempt number, and a fresh timestamp for each attempt', () => {
  const signed = {
    id: 'evt_1',
    type: 'group.created',
    endpoint: 'whk_1',
    attempt: 3,
    secrets: [secret],
    body,
  };
  const headers = deliveryHeaders(signed, 'Bailiwick-Webhooks/1', new Date(1_700_000_000_999));
  assert.equal(headers['x-webhook-attempt'], '3');
  assert.equal(headers['x-webhook-event'], 'group.created');
  assert.equal(headers['x-webhook-endpoint'], 'whk_1');
  assert.equal(headers['webhook-id'], 'evt_1');
  assert.equal(headers['webhook-timestamp'], '1700000000');
  assert.equal(headers['content-type'], 'application/json');
});
