import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf, readList } from '../../support/answers.ts';
import { type Bot, createBot, createKey } from '../../support/bots.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { exchangeFor, githubJob, newSigning, requestToken, saveTrust, trustIn } from './keyless.ts';

// The access tokens of bots at Bailiwick's own operations.

describeOne('the access token of a bot', 'five processes', (topology) => {
  let stack: Stack;
  let ada: { id: string; token: string };
  const signing = newSigning();
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  const call = async (name: string, body: object, token = ada.token) =>
    bodyOf(await stack.call(name, body, token));

  /** A bot that may read its tenant, with a key and a trust. */
  async function newBot(keyFields: object = {}) {
    const bot = await createBot(stack, await tenantFor(stack, ada.id), ada.token);
    const { Tenant, ID: Bot } = bot;
    await call('BotGrants_Add', { Grant: { Tenant, Bot, Role: 'auditor' } });
    const key = await createKey(stack, bot, ada.token, keyFields);
    const trust = await saveTrust(stack, trustIn(bot, githubJob(), signing.jwks), ada.token);
    return { bot, key, trust };
  }
  async function byKey({ bot, key }: Awaited<ReturnType<typeof newBot>>, scope?: string) {
    const form = { grant_type: 'client_credentials', ...(scope && { scope }) };
    const answer = await requestToken(stack, form, { id: bot.ID, secret: key.Secret });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return String(answer.body['access_token']);
  }
  async function byTrust(bot: Bot) {
    const answer = await exchangeFor(stack, bot.ID, signing.sign(githubJob()));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return String(answer.body['access_token']);
  }
  const read = async ({ Tenant, ID }: Bot, token: string) =>
    (await stack.call('Bots_Get', { Tenant, ID }, token)).status;

  test('has the rights of the bot in its tenant, within its scope', async () => {
    const its = await newBot();
    const { bot } = its;
    const other = await newBot();
    for (const token of [await byKey(its), await byTrust(bot)]) {
      assert.equal(await read(bot, token), 200);
      assert.equal(await read(other.bot, token), 403);
      const { Tenant } = bot;
      const write = { Bot: { Tenant, Name: 'another' } };
      assert.equal((await stack.call('Bots_Save', write, token)).status, 403);
      assert.notEqual((await stack.call('Account_Get', {}, token)).status, 200);
    }
    assert.equal(await read(bot, await byKey(its, 'iam.users.read')), 403);
    assert.equal(await read(bot, await byKey(its, 'iam.bots.*')), 200);
  });

  test('of a narrowed key has the permissions of the key only', async () => {
    const its = await newBot({ Permissions: ['iam.users.read', 'iam.bots.read'] });
    const { Tenant } = its.bot;
    const token = await byKey(its);
    assert.equal(await read(its.bot, token), 200);
    assert.equal((await stack.call('Roles_List', { Tenant }, token)).status, 403);
  });

  test('of a key with addresses works from these only', async () => {
    const its = await newBot({ AllowedIPs: ['192.0.2.7'] });
    const { Tenant, ID } = its.bot;
    const credentials = btoa(`${ID}:${its.key.Secret}`);
    const from = (ip: string) => ({ 'x-forwarded-for': ip });
    const answer = await fetch(`${stack.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, ...from('192.0.2.7') },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const readFrom = async (ip: string) =>
      (await stack.call('Bots_Get', { Tenant, ID }, token, from(ip))).status;
    assert.equal(await readFrom('192.0.2.7'), 200);
    assert.notEqual(await readFrom('192.0.2.8'), 200);
  });

  const endings: Record<string, (its: Awaited<ReturnType<typeof newBot>>) => Promise<unknown>> = {
    'its key is revoked, or its trust is deleted': async ({ bot: { Tenant }, key, trust }) => {
      const ExpiresAt = new Date(Date.now() - 1000).toISOString();
      await call('BotKeys_SetExpiration', { Tenant, ID: key.Key.ID, ExpiresAt });
      await call('BotTrusts_Delete', { Tenant, ID: trust });
    },
    'the bot is disabled': ({ bot }) => call('Bots_Save', { Bot: { ...bot, Active: false } }),
    'the bot is deleted': ({ bot: { Tenant, ID } }) => call('Bots_Delete', { Tenant, ID }),
    'its tenant is suspended': ({ bot: { Tenant } }) =>
      call('Tenants_Suspend', { Tenant }, stack.platformKey),
  };
  for (const [ending, end] of Object.entries(endings))
    test(`ends at once when ${ending}`, async () => {
      const its = await newBot();
      const tokens = [await byKey(its), await byTrust(its.bot)];
      for (const token of tokens) assert.equal(await read(its.bot, token), 200);
      await end(its);
      for (const token of tokens)
        assert.ok([401, 403].includes(await read(its.bot, token)), ending);
    });

  test('is named by its key or trust in the audit', async () => {
    const its = await newBot();
    const { Tenant } = its.bot;
    const denied = { Bot: { Tenant, Name: 'another' } };
    for (const token of [await byKey(its), await byTrust(its.bot)])
      assert.equal((await stack.call('Bots_Save', denied, token)).status, 403);
    await eventually('both denials in the audit', async () => {
      const { items } = await readList<{ Operation: string; CredentialID: string }>(
        stack,
        'Audit_List',
        { Tenant },
        ada.token,
      );
      const ofSave = items.filter(({ Operation }) => Operation === 'Bots_Save');
      return [its.key.Key.ID, its.trust].every((id) =>
        ofSave.some(({ CredentialID }) => CredentialID === id),
      );
    });
  });
});
