import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne, type Stack } from '../support/harness.ts';
import { appOrigin, sharedStack } from '../support/shared.ts';
import { rowsOf } from '../support/store.ts';
import {
  createHome,
  type Home,
  loginUrl,
  oidcOf,
  type ProviderRecord,
  readProvider,
  saveProvider,
} from './home.ts';
import { type EvilOp, startEvilOp } from './oidc/evil-op.ts';

// Where a browser goes on after a sign-in that failed.

type SignInStart = { cookie: string; state: string; callback: string };

const cookiesIn = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');

describeOne('a sign-in at a provider that fails', 'one process', (topology) => {
  let stack: Stack;
  let home: Home;
  let op: EvilOp;
  let provider: ProviderRecord;
  before(async () => {
    stack = await sharedStack(topology);
    home = await createHome(stack);
    op = await startEvilOp({
      account: { sub: 'ada', email: `ada@${home.domain}`, email_verified: true },
    });
    provider = await saveProvider(stack, home, { ...oidcOf(op.issuer), TokenAuthMethod: 'none' });
  });
  after(() => op?.stop());

  /** Opens an address as a browser does, without following redirects. */
  const open = (url: string, cookie = '') =>
    fetch(url, { redirect: 'manual', headers: { accept: 'text/html', cookie } });

  async function begin(returnTo: string, url = loginUrl(stack, provider, returnTo)) {
    const response = await open(url);
    const location = response.headers.get('location') ?? '';
    const state = new URL(location).searchParams.get('state') ?? '';
    const callback = (await open(location)).headers.get('location') ?? '';
    return { cookie: cookiesIn(response), state, callback };
  }
  const answer = ({ state, cookie }: SignInStart, parameters: Record<string, string>) =>
    open(
      `${provider.RedirectURI}?${new URLSearchParams({ ...parameters, state, iss: op.issuer }).toString()}`,
      cookie,
    );
  const locationOf = (response: Response) => response.headers.get('location') ?? '';
  const linksIn = (text: string) =>
    [...text.matchAll(/<a class="button[^"]*" href="([^"]*)"/g)].map(([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );

  test('its page leads to another try, to the sign-in page and to the use of a recovery code, all with the address to return to', async () => {
    const started = await begin('/verify?a=b');
    const response = await answer(started, { error: 'access_denied' });
    assert.equal(response.status, 403);
    const query = `?${new URLSearchParams({ return_to: '/verify?a=b' }).toString()}`;
    const links = linksIn(await response.text());
    const recovery = new URLSearchParams({ recovery: '1', return_to: '/verify?a=b' }).toString();
    const [login, page] = [`login${query}`, `../../../login${query}`];
    assert.deepEqual(links, [login, page, `../../../login?${recovery}`]);
    const again = new URL(links[0] ?? '', provider.RedirectURI).href;
    const { callback, cookie } = await begin('', again);
    assert.equal(locationOf(await open(callback, cookie)), `${stack.url}/verify?a=b`);
  });

  test('its page tells another browser nothing of the address to return to', async () => {
    const { state } = await begin('/verify?secret=b');
    for (const cookie of ['', 'bailiwick_flow_x=y', (await begin('/other')).cookie]) {
      const response = await answer({ state, cookie, callback: '' }, { error: 'access_denied' });
      const text = await response.text();
      assert.equal(response.status, 403);
      assert.ok(!text.includes('secret'));
      assert.deepEqual(linksIn(text), ['login', '../../../login']);
    }
  });

  for (const error of ['login_required', 'temporarily_unavailable'])
    test(`begins again once after ${error}, with the address to return to`, async () => {
      const response = await answer(await begin('/verify?a=b'), { error });
      const query = new URLSearchParams({ return_to: '/verify?a=b', again: '1' });
      const again = locationOf(response);
      assert.equal(again, `${loginUrl(stack, provider)}?${query.toString()}`);
      const second = await begin('', again);
      const refused = await answer(second, { error });
      assert.equal(refused.status, 403);
      assert.equal(linksIn(await refused.text()).length, 3);
    });

  test('begins again once if its answer comes after ten minutes', async () => {
    const started = await begin('/verify');
    await rowsOf(
      stack,
      `update sso.sign_in_flow set expires_at = now() - interval '1 minute' where tenant = $1`,
      [home.tenant],
    );
    const again = locationOf(await open(started.callback, started.cookie));
    assert.ok(again.startsWith(`${loginUrl(stack, provider)}?`), again);
    const { callback, cookie } = await begin('', again);
    assert.equal(locationOf(await open(callback, cookie)), `${stack.url}/verify`);
  });

  test('an answer that is opened again sends its signed-in user on, and opens no second session', async () => {
    const started = await begin('/verify?a=b');
    const first = await open(started.callback, started.cookie);
    const signedIn = `${started.cookie}; ${cookiesIn(first)}`;
    for (const [cookie, goesTo] of [
      [signedIn, '/verify?a=b'],
      [cookiesIn(first), '/login?signed_in=1'],
    ] as const) {
      const second = await open(started.callback, cookie);
      assert.deepEqual([second.status, locationOf(second)], [303, `${stack.url}${goesTo}`]);
      assert.deepEqual(second.headers.getSetCookie(), []);
    }
    for (const cookie of [started.cookie, `${started.cookie}; bailiwick_session=bwks_made_up`]) {
      const second = await open(started.callback, cookie);
      assert.equal(second.status, 400);
      assert.equal(linksIn(await second.text()).length, 2);
    }
    // A session does not hide a refusal.
    const other = await begin('/verify');
    const refused = await answer(
      { ...other, cookie: `${other.cookie}; ${cookiesIn(first)}` },
      { error: 'access_denied' },
    );
    assert.equal(refused.status, 403);
  });

  test('an answer for an application that is opened again leads to the sign-in page, which makes its code', async () => {
    const earlier = await begin('/verify');
    const session = cookiesIn(await open(earlier.callback, earlier.cookie));
    const started = await begin(`${appOrigin}/back`);
    await open(started.callback, started.cookie);
    const second = await open(started.callback, `${started.cookie}; ${session}`);
    const query = new URLSearchParams({ signed_in: '1', return_to: `${appOrigin}/back` });
    assert.equal(locationOf(second), `${stack.url}/login?${query.toString()}`);
  });

  test('a start that fails keeps the address to return to, unless it is at a foreign origin', async () => {
    const address = loginUrl(stack, { ...provider, ID: 'sso_gone' }, '/verify');
    assert.deepEqual(linksIn(await (await open(address)).text()), [
      '../../../login?return_to=%2Fverify',
    ]);
    const foreign = await open(loginUrl(stack, provider, 'https://evil.example/"><b>'));
    const text = await foreign.text();
    assert.ok(!text.includes('evil.example'), text);
  });

  test('its description is for the administrator, without addresses, sites and tokens', async () => {
    const token = `eyJ${'a'.repeat(60)}`;
    const description = `AADSTS50105: ada@example.com is not assigned to a role, see https://evil.example/x ${token} <b>${'x '.repeat(300)}`;
    const started = await begin('');
    await answer(started, { error: 'access_denied', error_description: description });
    const { LastError } = await readProvider(stack, home, provider);
    assert.match(LastError, /It says: “AADSTS50105: … is not assigned to a role, see … … bx x/);
    assert.ok(LastError.length < 400 && !LastError.includes(token));
  });
});
