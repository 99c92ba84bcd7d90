import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf } from '../../support/store.ts';
import { ask, callback, createApp, relyOn, signInWith } from './stage.ts';
import { startVisitor, type Visitor } from './visitor.ts';

// The forms of our own pages change something, so no page of another site may send them.

const foreign: ReadonlyArray<Record<string, string>> = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
];

describeOne('the forms of sign-ins to apps', 'one process', (topology) => {
  let stack: Stack;
  let ada: { id: string; token: string };
  let visitor: Visitor;
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
    visitor = startVisitor(stack, ada.token);
  });
  after(() => stack?.stop());
  /** As a browser sends a form of our pages, which allow no referrer. */
  const own = [
    () => ({ origin: 'null', 'sec-fetch-site': 'same-origin' }),
    () => ({ origin: stack.url }),
  ];

  test('the consent to an app is taken from our own page only', async () => {
    const app = await createApp(stack, { RequireConsent: true });
    const config = await relyOn(stack, app);
    const body = () => new URLSearchParams({ consent: 'yes' });
    for (const headersOf of own) {
      const page = await visitor.open((await ask(config, { prompt: 'consent' })).url);
      for (const headers of foreign) {
        const refused = await visitor.open(page.url, { method: 'POST', body: body(), headers });
        assert.equal(refused.status, 403, JSON.stringify(headers));
        assert.equal(refused.url.origin, stack.url);
      }
      const arrival = await visitor.open(page.url, {
        method: 'POST',
        body: body(),
        headers: headersOf(),
      });
      assert.ok(arrival.url.href.startsWith(callback), arrival.url.href);
    }
  });

  test('a device is confirmed on our own page only', async () => {
    const app = await createApp(stack, { Kind: 'device', RedirectURIs: [] });
    const config = await relyOn(stack, app);
    const codes = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
    const { user_code } = codes;
    for (const headers of foreign) {
      const entered = await visitor.sendForm(await visitor.open('/device'), { user_code }, headers);
      assert.equal(entered.status, 403, JSON.stringify(headers));
    }
    const page = await visitor.sendForm(await visitor.open('/device'), { user_code });
    for (const headers of foreign)
      assert.equal((await visitor.sendForm(page, { confirm: 'yes' }, headers)).status, 403);
    const lastPage = await visitor.sendForm(page, { confirm: 'yes' }, { origin: stack.url });
    assert.match(lastPage.text, /Your device is signed in/);
  });

  test('a sign-out is confirmed on our own page only', async () => {
    const config = await relyOn(stack, await createApp(stack));
    const { tokens } = await signInWith(stack, config, ada.token);
    const hint = { id_token_hint: tokens.id_token ?? '' };
    const page = await visitor.open(client.buildEndSessionUrl(config, hint));
    assert.match(page.text, /<form/);
    for (const headers of foreign)
      assert.equal((await visitor.sendForm(page, {}, headers)).status, 403);
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [ada.id]), 1);
    await visitor.sendForm(page, {}, { origin: stack.url });
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [ada.id]), 0);
  });
});
