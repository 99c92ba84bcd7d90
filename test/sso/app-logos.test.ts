import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import * as client from 'openid-client';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne, type Stack } from '../support/harness.ts';
import { pngOf } from '../support/images.ts';
import { signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf } from '../support/store.ts';
import { callback, createAppCalls, type Person } from './app-calls.ts';
import { ask, relyOn } from './issuer/stage.ts';
import { startVisitor } from './issuer/visitor.ts';

describeOne('the logo of an app', 'one process', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const calls = createAppCalls(() => ({ stack, ada, bob }));
  const { newTenant, web, save, saved, read, appEvents } = calls;

  const encode = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
  const [red, blue] = [pngOf([200, 0, 0]), pngOf([0, 0, 200], { width: 48, size: 64 * 1024 })];
  const logoAt = (path: string, headers = {}) => fetch(`${stack.url}${path}`, { headers });
  const bytesAt = async (path: string) => Buffer.from(await (await logoAt(path)).arrayBuffer());
  const statusAt = async (path: string) => (await logoAt(path)).status;
  const storedOf = (tenant: string) => countOf(stack, 'sso.app_logo where tenant = $1', [tenant]);

  test('is served as the image that it is, and changes its address', async () => {
    const Tenant = await newTenant();
    const { App } = await saved(web(Tenant), { Logo: encode(red) });
    assert.partialDeepStrictEqual(App, { LogoWidth: 160, LogoHeight: 48 });
    const { ID, LogoPath: path } = App;
    const answer = await logoAt(path);
    assert.deepEqual(
      ['content-type', 'x-content-type-options', 'content-security-policy'].map((name) =>
        answer.headers.get(name),
      ),
      ['image/png', 'nosniff', "default-src 'none'; sandbox"],
    );
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), red);
    const etag = answer.headers.get('etag') ?? '';
    assert.equal((await logoAt(path, { 'if-none-match': etag })).status, 304);
    // Absent keeps it, and the same again is no change.
    assert.deepEqual((await saved({ Tenant, ID, Name: 'Wiki' })).App, App);
    assert.deepEqual((await saved(App, { Logo: encode(red) })).App, App);
    const second = (await saved(App, { Logo: encode(blue) })).App.LogoPath;
    assert.notEqual(second, path);
    assert.deepEqual(await bytesAt(second), blue);
    const events = await appEvents(Tenant);
    assert.deepEqual(
      events.map(({ type, previous }) => [type, Object.keys(previous ?? {}).sort()]),
      [
        ['oauth_app.created', []],
        ['oauth_app.updated', ['LogoPath', 'LogoWidth']],
      ],
    );
    assert.ok(!JSON.stringify(events).includes(encode(red).slice(0, 40)));
    const { App: without } = await saved(App, { Logo: '' });
    assert.partialDeepStrictEqual(without, { LogoPath: '', LogoWidth: 0, LogoHeight: 0 });
    assert.deepEqual([await statusAt(second), await storedOf(Tenant)], [404, 0]);
  });

  test('is gone while the app or its tenant is inactive, and with the app', async () => {
    const Tenant = await newTenant();
    const { App } = await saved(web(Tenant), { Logo: encode(red) });
    const { ID, Name, LogoPath: path } = App;
    assert.equal(await statusAt(path), 200);
    await saved({ Tenant, ID, Name, Active: false });
    assert.equal(await statusAt(path), 404);
    await saved({ Tenant, ID, Name, Active: true });
    assert.equal(await statusAt(path), 200);
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    assert.equal(await statusAt(path), 404);
    bodyOf(await stack.call('Tenants_Resume', { Tenant }, stack.platformKey));
    assert.equal(await statusAt(path), 200);
    bodyOf(await stack.call('Apps_Delete', { Tenant, ID }, ada.token));
    assert.deepEqual([await statusAt(path), await storedOf(Tenant)], [404, 0]);
    // The answer is that for an app that never existed.
    assert.equal(await statusAt(`/brand/${createId('app')}/logo`), 404);
    assert.equal(await statusAt(`/brand/${ID}/icon`), 404);
  });

  test('is refused if it is no small image, and from other callers', async () => {
    const Tenant = await newTenant();
    const { App } = await saved(web(Tenant));
    const image = 'Logo must be a PNG, JPEG or WebP image';
    for (const [bytes, message] of [
      [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), image],
      [Buffer.from('GIF89a'), image],
      [pngOf([1, 2, 3], { width: 2049 }), 'Logo must be 1 to 2048 pixels wide and high'],
    ] as const)
      for (const record of [App, web(Tenant)])
        assertRefused(await save(record, { Logo: encode(bytes) }), 400, 'invalid_argument', [
          message,
        ]);
    const large = encode(pngOf([1, 2, 3], { size: 65 * 1024 }));
    assertRefused(await save(App, { Logo: large }), 400, 'invalid_argument');
    const Logo = encode(red);
    assertRefused(await save(App, { Logo }, bob.token), 403, 'permission_denied');
    const own = await newTenant(bob);
    assertRefused(await save({ ...App, Tenant: own }, { Logo }, bob.token), 400, 'not_found');
    assert.deepEqual([await storedOf(Tenant), await storedOf(own)], [0, 0]);
    assert.partialDeepStrictEqual(bodyOf(await read(Tenant, App.ID)), { App: { LogoPath: '' } });
  });

  test('of 20 saves at once, the stored facts and bytes are those of one', async () => {
    const Tenant = await newTenant();
    const { App } = await saved(web(Tenant));
    await Promise.all(
      Array.from({ length: 20 }, (_, at) => save(App, { Logo: encode(at % 2 === 0 ? red : blue) })),
    );
    const { App: now } = bodyOf(await read(Tenant, App.ID)) as {
      App: { LogoPath: string; LogoWidth: number };
    };
    assert.deepEqual(await bytesAt(now.LogoPath), now.LogoWidth === 48 ? blue : red);
  });

  test('is on the pages that ask about the app, and no other image may be', async () => {
    const Tenant = await newTenant();
    const { App, ClientSecret } = await saved(
      { ...web(Tenant), RequireConsent: true, Name: 'Wiki & <b>' },
      { Logo: encode(red) },
    );
    const device = await saved(
      { Tenant, Kind: 'device', Name: 'Television' },
      { Logo: encode(blue) },
    );
    const visitor = startVisitor(stack, ada.token);
    const config = await relyOn(stack, { ID: App.ID, secret: ClientSecret });
    const consent = await visitor.open((await ask(config, { redirect_uri: callback })).url);
    const codes = await client.initiateDeviceAuthorization(
      await relyOn(stack, { ID: device.App.ID, secret: '' }),
      { scope: 'openid' },
    );
    const question = await visitor.sendForm(await visitor.open('/device'), {
      user_code: codes.user_code,
    });
    for (const [page, record, size] of [
      [consent, App, 'width="160" height="48"'],
      [question, device.App, 'width="48" height="48"'],
    ] as const) {
      const [, src = '', rest = ''] =
        /<p id="app-logo"><img src="([^"]*)" alt="" ([^/]*) \/><\/p>/.exec(page.text) ?? [];
      assert.equal(new URL(src, page.url).href, `${stack.url}${record.LogoPath}`);
      assert.equal(rest, size);
    }
    await saved(App, { Logo: '' });
    const without = await visitor.open((await ask(config, { redirect_uri: callback })).url);
    assert.doesNotMatch(without.text, /<img/);
  });
});
