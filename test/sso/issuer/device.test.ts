import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { type App, createApp, enter, errorOf, type Relying, relyOn, resource } from './stage.ts';
import { type Arrival, startVisitor, type Visitor } from './visitor.ts';

// Devices without a browser sign people in (RFC 8628): a person enters the device's code elsewhere.

const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
/** Longer than the shortest pause between two polls. */
const pollPauseMs = 4200;

type Codes = client.DeviceAuthorizationResponse;
/** The first poll of a code needs no pause. */
const atOnce = (codes: Codes): Codes => ({ ...codes, interval: 0 });
type Answer = { error?: string; access_token?: string; refresh_token?: string };

describeOne('an app on a device', 'one process', (topology) => {
  let stack: Stack;
  let app: App;
  let config: Relying;
  let ada: { id: string; token: string };
  before(async () => {
    stack = await sharedStack(topology);
    [app, ada] = await Promise.all([createDevice(), signUp(stack)]);
    config = await relyOn(stack, app);
  });
  after(() => stack?.stop());

  const createDevice = (fields: object = {}) =>
    createApp(stack, { Kind: 'device', Name: 'Television', RedirectURIs: [], ...fields });

  const begin = (parameters: Record<string, string> = {}, from = config): Promise<Codes> =>
    client.initiateDeviceAuthorization(from, { scope: 'openid email', ...parameters });

  /** Asks for the tokens once. */
  async function poll({ device_code }: Codes, client_id = app.ID): Promise<Answer> {
    const body = new URLSearchParams({ grant_type, client_id, device_code });
    const response = await fetch(`${stack.url}/oauth/token`, { method: 'POST', body });
    return (await response.json()) as Answer;
  }

  const enterCode = async (visitor: Visitor, user_code: string): Promise<Arrival> =>
    visitor.sendForm(await visitor.open('/device'), { user_code });

  async function allow(visitor: Visitor, codes: Codes): Promise<Arrival> {
    const page = await enterCode(visitor, codes.user_code);
    assert.match(page.text, /Only go on if you started this sign-in yourself/);
    return visitor.sendForm(page, { confirm: 'yes' });
  }

  test('gets tokens after the person has entered its code, signed in and confirmed', async () => {
    const codes = await begin();
    assert.equal(codes.expires_in, 600);
    assert.equal(codes.verification_uri, `${stack.url}/device`);
    assert.match(codes.user_code, /^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
    const visitor = startVisitor(stack);
    // As people type it.
    const wide = codes.user_code.replaceAll(/[A-Z]/g, (letter) =>
      String.fromCharCode(letter.charCodeAt(0) + 0xfee0),
    );
    const typed = ` ${wide.toLowerCase().replace('-', ' ')}`;
    const signInPage = await enterCode(visitor, typed);
    const page = await enter(visitor, signInPage, ada.token);
    // The page sends the code of its address on by itself.
    assert.match(page.text, new RegExp(`value="${codes.user_code}"`));
    const question = await visitor.sendForm(page, { user_code: codes.user_code });
    for (const text of ['Television', codes.user_code, '127.0.0.1', 'this minute', 'email address'])
      assert.ok(question.text.includes(text), text);
    const lastPage = await visitor.sendForm(question, { confirm: 'yes' });
    assert.match(lastPage.text, /Your device is signed in/);
    const tokens = await client.pollDeviceAuthorizationGrant(config, atOnce(codes));
    assert.deepEqual([tokens.claims()?.sub, tokens.claims()?.['client_id']], [ada.id, undefined]);
    assert.ok(JSON.stringify(tokens.claims()).includes('"sid":"ses_'));
    const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const claims = await client.fetchUserInfo(config, renewed.access_token, ada.id);
    assert.equal(claims.sub, ada.id);
    await stack.call('Account_Logout', {}, ada.token);
    assert.equal(
      await errorOf(client.refreshTokenGrant(config, renewed.refresh_token ?? '')),
      'invalid_grant',
    );
    ada = await signUp(stack);
  });

  test('learns that the person has not answered, and that it asks too fast', async () => {
    const codes = await begin();
    assert.equal((await poll(codes)).error, 'authorization_pending');
    assert.equal((await poll(codes)).error, 'slow_down');
  });

  test('learns that the person refused, and its code is used then', async () => {
    const codes = await begin();
    const visitor = startVisitor(stack, ada.token);
    const page = await enterCode(visitor, codes.user_code);
    const refused = await visitor.sendForm(page, { abort: 'yes' });
    assert.match(refused.text, /Your device is not signed in/);
    assert.equal((await poll(codes)).error, 'access_denied');
    assert.match((await enterCode(visitor, codes.user_code)).text, /used already/);
    // The answer may have been lost.
    await wait(pollPauseMs);
    assert.equal((await poll(codes)).error, 'access_denied');
  });

  test('keeps its code after a poll for a resource that it may not ask for', async () => {
    const codes = await begin({ scope: 'openid app.reports.read', resource });
    await allow(startVisitor(stack, ada.token), codes);
    const other = { resource: 'https://other.example.test' };
    const refused = client.pollDeviceAuthorizationGrant(config, atOnce(codes), other);
    assert.equal(await errorOf(refused), 'invalid_target');
    await wait(pollPauseMs);
    assert.equal((await poll(codes)).error, undefined);
  });

  test('polls 200 times at once, and gets one set of tokens, which keeps working', async () => {
    const pollAtOnce = async () => {
      const codes = await begin();
      await allow(startVisitor(stack, ada.token), codes);
      const start = performance.now();
      const answers = await Promise.all(Array.from({ length: 200 }, () => poll(codes)));
      return { codes, answers, ms: performance.now() - start };
    };
    // On a busy machine the last polls come a whole interval after the first, which is no longer at
    // once: the second use of the code then ends the sign-in.
    let { codes, answers, ms } = await pollAtOnce();
    for (let tries = 1; ms >= pollPauseMs && tries < 4; tries++)
      ({ codes, answers, ms } = await pollAtOnce());
    const [tokens, ...more] = answers.filter(({ error }) => error === undefined);
    assert.deepEqual(more, []);
    assert.deepEqual(new Set(answers.map(({ error }) => error)), new Set([undefined, 'slow_down']));
    const claims = await client.fetchUserInfo(config, tokens?.access_token ?? '', ada.id);
    assert.equal(claims.sub, ada.id);
    // The code works once: its second use ends the sign-in.
    await wait(pollPauseMs);
    assert.equal((await poll(codes)).error, 'invalid_grant');
    assert.equal(
      await errorOf(client.refreshTokenGrant(config, tokens?.refresh_token ?? '')),
      'invalid_grant',
    );
  });

  test('of 20 answers to a code at once, one counts', async () => {
    const codes = await begin();
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(stack)));
    const pages = await Promise.all(
      people.map(async ({ token }) => {
        const visitor = startVisitor(stack, token);
        return { visitor, page: await enterCode(visitor, codes.user_code) };
      }),
    );
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => pages)
        .flat()
        .map(({ visitor, page }) => visitor.sendForm(page, { confirm: 'yes' })),
    );
    const confirmations = answers.filter(({ text }) => text.includes('Your device is signed in'));
    assert.equal(confirmations.length, 1);
  });

  test('uses its own codes only, and an app of another kind has none', async () => {
    const codes = await begin();
    await allow(startVisitor(stack, ada.token), codes);
    const other = await createDevice();
    assert.equal((await poll(codes, other.ID)).error, 'invalid_grant');
    const native = await createApp(stack, { Kind: 'native', RedirectURIs: ['http://127.0.0.1/'] });
    assert.equal(await errorOf(begin({}, await relyOn(stack, native))), 'invalid_request');
    await stack.call(
      'Apps_Save',
      { App: { ID: app.ID, Name: 'Off', Active: false } },
      stack.platformKey,
    );
    assert.equal((await poll(codes)).error, 'invalid_client');
    await stack.call(
      'Apps_Save',
      { App: { ID: app.ID, Name: 'Television', Active: true } },
      stack.platformKey,
    );
  });

  test('gets a token for the resource that it named, within its scopes', async () => {
    const scope = 'openid app.reports.read app.reports.write';
    const codes = await begin({ scope, resource });
    await allow(startVisitor(stack, ada.token), codes);
    const tokens = await client.pollDeviceAuthorizationGrant(config, atOnce(codes), {
      resource,
    });
    const [, payload = ''] = tokens.access_token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    assert.deepEqual([claims['aud'], claims['scope']], [resource, 'app.reports.read']);
  });

  test('of a tenant signs in its members, and tells others that they may not', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token);
    const own = await createDevice({ Tenant: tenant });
    const its = await relyOn(stack, own);
    const [mine, foreign] = await Promise.all([begin({}, its), begin({}, its)]);
    await allow(startVisitor(stack, owner.token), mine);
    const tokens = await client.pollDeviceAuthorizationGrant(its, atOnce(mine));
    assert.equal(tokens.claims()?.['tenant'], tenant);
    const page = await allow(startVisitor(stack, ada.token), foreign);
    assert.match(page.text, /Your device is not signed in/);
    assert.equal((await poll(foreign, own.ID)).error, 'access_denied');
  });

  test('asks a person with several tenants which one, and for consent once', async () => {
    const person = await signUp(stack);
    const [first, second] = [
      await createTenant(stack, person.token),
      await createTenant(stack, person.token),
    ];
    const own = await createDevice({ RequireConsent: true });
    const its = await relyOn(stack, own);
    const codes = await begin({}, its);
    const visitor = startVisitor(stack, person.token);
    const choice = await allow(visitor, codes);
    assert.ok(choice.text.includes(`?tenant=${first}`), choice.text);
    const lastPage = await visitor.open(new URL(`?tenant=${second}`, choice.url));
    assert.match(lastPage.text, /Your device is signed in/);
    const tokens = await client.pollDeviceAuthorizationGrant(its, atOnce(codes));
    assert.equal(tokens.claims()?.['tenant'], second);
  });

  test('a page takes no code that does not exist, of another site, or too many of them', async () => {
    const person = await signUp(stack);
    const visitor = startVisitor(stack, person.token);
    assert.match((await enterCode(visitor, '')).text, /Enter the code/);
    const unknown = await enterCode(visitor, 'BBBB-<b>');
    assert.match(unknown.text, /There is no such code/);
    assert.doesNotMatch(unknown.text, /<b>/);
    const linked = await visitor.open('/device?user_code=%22%3E%3Cscript%3E');
    assert.doesNotMatch(linked.text, /user_code" type="text" value="[^"]/);
    const codes = await begin();
    const forged = await visitor.open('/device', {
      method: 'POST',
      body: new URLSearchParams({ user_code: codes.user_code, confirm: 'yes', xsrf: 'guess' }),
    });
    assert.match(forged.text, /Enter the code again/);
    let guesses = 0;
    for (let status = 200; status === 200 && guesses < 40; guesses++)
      ({ status } = await enterCode(visitor, `BCDF-GH${'BCDFGHJKLMNPQRSTVWXZ'[guesses % 20]}Z`));
    assert.ok(guesses >= 20 && guesses <= 31, String(guesses));
    // A right one neither, until the time is over.
    const refused = await enterCode(visitor, codes.user_code);
    assert.equal(refused.status, 429);
    assert.match(refused.text, /<!doctype html>/i);
    assert.equal((await poll(codes)).error, 'authorization_pending');
  });

  test('a person who has signed out meanwhile confirms nothing', async () => {
    const person = await signUp(stack);
    const codes = await begin();
    const visitor = startVisitor(stack, person.token);
    const page = await enterCode(visitor, codes.user_code);
    await stack.call('Account_Logout', {}, person.token);
    const answer = await visitor.sendForm(page, { confirm: 'yes' });
    assert.doesNotMatch(answer.text, /is signed in/);
    assert.equal((await poll(codes)).error, 'authorization_pending');
  });

  test('the command line is a client that no operation changes', async () => {
    const ID = 'bailiwick-cli';
    for (const [operation, request] of [
      [
        'Apps_Save',
        { App: { ID, Name: 'Mine', Kind: 'native', RedirectURIs: ['http://127.0.0.1/'] } },
      ],
      ['Apps_Get', { ID }],
      ['Apps_RotateSecret', { ID }],
    ] as const)
      assert.ok(
        [400, 404].includes((await stack.call(operation, request, stack.platformKey)).status),
      );
    await stack.call('Apps_Delete', { ID }, stack.platformKey);
    const cli = await relyOn(stack, { ID, secret: '' });
    const codes = await begin(
      { scope: 'openid offline_access account *', resource: stack.url },
      cli,
    );
    const page = await enterCode(startVisitor(stack, ada.token), codes.user_code);
    assert.match(page.text, /Bailiwick command line/);
    assert.ok(bodyOf(await stack.call('Apps_List', {}, stack.platformKey)));
  });
});
