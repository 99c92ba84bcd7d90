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
import { doMainJob } from '../main-job.ts';
import { ask, createApp, relyOn } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { type OwnStack, startStack } from '../support/harness.ts';
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
        / (-A|--allow-(all|write|run|import|sys(?!=hostname,networkInterfaces )))\b/,
        service,
      );
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
      for (const probe of ['startupz', 'readyz', 'livez']) {
        const { status } = await fetch(
          `http://127.0.0.1:${stack.wiring.ports[service].admin}/${probe}`,
        );
        assert.equal(status, 200, `${service} ${probe}`);
      }
  });

  test('they publish the keys of the OpenID provider, and lead to the sign-in page', async () => {
    const jwks = await fetch(`${stack.url}/oauth/jwks`);
    const { keys } = (await jwks.json()) as { keys: unknown[] };
    assert.equal(keys.length, 2);
    const app = await createApp(stack);
    const { url } = await ask(await relyOn(stack, app));
    const page = await startVisitor(stack).open(url);
    assert.deepEqual([page.url.pathname, page.status], ['/login', 200]);
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

test('npm start -- --single --deno leaves nothing behind if all of its processes are killed', {
  skip,
}, async (t) => {
  const dataDir = temporaryFolder(t);
  const run = npmStart(t, dataDir, { args: ['--single', '--deno'] });
  await isUp(run);
  trySignal(-(run.child.pid ?? 0), 'SIGKILL');
  await until(() => processesOf(dataDir).length === 0);
});
