import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import * as client from 'openid-client';
import { ask, createApp, exchange, relyOn } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// Registers the apps of docs/issuer.md and docs/apps.md, signs in with them, and runs their commands.

const read = (file: string) => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8');
const page = read('docs/issuer.md');
const commands = (text: string) =>
  Array.from(text.matchAll(/```sh\n([^]*?)```/g), ([, code = '']) => code);

describe('docs/issuer.md and docs/apps.md', () => {
  let stack: Stack;
  let ada: Awaited<ReturnType<typeof signUp>>;
  let tenant: string;
  before(async () => {
    stack = await sharedStack('one process');
    ada = await signUp(stack);
    tenant = await createTenant(stack, ada.token);
  });
  after(() => stack?.stop());

  /** The fields of the app that a command of the page registers. */
  const appOf = (command = '') => {
    const [, json = '{}'] = /^bailiwick Apps_Save --App '(\{[^']*\})'$/m.exec(command) ?? [];
    return JSON.parse(json) as { Name?: string; RedirectURIs?: string[]; Scopes: string[] };
  };
  const none = { RedirectURIs: [], PostLogoutRedirectURIs: [], Resources: [] };

  async function sh(code: string, variables: Record<string, string>): Promise<unknown> {
    const env = { ...process.env, no_proxy: loopback, ...variables };
    const options = { env, timeout: 60_000 };
    return JSON.parse((await promisify(execFile)('bash', ['-euc', code], options)).stdout);
  }

  test('the registered app signs people in, with a refresh token', async () => {
    const [register] = commands(page);
    const fields = appOf(register);
    assert.equal(fields.Name, 'Grafana');
    const config = await relyOn(stack, await createApp(stack, { ...none, ...fields }));
    const [redirect_uri = ''] = fields.RedirectURIs ?? [];
    const request = await ask(config, { redirect_uri, scope: fields.Scopes.join(' ') });
    const tokens = await exchange(
      config,
      request,
      await startVisitor(stack, ada.token).open(request.url),
    );
    assert.deepEqual([tokens.claims()?.sub, tokens.claims()?.['email']], [ada.id, ada.email]);
    assert.ok(tokens.refresh_token);
  });

  test('the registered device gets tokens with what kubelogin asks for', async () => {
    const [, register, kubelogin = ''] = commands(page);
    const fields = appOf(register);
    const app = await createApp(stack, { ...none, ...fields });
    const flags = [...kubelogin.matchAll(/--([\w-]+)=(\S+)/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    const { 'grant-type': grantType, 'oidc-issuer-url': issuer } = Object.fromEntries(
      flags,
    ) as Record<string, string>;
    assert.deepEqual([grantType, issuer], ['device-code', 'https://id.example.com']);
    const extra = flags.flatMap(([name, value]) => (name === 'oidc-extra-scope' ? [value] : []));
    assert.deepEqual(new Set(['openid', ...extra]), new Set(fields.Scopes));
    const config = await relyOn(stack, app);
    const codes = await client.initiateDeviceAuthorization(config, {
      scope: `openid ${extra.join(' ')}`,
    });
    const visitor = startVisitor(stack, ada.token);
    const { user_code } = codes;
    const question = await visitor.sendForm(await visitor.open('/device'), { user_code });
    await visitor.sendForm(question, { confirm: 'yes' });
    const tokens = await client.pollDeviceAuthorizationGrant(config, { ...codes, interval: 0 });
    assert.deepEqual([tokens.claims()?.sub, tokens.claims()?.['groups']], [ada.id, []]);
    assert.ok(tokens.refresh_token);
  });

  test('a token for Bailiwick calls the operation of its scope', async () => {
    const [, , , call = ''] = commands(page);
    const scope = 'iam.groups.read';
    const app = await createApp(stack, { Scopes: ['openid', scope], Resources: [stack.url] });
    const parameters = { scope: `openid ${scope}`, resource: stack.url };
    const config = await relyOn(stack, app);
    const asking = await ask(config, parameters);
    const arrival = await startVisitor(stack, ada.token).open(asking.url);
    const tokens = await exchange(config, asking, arrival, { resource: stack.url });
    const code = call.replace('https://id.example.com', stack.url).replace('tnt_…', tenant);
    const { Page } = (await sh(code, { access_token: tokens.access_token })) as {
      Page: { Items: unknown[] };
    };
    assert.deepEqual(Page.Items, []);
  });

  test('the app of docs/apps.md is registered in the tenant, and its secret is shown', async () => {
    const [register = '', ...rest] = commands(read('docs/apps.md'));
    assert.deepEqual(rest, []);
    const helpers =
      read('README.md')
        .match(/^(call|field)\(\).*$/gm)
        ?.join('\n') ?? '';
    const variables = { api: stack.url, token: ada.token, tenant };
    const { App, ClientSecret } = (await sh(`${helpers}\n${register}`, variables)) as {
      App: { ID: string; Tenant: string };
      ClientSecret: string;
    };
    assert.equal(App.Tenant, tenant);
    assert.match(ClientSecret, /^bwka_/);
    bodyOf(await stack.call('Apps_Get', { Tenant: tenant, ID: App.ID }, ada.token));
  });

  test('every command of the pages is run', () => assert.equal(commands(page).length, 4));
});
