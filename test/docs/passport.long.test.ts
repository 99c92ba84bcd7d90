import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import type { Stack } from '../support/harness.ts';
import { takePort } from '../support/ports.ts';
import { sharedStack } from '../support/shared.ts';
import {
  type Account,
  type Application,
  assertFollowsSubject,
  assertRefusesOthers,
  type Owner,
  registerApp,
  startOwner,
} from './applications.ts';
import { readSection } from './connect-page.ts';
import { type Program, startCommand } from './guides/program.ts';

// Starts the program of docs/connect-applications.md in a new project, and signs people in to it.

const section = readSection('Express with Passport');

describe('Express with Passport', () => {
  const folders: string[] = [];
  const programs: Program[] = [];
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
  });
  after(async () => {
    for (const program of programs) program.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    await stack?.stop();
  });

  /** Makes a project with the page's commands. */
  function makeProject(): string {
    const cwd = mkdtempSync(path.join(tmpdir(), 'bailiwick-passport-'));
    folders.push(cwd);
    // The packages of the workspace in place of those that npm would install.
    symlinkSync(path.join(import.meta.dirname, '../node_modules'), path.join(cwd, 'node_modules'));
    const commands = section.blocks('sh').find((code) => code.startsWith('npm init')) ?? '';
    for (const line of commands.trim().split('\n'))
      if (!line.startsWith('npm install ')) execFileSync('sh', ['-c', line], { cwd });
    return cwd;
  }

  async function start(owner: Owner): Promise<Application> {
    const port = await takePort();
    const address = `127.0.0.1:${port}`;
    const { here, secret } = await registerApp(stack, section, owner, `http://${address}`);
    const cwd = makeProject();
    const code = here(section.files('js').get('app.js') ?? '');
    // This installation has no TLS, which the library refuses unless the program allows it.
    const local = code.replace(
      'OIDC_SECRET);',
      'OIDC_SECRET, undefined, { execute: [client.allowInsecureRequests] });',
    );
    assert.notEqual(local, code);
    writeFileSync(path.join(cwd, 'app.js'), local);
    const environment = {
      PORT: String(port),
      OIDC_SECRET: secret,
      SESSION_SECRET: 'a secret of this test',
    };
    const command = { command: process.execPath, args: ['app.js'], cwd };
    const program = await startCommand('app.js', command, address, environment);
    programs.push(program);
    return {
      url: program.url,
      begin: async (visit) => (await visit((await visit('/')).location)).location,
      async account(visit) {
        const { status, text } = await visit('/');
        return status === 200 ? (JSON.parse(text) as Account) : undefined;
      },
    };
  }

  test('a person signs in, and keeps the account when their address changes', async () => {
    const ada = await startOwner(stack);
    await assertFollowsSubject(stack, await start(ada), ada);
  });

  test('a callback signs no person in to another browser', async () => {
    const ada = await startOwner(stack);
    await assertRefusesOthers(stack, await start(ada), ada);
  });
});
