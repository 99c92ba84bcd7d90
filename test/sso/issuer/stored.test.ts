import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import { sweepIssuer } from '@bailiwick/sso/issuer/queries.ts';
import { byIssuer } from '@bailiwick/sso/issuer/request.ts';
import type { Database } from '@bailiwick/store';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../../support/harness.ts';
import { login, signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import {
  type App,
  ask,
  createApp,
  errorOf,
  exchange,
  type Relying,
  relyOn,
  signInWith,
} from './stage.ts';
import { startVisitor } from './visitor.ts';

describeOne('the rows and keys of sign-ins to apps', 'one process', (topology) => {
  let stack: Stack;
  let app: App;
  let config: Relying;
  let ada: { id: string; email: string; token: string };
  before(async () => {
    // It replaces the keys of the platform.
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
    [app, ada] = await Promise.all([createApp(stack), signUp(stack)]);
    config = await relyOn(stack, app);
  });
  after(() => stack?.stop());

  const newSession = async () => String(bodyOf(await login(stack, ada.email))['Token']);
  const refresh = (token: string | undefined) =>
    errorOf(client.refreshTokenGrant(config, token ?? ''));

  test('Keys_Rotate adds keys that verifiers see before they sign, and old tokens stay valid', async () => {
    const kids = async () => {
      const { keys } = (await (await fetch(`${stack.url}/oauth/jwks`)).json()) as {
        keys: Array<{ kid: string; d?: string }>;
      };
      assert.ok(keys.every(({ d }) => d === undefined));
      return keys.map(({ kid }) => kid);
    };
    const before = await kids();
    const { tokens } = await signInWith(stack, config, ada.token);
    // The second call finds the keys of the first.
    bodyOf(await stack.call('Keys_Rotate', {}, stack.platformKey));
    bodyOf(await stack.call('Keys_Rotate', {}, stack.platformKey));
    const added = await eventually('the new keys', async () => {
      const now = (await kids()).filter((kid) => !before.includes(kid));
      return now.length > 0 && now;
    });
    assert.equal(added.length, 2);
    const kidOf = (token = ''): string => {
      const head = Buffer.from(token.split('.')[0] ?? '', 'base64url').toString();
      return (JSON.parse(head) as { kid: string }).kid;
    };
    assert.ok(!added.includes(kidOf((await signInWith(stack, config, ada.token)).tokens.id_token)));
    await rowsOf(stack, 'update sso.signing_key set signs_from = now() where id = any ($1)', [
      added,
    ]);
    // A library fetches the keys again after a minute at the earliest.
    await eventually('a token of a new key', async () => {
      config = await relyOn(stack, app);
      return added.includes(kidOf((await signInWith(stack, config, ada.token)).tokens.id_token));
    });
    const hinted = await ask(config, { id_token_hint: tokens.id_token ?? '', prompt: 'none' });
    const arrival = await startVisitor(stack, ada.token).open(hinted.url);
    assert.equal((await exchange(config, hinted, arrival)).claims()?.sub, ada.id);
  });

  test('a request leaves no grant without a code, and the sweeper removes all rows of a sign-in', async () => {
    const counts = async () => {
      const rows = await rowsOf<{ model: string; count: number }>(
        stack,
        'select model, count(*)::int as count from sso.issuer_record group by model',
      );
      return new Map(rows.map(({ model, count }) => [model, count]));
    };
    const before = await counts();
    const added = async (model: string) =>
      ((await counts()).get(model) ?? 0) - (before.get(model) ?? 0);
    const asking = await relyOn(stack, await createApp(stack, { RequireConsent: true }));
    for (let round = 0; round < 20; round++) {
      const visitor = startVisitor(stack, ada.token);
      const page = await visitor.open((await ask(asking)).url);
      assert.match(page.text, /<form method="post">/);
      await visitor.open((await ask(config, { max_age: '0', prompt: 'none' })).url);
    }
    assert.equal(await added('Grant'), 0);
    const { tokens } = await signInWith(stack, config, ada.token);
    const models = ['Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken'];
    assert.deepEqual(await Promise.all(models.map(added)), [1, 1, 1, 1]);
    assert.equal(await refresh(tokens.refresh_token), 'none');
    assert.deepEqual(await Promise.all(models.map(added)), [1, 1, 2, 2]);

    const database = {
      write: (_call: unknown, { text }: { text: string }) =>
        rowsOf(stack, text.replace('from issuer_record', 'from sso.issuer_record')),
    } as unknown as Database;
    assert.equal(await added('RefreshAnswer'), 1);
    await rowsOf(
      stack,
      "update sso.issuer_record set expires_at = now() - interval '1 second' where model in ('RefreshAnswer', 'RefreshToken')",
    );
    await sweepIssuer(database, byIssuer);
    // A kept answer has tokens in it, so it goes at once.
    assert.deepEqual(await Promise.all(['RefreshAnswer', 'RefreshToken'].map(added)), [0, 2]);
    await rowsOf(
      stack,
      "update sso.issuer_record set expires_at = now() - interval '61 minutes' where model <> 'Consent'",
    );
    await sweepIssuer(database, byIssuer);
    const remaining = [...(await counts()).keys()].filter((model) => model !== 'Consent');
    assert.deepEqual(remaining, []);
  });

  test('only a refresh keeps a session from becoming idle', async () => {
    const { tokens } = await signInWith(stack, config, await newSession());
    const session = tokens.claims()?.['sid'] as string;
    const age = async () => {
      await rowsOf(
        stack,
        "update identity.session set last_seen_at = now() - interval '5 minutes' where id = $1",
        [session],
      );
      await forgetRights({ DATABASE_URL: stack.databaseUrl });
    };
    const isUsed = async () => {
      const [row] = await rowsOf<{ used: boolean }>(
        stack,
        "select last_seen_at > now() - interval '1 minute' as used from identity.session where id = $1",
        [session],
      );
      return row?.used;
    };
    await age();
    await client.fetchUserInfo(config, tokens.access_token, ada.id);
    assert.equal((await client.tokenIntrospection(config, tokens.access_token)).active, true);
    assert.equal(
      (await client.tokenIntrospection(config, tokens.refresh_token ?? '')).active,
      true,
    );
    assert.equal(await isUsed(), false);
    assert.equal(await refresh(tokens.refresh_token), 'none');
    assert.equal(await isUsed(), true);
  });

  test('the store holds no code and no token that could be used', async () => {
    const { tokens } = await signInWith(stack, config, ada.token);
    const rows = await rowsOf<{ text: string }>(
      stack,
      "select concat(id, ' ', encode(payload_enc, 'escape')) as text from sso.issuer_record",
    );
    const keys = await rowsOf<{ text: string }>(
      stack,
      "select encode(key_enc, 'escape') as text from sso.signing_key",
    );
    assert.ok(rows.length > 0 && keys.length >= 2);
    for (const { text } of rows)
      for (const token of [tokens.access_token, tokens.refresh_token ?? ''])
        assert.ok(!text.includes(token) && !text.includes(ada.email));
    for (const { text } of keys) assert.doesNotMatch(text, /"d":/);
  });
});
