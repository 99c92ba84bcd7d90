import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { type App, ask, callback, createApp, enter, relyOn } from './stage.ts';
import { type Arrival, startVisitor } from './visitor.ts';

// The sign-in page names the app whose authorization request has led to it.

const titleIn = ({ text }: Arrival) => /<title>([^<]*)<\/title>/.exec(text)?.[1];
const headingIn = ({ text }: Arrival) => /<h1[^>]*>([^<]*)<\/h1>/.exec(text)?.[1];

describeOne('the sign-in page of an app', 'one process', (topology) => {
  let stack: Stack;
  let ada: { id: string; token: string };
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  const newTenant = (name = 'Acme') => createTenant(stack, ada.token, name);
  async function open(app: App, over: Record<string, string> = {}) {
    const visitor = startVisitor(stack);
    const arrival = await visitor.open((await ask(await relyOn(stack, app), over)).url);
    return { visitor, arrival };
  }
  const again = ({ url }: Arrival) => startVisitor(stack).open(url);
  const assertPlain = (arrival: Arrival, message?: string) =>
    assert.deepEqual(
      [arrival.url.pathname, headingIn(arrival), titleIn(arrival)],
      ['/login', 'Sign in', 'Sign in · Bailiwick'],
      message,
    );

  test('names the app in heading and title, with the brand of the tenant or of the service', async () => {
    const { arrival: platform } = await open(await createApp(stack, { Name: 'Payroll' }));
    assert.equal(headingIn(platform), 'Sign in to Payroll');
    assert.equal(titleIn(platform), 'Sign in to Payroll · Bailiwick');

    const Tenant = await newTenant();
    const Branding = { Name: 'Acme Inc' };
    bodyOf(await stack.call('Tenants_Update', { Tenant: { ID: Tenant, Branding } }, ada.token));
    const { arrival: own } = await open(
      await createApp(stack, { Tenant, Name: 'Wiki' }, ada.token),
      { ui_locales: 'de' },
    );
    assert.equal(headingIn(own), 'Bei Wiki anmelden');
    assert.ok(titleIn(own)?.startsWith('Bei Wiki anmelden · Acme Inc'), titleIn(own));

    // Another tenant in the address does not lend its brand to the app.
    const { url } = platform;
    url.searchParams.set('tenant', Tenant);
    assert.equal(titleIn(await again(platform)), 'Sign in to Payroll · Bailiwick');
  });

  test('escapes the name, isolates it and cuts it', async () => {
    const { arrival } = await open(await createApp(stack, { Name: '</h1><script>alert(1)//"' }));
    const { text } = arrival;
    assert.ok(text.includes('>Sign in to &lt;/h1&gt;&lt;script&gt;alert(1)//&quot;</h1>'), text);
    assert.ok(text.includes('<title>Sign in to &lt;/h1&gt;&lt;script&gt;'), text);
    assert.ok(!text.includes('<script>alert'));
    const { arrival: foreign } = await open(await createApp(stack, { Name: 'חברה {{brand}}' }));
    assert.equal(headingIn(foreign), 'Sign in to \u2068חברה {{brand}}\u2069');
    const { arrival: long } = await open(await createApp(stack, { Name: 'W'.repeat(128) }));
    assert.equal(headingIn(long), `Sign in to ${'W'.repeat(63)}…`);
  });

  test('names no app of a tenant that is called like the service', async () => {
    const Tenant = await newTenant();
    const { arrival } = await open(
      await createApp(stack, { Tenant, Name: 'Bailiwick' }, ada.token),
    );
    assertPlain(arrival);
  });

  test('names no native app whose address any program can use', async () => {
    const loopback = 'http://127.0.0.1:1/callback';
    const app = await createApp(stack, {
      Name: 'Desk',
      Kind: 'native',
      RedirectURIs: [loopback, callback],
    });
    assertPlain((await open(app, { redirect_uri: loopback })).arrival);
    assert.equal(headingIn((await open(app)).arrival), 'Sign in to Desk');
  });

  test('names nothing for a request that is unknown or finished', async () => {
    const app = await createApp(stack);
    const known = await open(app);
    assert.equal(headingIn(known.arrival), 'Sign in to Reports');
    const unknown = new URL(known.arrival.url);
    unknown.searchParams.set('return_to', `/oauth/interaction/${'a'.repeat(21)}`);
    assertPlain(await startVisitor(stack).open(unknown), 'unknown');
    // Without a choice of tenants.
    const { token } = await signUp(stack);
    const { url } = await enter(known.visitor, known.arrival, token);
    assert.equal(url.origin, new URL(callback).origin);
    assertPlain(await again(known.arrival), 'finished');
    const { arrival } = await open(app, { redirect_uri: 'https://evil.example.test/' });
    assert.deepEqual([arrival.status, arrival.url.pathname], [400, '/oauth/authorize']);
  });

  test('names no app that is inactive meanwhile, nor one of a suspended tenant', async () => {
    const Tenant = await newTenant();
    const app = await createApp(stack, { Tenant, Name: 'Wiki' }, ada.token);
    const { arrival } = await open(app);
    const save = (Active: boolean) =>
      stack.call('Apps_Save', { App: { Tenant, ID: app.ID, Active } }, ada.token);
    assert.equal(headingIn(arrival), 'Sign in to Wiki');
    bodyOf(await save(false));
    assertPlain(await again(arrival), 'inactive');
    bodyOf(await save(true));
    assert.equal(headingIn(await again(arrival)), 'Sign in to Wiki');
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    assertPlain(await again(arrival), 'suspended');
  });
});
