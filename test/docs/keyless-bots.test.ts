import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { parse } from 'yaml';
import { githubJob, gitlabJob, newSigning, times, verified } from '../sso/issuer/keyless.ts';
import { bodyOf, readList } from '../support/answers.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// Runs the commands and the workflows of docs/keyless-bots.md. A program stands in for kubectl, and
// the trusts in the forges get the keys of the test, because nothing outside is asked.

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const guide = read('docs/keyless-bots.md');
const blocks = (language: string) =>
  Array.from(
    guide.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g')),
    ([, code = '']) => code,
  );
const helpers =
  read('README.md')
    .match(/^(call|field)\(\).*$/gm)
    ?.join('\n') ?? '';

const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-keyless-'));
const stack = await sharedStack('one process');
const issuer = newSigning();
const server = createServer((request, response) => {
  const audience = new URL(request.url ?? '', 'http://a').searchParams.get('audience');
  assert.equal(request.headers.authorization, 'Bearer runner');
  response.end(
    JSON.stringify({ count: 1, value: issuer.sign({ ...job.github(), aud: audience }) }),
  );
});
after(async () => {
  server.close();
  rmSync(folder, { recursive: true });
  await stack.stop();
});

const job = {
  github: () => ({
    ...githubJob(),
    job_workflow_ref: 'acme/app/.github/workflows/deploy.yml@refs/heads/main',
  }),
  gitlab: () => ({ ...gitlabJob(), aud: stack.url }),
  cluster: () => ({
    iss: 'https://kubernetes.default.svc.cluster.local',
    aud: [stack.url],
    sub: 'system:serviceaccount:ci:deployer',
    'kubernetes.io': { namespace: 'ci', serviceaccount: { name: 'deployer' } },
    ...times(),
  }),
};

const variables: Record<string, string> = {};
/** Runs a command with the variables of the earlier ones. Returns its output. */
async function sh(code: string, more: Record<string, string> = {}): Promise<string> {
  const env = {
    ...process.env,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    no_proxy: loopback,
    api: stack.url,
    ...variables,
    ...more,
  };
  const script = `${helpers}\n${code}\nprintf %s "\${bot-}" > bot`;
  const options = { cwd: folder, env, timeout: 60_000 };
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options);
  variables['bot'] = readFileSync(path.join(folder, 'bot'), 'utf8');
  return stdout;
}

const tokenFrom = (access_token: string) => verified(stack, { access_token });

test('the commands and workflows of docs/keyless-bots.md get tokens of the bot', async () => {
  const owner = await signUp(stack);
  const tenant = await createTenant(stack, owner.token);
  Object.assign(variables, { token: owner.token, tenant });
  writeFileSync(
    path.join(folder, 'kubectl'),
    `#!/bin/sh
case "$*" in
  *openid-configuration) echo '${JSON.stringify({ issuer: job.cluster().iss, jwks_uri: 'x' })}' ;;
  *jwks) echo '${issuer.jwks}' ;;
  "create token deployer --namespace ci --audience ${stack.url} --duration 10m")
    echo '${issuer.sign(job.cluster())}' ;;
  *) exit 1 ;;
esac
`,
  );
  chmodSync(path.join(folder, 'kubectl'), 0o755);
  const [create = '', cluster = '', exchange = '', github = '', gitlab = '', use = '', ...rest] =
    blocks('sh');
  assert.deepEqual(rest, []);
  await sh(create);
  assert.match(variables['bot'] ?? '', /^bot_/);
  await sh(cluster);
  const answer = JSON.parse(await sh(exchange)) as Record<string, unknown>;
  const [json = ''] = blocks('json');
  const { access_token: example, ...expected } = JSON.parse(json) as Record<string, unknown>;
  assert.match(String(example), /^eyJ/);
  const { access_token: token, ...fields } = answer;
  assert.deepEqual(fields, expected);
  assert.equal((await tokenFrom(String(token))).sub, variables['bot']);

  const { Page } = JSON.parse(await sh(use)) as { Page: { Items: Array<{ ID: string }> } };
  assert.deepEqual(
    Page.Items.map(({ ID }) => ID),
    [variables['bot']],
  );

  for (const command of [github, gitlab]) await sh(command);
  const request = { Tenant: tenant, Bot: variables['bot'] };
  const { items } = await readList<object>(stack, 'BotTrusts_List', request, owner.token);
  assert.equal(items.length, 3);
  for (const trust of items) {
    const Trust = { ...trust, JWKS: issuer.jwks };
    bodyOf(await stack.call('BotTrusts_Save', { Trust }, owner.token));
  }
  const [pod, action, pipeline] = blocks('yaml').map((text) => parse(text) as unknown);
  assert.equal((pod as { kind: string }).kind, 'Pod');
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const ofForge = { BAILIWICK: stack.url, BOT: variables['bot'] ?? '' };
  const { steps } = (action as { jobs: { deploy: { steps: Array<{ run: string }> } } }).jobs.deploy;
  await sh(steps.map(({ run }) => run).join('\n'), {
    ...ofForge,
    GITHUB_ENV: path.join(folder, 'env'),
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'runner',
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://${loopback}:${(server.address() as AddressInfo).port}/?api-version=2.0`,
  });
  const [, ofAction = ''] =
    /^BAILIWICK_TOKEN=(.+)$/m.exec(readFileSync(path.join(folder, 'env'), 'utf8')) ?? [];
  assert.equal((await tokenFrom(ofAction)).sub, variables['bot']);
  const { script } = (pipeline as { deploy: { script: string[] } }).deploy;
  const ofPipeline = await sh([...script, 'printf %s "$BAILIWICK_TOKEN"'].join('\n'), {
    ...ofForge,
    JOB_TOKEN: issuer.sign(job.gitlab()),
  });
  assert.equal((await tokenFrom(ofPipeline)).sub, variables['bot']);
});
