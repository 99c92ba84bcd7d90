import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { addressOf, cast, company, demoPassword } from '@bailiwick/deploy/local/demo/company.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { bodyOf } from '../support/answers.ts';
import { callerOf } from '../support/harness.ts';

// The demo that the pictures show: started for them, or one that runs.

type Named = { ID: string; Name?: string; Slug?: string; Path?: string; UserID?: string };

export type Demo = Awaited<ReturnType<typeof lookAround>>;

/** Runs `npm start -- --demo` in a folder of its own. */
export async function startDemo(say: (line: string) => void) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-screenshots-'));
  const child = spawn('npm', ['start', '--silent', '--', '--single', '--demo'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      PORT: '0',
      BAILIWICK_INBOX_PORT: '0',
      BAILIWICK_DATA: folder,
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_DNS_RESOLVERS: '127.0.0.1:9',
    },
  });
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  let output = '';
  // The start goes on writing: a closed pipe would end it.
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    say(String(chunk).trim());
    if (output.includes('Press Ctrl-C')) break;
  }
  child.stdout.resume();
  const [, url] = /  gateway +(http\S+)/.exec(output) ?? [];
  if (url !== undefined) return { url, stop };
  await stop();
  throw new Error('the demo did not start');
}

/** Finds the records whose views are shown. */
export async function lookAround(url: string) {
  const call = callerOf(url);
  const signIn = async (Email: string) =>
    String(bodyOf(await call('Account_Login', { Email, Password: demoPassword }))['Token']);
  const [owner, operator] = [addressOf(cast.owner), addressOf(cast.operator)];
  const token = await signIn(owner);
  const list = async (operation: string, body: object): Promise<Named[]> => {
    const request = { ...body, Page: { Limit: 200 } };
    return (bodyOf(await call(operation, request, token))['Page'] as { Items: Named[] }).Items;
  };
  const mine = bodyOf(await call('Tenants_ListMine', {}, token));
  const Tenant = /tnt_\w+/.exec(JSON.stringify(mine))?.[0] ?? '';
  const named = async (operation: string, name: string): Promise<string> => {
    const items = await list(operation, { Tenant });
    return items.find((item) => JSON.stringify(item).includes(name))?.ID ?? '';
  };
  const { User: editor } = bodyOf(
    await call(
      'Users_GetByEmail',
      { Email: addressOf(cast.administrator) },
      await signIn(operator),
    ),
  ) as { User: Named };
  const endpoint = await named('Webhooks_ListEndpoints', 'Billing');
  const attempts = await call('Webhooks_ListAttempts', { Tenant, Endpoint: endpoint }, token);
  const { Items } = bodyOf(attempts)['Page'] as { Items: Array<{ Event: string }> };
  return {
    url,
    owner,
    operator,
    password: demoPassword,
    editor: editor.ID,
    /** The parameters of the views' addresses. */
    records: {
      tenant: company.Slug,
      member: editor.ID,
      bot: await named('Bots_List', 'Report service'),
      app: await named('Apps_List', 'Instrument Shop'),
      endpoint,
      message: Items[0]?.Event ?? '',
    } as Record<string, string>,
    /** The same for the views of the platform, where they differ. */
    platform: { 'tenants/$id': Tenant, 'users/$id': editor.ID } as Record<string, string>,
  };
}
