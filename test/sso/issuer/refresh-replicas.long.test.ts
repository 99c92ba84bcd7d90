import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { signUp } from '../../support/people.ts';
import { startReplicas } from '../../support/replicas.ts';
import { countOf } from '../../support/store.ts';
import { type App, createApp, relyOn, signInWith } from './stage.ts';

// Two replicas of sso share nothing but the database.

describe('the refresh of an app', () => {
  let run: Awaited<ReturnType<typeof startReplicas>>;
  let app: App;
  let ada: { id: string; token: string };
  before(async () => {
    run = await startReplicas('http');
    [app, ada] = await Promise.all([createApp(run.stack), signUp(run.stack)]);
  });
  after(() => run?.stop());

  /** A refresh through one of the gateways. */
  async function refresh(gateway: number, token: unknown) {
    const { port } = run.gateways[gateway % 2] ?? { port: 0 };
    const response = await fetch(`http://${loopback}:${port}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: app.ID,
        client_secret: app.secret,
        refresh_token: String(token),
      }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  test('has one answer from two replicas, 100 times at once, over several rounds', async () => {
    const config = await relyOn(run.stack, app);
    const { tokens } = await signInWith(run.stack, config, ada.token);
    let token: unknown = tokens.refresh_token;
    for (let round = 0; round < 5; round++) {
      const all = await Promise.all(
        Array.from({ length: 100 }, (_, index) => refresh(index, token)),
      );
      const [one] = all;
      assert.ok(one);
      assert.equal(one.status, 200, JSON.stringify(one.body));
      for (const answer of all) assert.deepEqual(answer, one);
      token = one.body['refresh_token'];
    }
    // One answer is kept for a sign-in, the latest.
    assert.equal(await countOf(run.stack, "sso.issuer_record where model = 'RefreshAnswer'"), 1);
  });

  test('by one replica and a reuse at the other ends the sign-in for both', async () => {
    const config = await relyOn(run.stack, app);
    const { tokens } = await signInWith(run.stack, config, ada.token);
    const first = await refresh(0, tokens.refresh_token);
    const second = await refresh(1, first.body['refresh_token']);
    const reused = await refresh(1, tokens.refresh_token);
    assert.equal(reused.body['error'], 'invalid_grant');
    for (const gateway of [0, 1])
      assert.equal((await refresh(gateway, second.body['refresh_token'])).status, 400);
  });
});
