import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { trySignal } from '@bailiwick/deploy/local/pids.ts';
import { serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import {
  isUp,
  npmStart,
  pressCtrlC,
  processesOf,
  temporaryFolder,
  until,
} from '@bailiwick/deploy/local/testing.ts';
import { verifier } from '@bailiwick/server/server.ts';
import { refreshTokenGrant } from 'openid-client';
import { doMainJob } from '../main-job.ts';
import { ask, createApp, relyOn, resource, signInWith } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { type OwnStack, startStack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { deno, skip } from './deno.ts';

const commandOf = (pid: number): string =>
  execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });

describe('five processes on Deno', { skip }, () => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack('five processes', {}, { deno });
  });
  after(() => stack?.stop());

  test('they write no files, start no programs and load no remote code', () => {
    for (const service of serviceNames) {
      const command = commandOf(stack.pid(service));
      assert.match(command, /\bdeno run .*--no-remote --cached-only --no-prompt /, service);
      assert.doesNotMatch(
        command,
        / (-A|--allow-(all|write|run|import|sys(?!=(hostname,networkInterfaces|statfs) )))\b/,
        service,
      );
      const readable = /--allow-read=(\S+)/.exec(command)?.[1]?.split(',') ?? [];
      assert.ok(!readable.includes(stack.folder), `${service} may read all keys`);
      assert.equal(
        command.includes('--allow-ffi='),
        service === 'identity',
        'password hashing is the only native code',
      );
      assert.equal(
        /--allow-net( |$)/.test(command),
        service === 'sso' || service === 'notifications',
        'only these call addresses that tenants choose',
      );
    }
  });

  test('the main flow: register, verify, sign in, create a tenant and an endpoint, save a group, and receive the signed event', async () => {
    await doMainJob(stack);
    for (const service of serviceNames)
      assert.doesNotMatch(stack.logOf(service), /NotCapable|Requires \w+ access/, service);
  });

  test('they serve the pages and answer the probes', async () => {
    for (const path of ['/verify', '/docs', '/openapi.json'])
      assert.equal((await fetch(`${stack.url}${path}`)).status, 200, path);
    for (const service of serviceNames)
      for (const probe of ['startupz', 'readyz', 'servingz', 'livez']) {
        const { status } = await fetch(
          `http://127.0.0.1:${stack.wiring.ports[service].admin}/${probe}`,
        );
        assert.equal(status, 200, `${service} ${probe}`);
      }
  });

  test('they sign a person in to an app, whose tokens a service verifies', async () => {
    const ada = await signUp(stack);
    const config = await relyOn(stack, await createApp(stack));
    const page = await startVisitor(stack).open((await ask(config)).url);
    assert.deepEqual([page.url.pathname, page.status], ['/login', 200]);
    const over = { scope: 'openid app.reports.read', resource };
    const { tokens } = await signInWith(stack, config, ada.token, over);
    const next = await refreshTokenGrant(config, tokens.refresh_token ?? '', { resource });
    const verify = verifier({ issuer: stack.url, audience: resource });
    assert.equal((await verify(next.access_token)).sub, ada.id);
    const metadata = await fetch(`${stack.url}/.well-known/authzen-configuration`);
    const { policy_decision_point: url } = (await metadata.json()) as Record<string, unknown>;
    assert.equal(url, stack.url);
    for (const service of serviceNames)
      assert.doesNotMatch(stack.logOf(service), /NotCapable|Requires \w+ access/, service);
  });
});

test('npm start -- --deno is ready when it says so, and Ctrl-C ends all of it with 0', {
  skip,
}, async (t) => {
  const dataDir = temporaryFolder(t);
  const run = npmStart(t, dataDir, { args: ['--deno'] });
  const { gateway } = await isUp(run);
  assert.equal((await fetch(`${gateway}/readyz`)).status, 200);
  pressCtrlC(run);
  assert.deepEqual(await run.ended, { code: 0, signal: null });
  assert.equal(run.output().match(/^\w+ +stopped$/gm)?.length, serviceNames.length, run.output());
  await until(() => processesOf(dataDir).length === 0);
});

for (const shape of ['--compact', '--single'])
  test(`npm start -- ${shape} --deno leaves nothing behind if all of its processes are killed`, {
    skip,
  }, async (t) => {
    const dataDir = temporaryFolder(t);
    const run = npmStart(t, dataDir, { args: [shape, '--deno'] });
    await isUp(run);
    trySignal(-(run.child.pid ?? 0), 'SIGKILL');
    await until(() => processesOf(dataDir).length === 0);
  });
