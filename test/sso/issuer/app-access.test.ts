import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf, readList } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf } from '../../support/store.ts';
import { answerConsent, ask, createApp, errorOf, exchange, relyOn, signInWith } from './stage.ts';
import { startVisitor } from './visitor.ts';

type Entry = {
  Action: string;
  Result: string;
  ActorType: string;
  ActorID: string;
  CredentialID: string;
  IP: string;
  Targets: Array<{ Type: string; ID: string }>;
  Changes: Array<{ Field: string; New: unknown }>;
};
type Access = { ID: string; Name: string; Tenant: string; Scopes: string[]; Tenants: string[] };

describeOne('what apps have of a person', 'one process', (topology) => {
  let stack: Stack;
  let owner: Awaited<ReturnType<typeof signUp>>;
  let stranger: Awaited<ReturnType<typeof signUp>>;
  let Tenant: string;
  before(async () => {
    stack = await sharedStack(topology);
    [owner, stranger] = await Promise.all([signUp(stack), signUp(stack)]);
    Tenant = await tenantFor(stack, owner.id);
  });
  after(() => stack?.stop());

  /** An app of the tenant, and its library. */
  async function newApp(fields: object = {}) {
    const app = await createApp(stack, { Tenant, ...fields }, owner.token);
    return { ...app, config: await relyOn(stack, app) };
  }
  const entriesOf = async (app: string): Promise<Entry[]> => {
    const { items } = await readList<Entry>(stack, 'Audit_List', { Tenant }, owner.token);
    return items.filter(
      ({ Action, Targets }) =>
        /^oauth_app[.](signed|sign_in|code|refresh|access)/.test(Action) &&
        Targets.some(({ ID }) => ID === app),
    );
  };
  const actionsOf = async (app: string, count: number): Promise<Entry[]> => {
    const entries = await eventually('the entries', async () => {
      const entries = await entriesOf(app);
      return entries.length >= count && entries;
    });
    assert.equal(entries.length, count, JSON.stringify(entries.map(({ Action }) => Action)));
    return entries;
  };
  const appsOf = async (token = owner.token): Promise<Access[]> =>
    (await readList<Access>(stack, 'AccountApps_List', {}, token)).items;

  test('a sign-in is audited in its tenant with person, session and address; refreshes are not', async () => {
    const { ID, config } = await newApp();
    const { tokens, visitor } = await signInWith(stack, config, owner.token);
    await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    // A page in the background asks again without the person.
    await visitor.open((await ask(config, { prompt: 'none' })).url);
    await visitor.open((await ask(config)).url);
    const entries = await actionsOf(ID, 2);
    for (const { Action, ActorType, ActorID, CredentialID, IP, Result } of entries) {
      assert.deepEqual(
        [Action, Result, ActorType, ActorID],
        ['oauth_app.signed_in', 'success', 'user', owner.id],
      );
      assert.equal(CredentialID, tokens.claims()?.['sid']);
      assert.match(IP, /127\.0\.0\.1|::1/);
    }
  });

  test('a refused sign-in is audited with its reason, and a flood of them is counted', async () => {
    const { ID, config } = await newApp();
    for (let count = 0; count < 15; count++) {
      const { url } = await startVisitor(stack, stranger.token).open((await ask(config)).url);
      assert.equal(url.searchParams.get('error'), 'access_denied');
    }
    const [entry] = await actionsOf(ID, 10);
    assert.ok(entry);
    assert.deepEqual(
      [entry.Action, entry.Result, entry.ActorID],
      ['oauth_app.sign_in_refused', 'denied', stranger.id],
    );
    const reason = entry.Changes.find(({ Field }) => Field === 'Reason')?.New;
    assert.equal(reason, 'this app is for the members of one organisation');
  });

  test('a member of a suspended tenant is refused with that reason', async () => {
    const { config } = await newApp();
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    try {
      const { url } = await startVisitor(stack, owner.token).open((await ask(config)).url);
      assert.equal(url.searchParams.get('error_description'), 'the organisation is suspended');
    } finally {
      bodyOf(await stack.call('Tenants_Resume', { Tenant }, stack.platformKey));
    }
  });

  test('requests of strangers and with invented codes write no entry', async () => {
    const { ID, config, secret } = await newApp();
    const nobody = startVisitor(stack);
    await nobody.open((await ask(config)).url);
    await nobody.open((await ask(config, { prompt: 'none' })).url);
    await nobody.open((await ask(config, { redirect_uri: 'https://evil.test/' })).url);
    for (const [grant_type, name] of [
      ['authorization_code', 'code'],
      ['refresh_token', 'refresh_token'],
    ] as const)
      await fetch(`${stack.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type,
          client_id: ID,
          client_secret: secret,
          redirect_uri: 'https://app.example.test/callback',
          [name]: 'invented',
        }),
      });
    await signInWith(stack, config, owner.token);
    const [entry] = await actionsOf(ID, 1);
    assert.equal(entry?.Action, 'oauth_app.signed_in');
  });

  test('the second use of a code and of a refresh token is audited, once for each family', async () => {
    const { ID, config } = await newApp();
    const { request, arrival, tokens } = await signInWith(stack, config, owner.token);
    for (let count = 0; count < 3; count++)
      assert.equal(await errorOf(exchange(config, request, arrival)), 'invalid_grant');
    const second = await signInWith(stack, config, owner.token);
    const token = second.tokens.refresh_token ?? '';
    const next = await client.refreshTokenGrant(config, token);
    await client.refreshTokenGrant(config, next.refresh_token ?? '');
    for (let count = 0; count < 3; count++)
      assert.equal(await errorOf(client.refreshTokenGrant(config, token)), 'invalid_grant');
    const entries = await actionsOf(ID, 4);
    const reused = entries.filter(({ Action }) => Action.endsWith('reused'));
    assert.deepEqual(reused.map(({ Action }) => Action).toSorted(), [
      'oauth_app.code_reused',
      'oauth_app.refresh_token_reused',
    ]);
    for (const { Targets, ActorType } of reused) {
      assert.equal(ActorType, 'anonymous');
      assert.deepEqual(
        Targets.map(({ ID: id }) => id),
        [ID, owner.id, tokens.claims()?.['sid']],
      );
    }
  });

  test('repetitions of a refresh are audited, ten of them one by one', async () => {
    const { ID, config } = await newApp();
    const { tokens } = await signInWith(stack, config, owner.token);
    const token = tokens.refresh_token ?? '';
    for (let count = 0; count < 15; count++) await client.refreshTokenGrant(config, token);
    const entries = (await actionsOf(ID, 11)).filter(({ Action }) => Action.includes('refresh'));
    assert.equal(entries.length, 10);
    for (const { Action, Result, ActorType, Targets } of entries) {
      assert.deepEqual(
        [Action, Result, ActorType],
        ['oauth_app.refresh_repeated', 'success', 'anonymous'],
      );
      const targets = Targets.map(({ ID: id }) => id);
      assert.deepEqual(targets, [ID, owner.id, tokens.claims()?.['sid']]);
    }
  });

  test('AccountApps_List lists the apps of the caller, and AccountApps_Delete withdraws one', async () => {
    const [one, other] = await Promise.all([newApp({ RequireConsent: true }), newApp()]);
    const visitor = startVisitor(stack, owner.token);
    const request = await ask(one.config);
    const arrival = await answerConsent(visitor, await visitor.open(request.url), 'yes');
    const tokens = await exchange(one.config, request, arrival);
    await signInWith(stack, other.config, owner.token);
    const listed = (await appsOf()).find(({ ID }) => ID === one.ID);
    assert.ok(listed);
    const { ID, Name, Scopes, Tenants, ...rest } = listed as Access & Record<string, unknown>;
    assert.deepEqual(
      [ID, Name, rest.Tenant, Tenants, Scopes],
      [one.ID, 'Reports', Tenant, [Tenant], ['email', 'offline_access', 'openid', 'profile']],
    );
    for (const time of [rest['ConsentedAt'], rest['SignedInAt']])
      assert.ok(Math.abs(Date.now() - Date.parse(String(time))) < 600_000);
    // Another person's call changes nothing.
    bodyOf(await stack.call('AccountApps_Delete', { ID: one.ID }, stranger.token));
    await client.refreshTokenGrant(one.config, tokens.refresh_token ?? '');
    assert.deepEqual(await appsOf(stranger.token), []);

    for (let count = 0; count < 2; count++)
      bodyOf(await stack.call('AccountApps_Delete', { ID: one.ID }, owner.token));
    const appIds = (await appsOf()).map((app) => app.ID);
    assert.deepEqual([appIds.includes(one.ID), appIds.includes(other.ID)], [false, true]);
    for (const token of [tokens.refresh_token ?? '', tokens.access_token])
      assert.equal((await client.tokenIntrospection(one.config, token)).active, false);
    const page = await visitor.open((await ask(one.config)).url);
    assert.match(page.text, /<form method="post">/);
    const withdrawn = (await actionsOf(one.ID, 2)).filter(({ Action }) =>
      Action.endsWith('withdrawn'),
    );
    assert.equal(withdrawn.length, 1);
    assert.equal(withdrawn[0]?.ActorID, owner.id);
  });

  test('a person who declines withdraws an earlier consent', async () => {
    const { config, ID } = await newApp({ RequireConsent: true });
    const visitor = startVisitor(stack, owner.token);
    await answerConsent(visitor, await visitor.open((await ask(config)).url), 'yes');
    const again = await ask(config, { prompt: 'consent' });
    const refused = await answerConsent(visitor, await visitor.open(again.url), 'no');
    assert.equal(refused.url.searchParams.get('error'), 'access_denied');
    assert.equal(await countOf(stack, 'sso.app_consent where app = $1', [ID]), 0);
    const page = await visitor.open((await ask(config)).url);
    assert.match(page.text, /<form method="post">/);
  });

  test('a deleted app and a deleted user leave no consent, sign-in or token', async () => {
    const { config, ID } = await newApp({ RequireConsent: true });
    const consent = async (token: string) => {
      const visitor = startVisitor(stack, token);
      const request = await ask(config);
      return exchange(
        config,
        request,
        await answerConsent(visitor, await visitor.open(request.url), 'yes'),
      );
    };
    await consent(owner.token);
    bodyOf(await stack.call('Apps_Delete', { Tenant, ID }, owner.token));
    for (const table of ['app_consent', 'app_sign_in'])
      assert.equal(await countOf(stack, `sso.${table} where app = $1`, [ID]), 0, table);
    assert.ok((await appsOf()).every((app) => app.ID !== ID));

    const leaving = await signUp(stack);
    const open = await createApp(stack, { RequireConsent: true });
    const its = await relyOn(stack, open);
    const visitor = startVisitor(stack, leaving.token);
    const request = await ask(its);
    await exchange(
      its,
      request,
      await answerConsent(visitor, await visitor.open(request.url), 'yes'),
    );
    bodyOf(await stack.call('Users_Delete', { UserID: leaving.id }, leaving.token));
    for (const table of ['app_consent', 'app_sign_in'])
      await eventually(`no ${table}`, async () => {
        const rows = await countOf(stack, `sso.${table} where user_id = $1`, [leaving.id]);
        return rows === 0;
      });
  });
});
