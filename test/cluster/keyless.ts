import assert from 'node:assert/strict';
import { exchangeFor, saveTrust, verified } from '../sso/issuer/keyless.ts';
import { bodyOf } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';

// A bot of a real cluster's workload: the API server signs a ServiceAccount's token, and Bailiwick
// verifies it with the keys that the trust got from there, as docs/keyless-bots.md says.

type Namespace = { name: string; kubectl: (...args: string[]) => Promise<string> };
type Owner = { token: string; tenant: string };

const audience = 'https://id.example.com';

/** A ServiceAccount gets a token of the bot that trusts it. No other account or audience does. */
export async function assertKeyless(
  { name, kubectl }: Namespace,
  stack: Pick<Stack, 'url' | 'call'>,
  { token: owner, tenant }: Owner,
): Promise<void> {
  for (const account of ['deployer', 'other']) await kubectl('create', 'serviceaccount', account);
  const tokenOf = async (account: string, ...args: string[]) =>
    (await kubectl('create', 'token', account, '--duration=10m', ...args)).trim();
  const bot = await createBot(stack, tenant, owner);
  const Grant = { Tenant: tenant, Bot: bot.ID, Role: 'auditor' };
  bodyOf(await stack.call('BotGrants_Add', { Grant }, owner));
  const { issuer: Issuer } = JSON.parse(
    await kubectl('get', '--raw', '/.well-known/openid-configuration'),
  ) as { issuer: string };
  const trust = {
    Tenant: tenant,
    Bot: bot.ID,
    Issuer,
    Audience: audience,
    Subject: `system:serviceaccount:${name}:deployer`,
    JWKS: await kubectl('get', '--raw', '/openid/v1/jwks'),
  };
  const ID = await saveTrust(stack, trust, owner);

  const subject = await tokenOf('deployer', `--audience=${audience}`);
  const answer = await exchangeFor(stack, bot.ID, subject);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const claims = await verified(stack, answer.body);
  assert.deepEqual([claims.sub, claims['credential'], claims['tenant']], [bot.ID, ID, tenant]);
  const token = String(answer.body['access_token']);
  const get = () => stack.call('Bots_Get', { Tenant: tenant, ID: bot.ID }, token);
  bodyOf(await get());

  for (const [title, other] of Object.entries({
    'another account': await tokenOf('other', `--audience=${audience}`),
    'another audience': await tokenOf('deployer', '--audience=https://other.example.com'),
    'the audience of the API server': await tokenOf('deployer'),
  })) {
    const { status, body } = await exchangeFor(stack, bot.ID, other);
    assert.deepEqual([status, body['error']], [400, 'invalid_request'], title);
  }
  bodyOf(await stack.call('BotTrusts_Delete', { Tenant: tenant, ID }, owner));
  assert.equal((await get()).status, 401);
  assert.equal((await exchangeFor(stack, bot.ID, subject)).status, 400);
}
