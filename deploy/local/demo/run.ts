import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { foldPorts, shapes } from '../../shapes.ts';
import { tail } from '../daemon.ts';
import { environmentOf, type Wiring } from '../environment.ts';
import { UsageError } from '../options.ts';
import { root } from '../paths.ts';
import { clockSchema } from './clock-schema.ts';
import { addressOf, cast, company, demoPassword } from './company.ts';

// npm start -- --demo: fills a new data folder with a company before the processes start. A child
// process with all services does it, because its clock is not the present (clock.ts).

type Filling = {
  wiring: Wiring;
  inboxUrl: string;
  logDir: string;
  say(line: string): void;
  signal: AbortSignal;
};

/** Fills the demo once. A data folder that has it stays as it is. @throws UsageError if it has other users */
export async function fillDemo({ wiring, inboxUrl, logDir, say, signal }: Filling): Promise<void> {
  if (await isFilled(wiring.databaseUrl)) return;
  say('filling the demo with 30 days of history …');
  const [{ services, settings }] = shapes.single;
  const env = environmentOf(
    services[0],
    settings,
    { ...wiring, ports: foldPorts('single', wiring.ports) },
    { ...process.env, BAILIWICK_LIMITS: 'off', BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8' },
  );
  const logFile = join(logDir, 'demo.log');
  const child = spawn(process.execPath, [join(root, 'deploy/local/demo/fill.ts'), inboxUrl], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'], // It ends when the channel does.
    env,
    signal,
  });
  const log = createWriteStream(logFile, { flags: 'a' });
  child.stderr?.pipe(log, { end: false });
  if (child.stdout) void pipeline(child.stdout, log);
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  signal.throwIfAborted();
  if (code !== 0)
    throw new Error(`filling the demo failed (${logFile}); ${startAfresh}\n${tail(logFile, 2)}`);
  await removeClock(wiring.databaseUrl);
}

/** Only after the sessions that look for the clock have ended. */
async function removeClock(databaseUrl: string): Promise<void> {
  await withDatabase(databaseUrl, (client) => client.query(`drop schema ${clockSchema} cascade`));
}

const startAfresh = 'delete the data folder, or set BAILIWICK_DATA to a new one, and start again';

async function isFilled(databaseUrl: string): Promise<boolean> {
  const [state] = await withDatabase(databaseUrl, async (client) => {
    const { rows } = await client.query<Record<'hasClock' | 'hasCompany' | 'hasUsers', boolean>>(
      `select exists (select from pg_namespace where nspname = $1) as "hasClock",
              exists (select from access.tenant where slug = $2) as "hasCompany",
              exists (select from identity.user_account) as "hasUsers"`,
      [clockSchema, company.Slug],
    );
    return rows;
  });
  if (state?.hasClock)
    throw new UsageError(`an earlier filling of the demo was interrupted; ${startAfresh}`);
  if (state?.hasUsers && !state.hasCompany)
    throw new UsageError(`--demo fills a new data folder, and this one has users; ${startAfresh}`);
  return state?.hasCompany === true;
}

async function withDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Who can sign in to the demo, for the summary of the start. */
export const demoText = (): string => {
  const people = [
    [cast.owner, `owns ${company.Name}`],
    [cast.administrator, 'administers it'],
    [cast.auditor, 'may read everything in it'],
    [cast.member, 'is a member'],
    [cast.operator, 'operates the platform'],
  ] as const;
  const rows = people.map(([name, role]) => `  ${addressOf(name).padEnd(34)} ${role}`);
  return `The demo has these people, and more. The password of each is: ${demoPassword}

${rows.join('\n')}

`;
};
