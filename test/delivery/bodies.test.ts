import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import {
  deliver,
  makeEndpoint,
  type NewEndpoint,
  newestAt,
  type Owner,
  rawOf,
} from './endpoints.ts';

const largest = 256 * 1024;

/** Bodies of every kind. Deliveries must not re-serialise any of them. */
const bodies: Readonly<Record<string, Buffer>> = {
  'an empty object': Buffer.from('{}'),
  unicode: Buffer.from('{"name":"ünïcödé 🦉\u2028 \\u0000 \\ud800"}'),
  'one byte': Buffer.from('0'),
  'no text': Buffer.from([0, 255, 1, 254, 13, 10, 0]),
  'bytes that are not UTF-8': randomBytes(4096),
  'a body of the largest size': Buffer.from(JSON.stringify({ text: 'x'.repeat(largest - 11) })),
  'no JSON': Buffer.from('a=1&b=2'),
  'whitespace around the JSON': Buffer.from(' \r\n\t{"a":1}\n\n '),
  'a byte order mark': Buffer.from('\ufeff{"a":1}'),
  'duplicate keys': Buffer.from('{"a":1,"a":2,"id":"evt_1","id":"evt_2"}'),
  'numbers that JavaScript cannot hold': Buffer.from('{"n":9007199254740993,"x":1.10,"y":1e400}'),
  'a list': Buffer.from('[1,2,3]'),
};

/** stripe's verifier decodes the body as text and drops the byte order mark, which is signed. */
const beginsWithMark = (body: Buffer) =>
  body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));

describeOne('webhook signatures', 'one process', (topology) => {
  let stack: Stack;
  let owner: Owner;
  let endpoint: NewEndpoint;
  let present: string;
  before(async () => {
    stack = await sharedStack(topology);
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
    endpoint = await makeEndpoint(owner, 'bodies');
    present = String(
      bodyOf(
        await stack.call('Webhooks_RotateSecret', { Tenant: owner.tenant, ID: endpoint.id }, token),
      )['Secret'],
    );
  });
  after(() => stack?.stop());

  for (const [what, body] of Object.entries(bodies)) {
    test(`Webhooks_Deliver sends ${what} byte for byte, signed so that stripe and standardwebhooks accept it with either secret`, async () => {
      const task = await deliver(owner, endpoint.id, body);
      assert.equal(task.Status, 'delivered', JSON.stringify(task));
      const request = await newestAt(stack, 'bodies');
      const raw = rawOf(request);
      assert.ok(raw.equals(body), 'the bytes are the same');
      assert.equal(request.Headers['webhook-id'], task.ID);
      const stranger = `whsec_${randomBytes(32).toString('base64')}`;
      for (const [secret, genuine] of [
        [present, true],
        [endpoint.secret, true],
        [stranger, false],
      ] as const) {
        assert.equal(
          accepted(() => stripe(raw, request.Headers, secret)),
          genuine && isUtf8(body) && !beginsWithMark(body),
          'stripe',
        );
        assert.equal(
          accepted(() => standard(raw, request.Headers, secret)),
          genuine && isUtf8(body),
          'standardwebhooks',
        );
      }
      const changed = Buffer.concat([raw, Buffer.from(' ')]);
      assert.ok(
        !accepted(() => stripe(changed, request.Headers, present)) &&
          !accepted(() => standard(changed, request.Headers, present)),
      );
      // Bodies that are not text are signed too.
      const { SignatureValid, StandardWebhooksValid } = await newestAt(stack, 'bodies', present);
      assert.ok(SignatureValid && StandardWebhooksValid);
    });
  }

  test('Webhooks_Deliver rejects a body that is too large or empty', async () => {
    const request = { Tenant: owner.tenant, Endpoint: endpoint.id, Type: 'test.sent' };
    for (const Body of [Buffer.alloc(largest + 1, 32).toString('base64'), '', undefined]) {
      assertRefused(
        await stack.call('Webhooks_Deliver', { ...request, Body }, stack.workerToken),
        400,
        'invalid_argument',
      );
    }
  });
});

type Headers = Record<string, string>;

const stripe = (raw: Buffer, headers: Headers, secret: string) =>
  Stripe.webhooks.signature?.verifyHeader(raw, headers['x-webhook-signature'] ?? '', secret, 300);

/** standardwebhooks verifies, then parses JSON: a SyntaxError means that the signature is valid. */
function standard(raw: Buffer, headers: Headers, secret: string): void {
  try {
    new Webhook(secret).verify(raw, headers);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

function accepted(verify: () => unknown): boolean {
  try {
    verify();
    return true;
  } catch {
    return false;
  }
}

const isUtf8 = (bytes: Buffer): boolean => Buffer.from(bytes.toString('utf8')).equals(bytes);
