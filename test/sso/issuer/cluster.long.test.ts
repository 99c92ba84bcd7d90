import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { bodyOf } from '../../support/answers.ts';
import { type Bot, createBot } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { exchangeFor, saveTrust, verified } from './keyless.ts';

// A bot of a real cluster's workload. The cluster is that of BAILIWICK_TEST_KUBECONFIG; the test
// adds a namespace to it and removes it again.

const kubeconfig = process.env['BAILIWICK_TEST_KUBECONFIG'] ?? '';
const namespace = `bailiwick-${randomBytes(4).toString('hex')}`;

async function kubectl(...args: string[]): Promise<string> {
  const all = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, ...args];
  return (await promisify(execFile)('kubectl', all, { timeout: 60_000 })).stdout.trim();
}

if (kubeconfig === '')
  test('a ServiceAccount of a real cluster gets a token of a bot', {
    skip: 'BAILIWICK_TEST_KUBECONFIG names no cluster',
  });
else
  describeOne('a ServiceAccount of a real cluster', 'one process', (topology) => {
    let stack: Stack;
    let ada: { id: string; token: string };
    let bot: Bot;
    let trust: object;
    const audience = 'https://id.example.com';
    const tokenOf = (account: string, aud = audience) =>
      kubectl('create', 'token', account, `--audience=${aud}`, '--duration=10m');
    before(async () => {
      stack = await sharedStack(topology);
      ada = await signUp(stack);
      bot = await createBot(stack, await tenantFor(stack, ada.id), ada.token);
      await kubectl('create', 'namespace', namespace);
      for (const account of ['deployer', 'other'])
        await kubectl('create', 'serviceaccount', account);
      const { issuer } = JSON.parse(
        await kubectl('get', '--raw', '/.well-known/openid-configuration'),
      ) as { issuer: string };
      trust = {
        Tenant: bot.Tenant,
        Bot: bot.ID,
        Issuer: issuer,
        Audience: audience,
        Subject: `system:serviceaccount:${namespace}:deployer`,
        JWKS: await kubectl('get', '--raw', '/openid/v1/jwks'),
      };
    });
    after(async () => {
      await kubectl('delete', 'namespace', namespace, '--wait=false');
      await stack?.stop();
    });

    test('gets a token of the bot that trusts it, without a stored secret', async () => {
      const ID = await saveTrust(stack, trust, ada.token);
      const answer = await exchangeFor(stack, bot.ID, await tokenOf('deployer'));
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const { sub, credential, tenant } = await verified(stack, answer.body);
      assert.deepEqual([sub, credential, tenant], [bot.ID, ID, bot.Tenant]);
      const { Tenant, ID: Bot } = bot;
      const Grant = { Tenant, Bot, Role: 'auditor' };
      bodyOf(await stack.call('BotGrants_Add', { Grant }, ada.token));
      const token = String(answer.body['access_token']);
      bodyOf(await stack.call('Bots_Get', { Tenant, ID: Bot }, token));
    });

    test('gets none as another account, or with a token for another audience', async () => {
      for (const token of [
        await tokenOf('other'),
        await tokenOf('deployer', 'https://other.example.com'),
        await kubectl('create', 'token', 'deployer'),
      ]) {
        const { status, body } = await exchangeFor(stack, bot.ID, token);
        assert.deepEqual([status, body['error']], [400, 'invalid_request']);
      }
    });
  });
