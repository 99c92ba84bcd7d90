import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { createHome, loginUrl, refusalIn } from '../sso/home.ts';
import { answerConsent, ask, createApp, errorOf, exchange, relyOn } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { type Providers, signInMeanwhile, startProviders } from '../sso/stage.ts';
import { bodyOf } from '../support/answers.ts';
import { describeOne, eventually } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { countOf, rowsOf, whileLocked } from '../support/store.ts';

// Sign-ins that are under way while what they rest on ends leave nothing usable.

describeOne('sign-ins that end while they run', 'one process', (topology) => {
  let providers: Providers;
  before(async () => {
    providers = await startProviders(topology);
  });
  after(() => providers?.stop());

  /** Waits until this number of statements on the records wait for a lock. */
  const waiting = (count: number) =>
    eventually(`${count} waiting statements`, async () => {
      const from = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query ~ 'issuer_record'`;
      return (await countOf(providers.stack, from)) >= count;
    });

  /** A person's sign-in to an app that needs consent. */
  async function consented() {
    const { stack } = providers;
    const ada = await signUp(stack);
    const app = await createApp(stack, { RequireConsent: true });
    const config = await relyOn(stack, app);
    const visitor = startVisitor(stack, ada.token);
    const request = await ask(config);
    const arrival = await answerConsent(visitor, await visitor.open(request.url), 'yes');
    const { refresh_token: refresh = '' } = await exchange(config, request, arrival);
    const withdraw = () => stack.call('AccountApps_Delete', { ID: app.ID }, ada.token);
    return { stack, ada, app, config, visitor, refresh, withdraw };
  }

  test('a code that is stored after the consent was withdrawn is not given to the app', async () => {
    const { stack, app, config, visitor, withdraw } = await consented();
    // The withdrawal finds no sign-in, so that it waits for nothing.
    await rowsOf(stack, 'delete from sso.app_sign_in where app = $1', [app.ID]);
    const records = () =>
      countOf(stack, "sso.issuer_record where model in ('AuthorizationCode', 'Grant')");
    const before = await records();
    const { url } = await ask(config);
    const { open } = await whileLocked(
      stack,
      'lock table sso.issuer_record in share mode',
      [],
      async () => {
        const arriving = visitor.open(url);
        await waiting(1);
        bodyOf(await withdraw());
        return { open: arriving };
      },
    );
    const arrival = await open;
    assert.equal(arrival.url.origin, new URL(stack.url).origin);
    assert.match(arrival.text, /withdrawn meanwhile/);
    assert.equal(await countOf(stack, 'sso.app_sign_in where app = $1', [app.ID]), 0);
    assert.ok((await records()) <= before, 'neither the code nor its grant is stored');
  });

  test('a refresh that runs while the consent is withdrawn leaves no token', async () => {
    const { stack, config, refresh, withdraw } = await consented();
    const race = await whileLocked(
      stack,
      `select from sso.issuer_record where model = 'RefreshToken' for update`,
      [],
      async () => {
        const renewing = client.refreshTokenGrant(config, refresh);
        await waiting(1);
        const withdrawing = withdraw();
        await waiting(2);
        return { renewing, withdrawing };
      },
    );
    const renewed = await race.renewing.catch(() => undefined);
    bodyOf(await race.withdrawing);
    const late = renewed?.refresh_token ?? refresh;
    assert.equal(await errorOf(client.refreshTokenGrant(config, late)), 'invalid_grant');
  });

  test('a refresh that runs while the session ends gets no tokens', async () => {
    const { stack, ada, config, refresh } = await consented();
    const race = await whileLocked(
      stack,
      `select from sso.issuer_record where model = 'RefreshToken' for update`,
      [],
      async () => {
        const renewing = errorOf(client.refreshTokenGrant(config, refresh));
        await waiting(1);
        bodyOf(await stack.call('Account_Logout', {}, ada.token));
        return { renewing };
      },
    );
    assert.equal(await race.renewing, 'invalid_grant');
  });

  test('a sign-in whose provider is switched off meanwhile leaves no session', async () => {
    const { stack, go, provide, setIdentity } = providers;
    const home = await createHome(stack);
    const provider = await provide(home, 'oidc');
    const email = `ada@${home.domain}`;
    setIdentity({ subject: email, email });
    const { Tenant, ID } = provider;
    const switchOff = async () =>
      bodyOf(
        await stack.call(
          'Sso_SaveProvider',
          { Provider: { Tenant, ID, Kind: 'oidc', Name: 'Acme staff', Active: false } },
          home.owner.token,
        ),
      );
    const late = await signInMeanwhile({ stack, go }, home, loginUrl(stack, provider), switchOff);
    assert.equal(late.token, undefined);
    assert.equal(refusalIn(late).Code, 'permission_denied');
    assert.equal(await countOf(stack, 'identity.session where provider = $1', [ID]), 0);
  });
});
