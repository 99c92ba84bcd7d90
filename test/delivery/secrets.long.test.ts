import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { rowsOf } from '../support/store.ts';
import { deliver, makeEndpoint, newestAt, type Owner, rawOf } from './endpoints.ts';

type Row = { secret: Buffer; previous: Buffer | null; until: Date | null; dek: string };

describeBoth('webhook signing secrets', (topology) => {
  let stack: Stack;
  let owner: Owner;
  before(async () => {
    stack = await sharedStack(topology);
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
  });
  after(() => stack?.stop());

  const rotate = async (id: string, more: object = {}) =>
    bodyOf(
      await stack.call(
        'Webhooks_RotateSecret',
        { Tenant: owner.tenant, ID: id, ...more },
        owner.token,
      ),
    ) as unknown as {
      Secret: string;
      Endpoint: { PreviousSecretUntil?: string; UpdatedAt: string };
    };
  async function rowOf(id: string): Promise<Row> {
    const text = `select secret_enc as secret, previous_secret_enc as previous, previous_secret_until as until, dek_id as dek
                  from notifications.webhook_endpoint where id = $1`;
    const [row] = await rowsOf<Row>(stack, text, [id]);
    assert.ok(row);
    return row;
  }

  /** Makes a delivery and returns the names of the secrets that both stock verifiers accept. */
  async function signedWith(
    hook: string,
    id: string,
    secrets: Record<string, string>,
  ): Promise<string[]> {
    await deliver(owner, id, '{"n":1}');
    const request = await newestAt(stack, hook);
    const accepted = (verify: (secret: string) => unknown) =>
      Object.keys(secrets).filter((name) => {
        try {
          verify(secrets[name] ?? '');
          return true;
        } catch {
          return false;
        }
      });
    const byStripe = accepted((secret) =>
      Stripe.webhooks.signature?.verifyHeader(
        rawOf(request),
        request.Headers['x-webhook-signature'] ?? '',
        secret,
        300,
      ),
    );
    assert.deepEqual(
      accepted((secret) => new Webhook(secret).verify(rawOf(request), request.Headers)),
      byStripe,
    );
    const marks =
      request.Headers['x-webhook-signature']?.split(',').filter((part) => part.startsWith('v1=')) ??
      [];
    assert.equal(marks.length, request.Headers['webhook-signature']?.split(' ').length);
    assert.equal(marks.length, byStripe.length, 'every signature is by a known secret');
    return byStripe;
  }

  test('Webhooks_RotateSecret keeps only the last secret valid, for the grace period', async () => {
    const { id, secret: first } = await makeEndpoint(owner, 'rotated');
    assert.deepEqual(await signedWith('rotated', id, { first }), ['first']);
    const { Secret: second, Endpoint } = await rotate(id);
    assert.match(second, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const until = Date.parse(Endpoint.PreviousSecretUntil ?? '') - Date.now();
    assert.ok(Math.abs(until - 86_400_000) < 60_000, 'the default grace period is a day');
    assert.deepEqual(await signedWith('rotated', id, { first, second }), ['first', 'second']);
    const { Secret: third } = await rotate(id, { GraceSeconds: 604_800 });
    assert.deepEqual(await signedWith('rotated', id, { first, second, third }), [
      'second',
      'third',
    ]);
    const read = recordIn(
      await stack.call('Webhooks_GetEndpoint', { Tenant: owner.tenant, ID: id }, owner.token),
      'Endpoint',
    );
    assert.ok(!JSON.stringify(read).includes('whsec_'));
    assert.ok((read as { PreviousSecretUntil?: string }).PreviousSecretUntil);
  });

  test('Webhooks_RotateSecret with a grace period of 0 revokes all earlier secrets at once', async () => {
    const { id, secret: first } = await makeEndpoint(owner, 'ended');
    const { Secret: second } = await rotate(id);
    const { Secret: third, Endpoint } = await rotate(id, { GraceSeconds: 0 });
    assert.equal(Endpoint.PreviousSecretUntil, undefined);
    assert.deepEqual(await signedWith('ended', id, { first, second, third }), ['third']);
    assert.equal((await rowOf(id)).previous, null);
  });

  test('an expired previous secret does not sign and is not shown, even before the sweeper erases it', async () => {
    const { id, secret: first } = await makeEndpoint(owner, 'late');
    const { Secret: second } = await rotate(id, { GraceSeconds: 60 });
    await rowsOf(
      stack,
      `update notifications.webhook_endpoint set previous_secret_until = now() - interval '1 second' where id = $1`,
      [id],
    );
    assert.deepEqual(await signedWith('late', id, { first, second }), ['second']);
    const read = recordIn(
      await stack.call('Webhooks_GetEndpoint', { Tenant: owner.tenant, ID: id }, owner.token),
      'Endpoint',
    );
    assert.equal((read as { PreviousSecretUntil?: string }).PreviousSecretUntil, undefined);
    await eventually(
      'the sweep',
      async () => (await rowOf(id)).previous === null && (await rowOf(id)).until === null,
      30_000,
    );
  });

  test('both secrets are sealed, each bound to its column', async () => {
    const { id, secret: first } = await makeEndpoint(owner, 'sealed');
    const { Secret: second } = await rotate(id);
    const row = await rowOf(id);
    for (const secret of [first, second]) {
      assert.ok(!row.secret.includes(secret) && !row.previous?.includes(secret));
    }
    // A copy of the previous secret in the column of the current one does not open.
    await rowsOf(
      stack,
      'update notifications.webhook_endpoint set secret_enc = previous_secret_enc where id = $1',
      [id],
    );
    const request = { Tenant: owner.tenant, Endpoint: id, Type: 'test.sent', Body: 'e30=' };
    assert.equal((await stack.call('Webhooks_Deliver', request, stack.workerToken)).status, 500);
    assert.deepEqual(await caughtBy(stack, 'sealed'), []);
  });

  test('Webhooks_RotateSecret is audited and notifies the other endpoints, without the secret', async () => {
    await makeEndpoint(owner, 'watcher', { EventTypes: ['webhook_endpoint.*'] });
    const { id, secret } = await makeEndpoint(owner, 'told', { EventTypes: [] });
    const { Secret } = await rotate(id);
    const event = await eventually('the event', async () => {
      const bodies = (await caughtBy(stack, 'watcher')).map(
        ({ Body }) => JSON.parse(Body) as { type: string; data: { ID: string }; previous: object },
      );
      return bodies.find(
        ({ type, data }) => type === 'webhook_endpoint.secret_rotated' && data.ID === id,
      );
    });
    assert.deepEqual(event.previous, { PreviousSecretUntil: null });
    assert.ok(
      (await caughtBy(stack, 'told')).every(({ Body }) => !Body.includes('secret_rotated')),
    );
    const entry = await eventually('the audit entry', async () => {
      const answer = await stack.call(
        'Audit_List',
        { Tenant: owner.tenant, Filter: { TargetIDs: [id] } },
        owner.token,
      );
      return (recordIn(answer, 'Page') as { Items: Array<{ Action: string }> }).Items.find(
        ({ Action }) => Action === 'webhook_endpoint.secret_rotated',
      );
    });
    for (const text of [
      JSON.stringify(event),
      JSON.stringify(entry),
      stack.logOf('notifications'),
    ]) {
      assert.ok(!text.includes(secret.slice(6)) && !text.includes(Secret.slice(6)));
    }
  });

  test('Webhooks_RotateSecret, called twice at once, keeps the two newest secrets', async () => {
    const { id, secret } = await makeEndpoint(owner, 'raced');
    const secrets = (await Promise.all([rotate(id), rotate(id), rotate(id)])).map(
      ({ Secret }) => Secret,
    );
    const byName = Object.fromEntries(
      [secret, ...secrets].map((one, index) => [String(index), one]),
    );
    const accepted = await signedWith('raced', id, byName);
    assert.equal(accepted.length, 2);
    assert.ok(!accepted.includes('0'));
  });

  test('Webhooks_RotateSecret rejects a grace period above a week and an unknown endpoint', async () => {
    const { id } = await makeEndpoint(owner, 'refused');
    for (const GraceSeconds of [-1, 604_801]) {
      assertRefused(
        await stack.call(
          'Webhooks_RotateSecret',
          { Tenant: owner.tenant, ID: id, GraceSeconds },
          owner.token,
        ),
        400,
        'invalid_argument',
      );
    }
    assertRefused(
      await stack.call(
        'Webhooks_RotateSecret',
        { Tenant: owner.tenant, ID: createId('whk') },
        owner.token,
      ),
      400,
      'not_found',
    );
  });
});
