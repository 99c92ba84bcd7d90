import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { foldPorts, shapes } from '../../shapes.ts';
import { tail } from '../daemon.ts';
import { environmentOf, type Wiring } from '../environment.ts';
import { isLoopbackOnly } from '../loopback.ts';
import { type Options, UsageError } from '../options.ts';
import { root } from '../paths.ts';
import { addressOf, cast, company, demoPassword } from './company.ts';
import { markComplete, markEmpty, readMark, removeClock, withDatabase } from './mark.ts';

// npm start -- --demo: fills a new data folder with a company before the processes start. A child
// process with all services does it, because its clock is not the present (clock.ts).

type Demo = {
  options: Pick<Options, 'demo' | 'databaseUrl' | 'dataDir'>;
  wiring: Wiring;
  inboxUrl: string;
  say(line: string): void;
  signal: AbortSignal;
};

/**
 * Fills the demo once, if this start asks for it. A start without --demo leaves an installation as
 * it is, too. @throws UsageError if the installation must not start, or is in use already
 */
export async function prepareDemo({ options, wiring, ...rest }: Demo): Promise<void> {
  await withDatabase(wiring.databaseUrl, async (client) => {
    const mark = await readMark(client);
    if (mark === undefined && !options.demo) return;
    if (!isLoopbackOnly(wiring, process.env))
      throw new UsageError(
        'the password of the demo, whose operator may do everything, is published: only this machine may reach it. Unset BAILIWICK_HOST and BAILIWICK_PUBLIC_URL, or start with another data folder and database',
      );
    const startAfresh = adviceFor(options);
    if (mark !== undefined) await removeClock(client);
    if (mark === 'complete') return;
    if (mark === 'filling')
      throw new UsageError(`an earlier filling of the demo was interrupted; ${startAfresh}`);
    await markEmpty(client, startAfresh);
    try {
      await fill({ options, wiring, ...rest });
      await markComplete(client);
    } finally {
      await removeClock(client);
    }
  });
}

const adviceFor = ({ databaseUrl }: Demo['options']): string =>
  databaseUrl === undefined
    ? 'delete the data folder, or set BAILIWICK_DATA to a new one, and start again'
    : 'drop the database that DATABASE_URL names, or name a new one, and start again';

async function fill({ options, wiring, inboxUrl, say, signal }: Demo): Promise<void> {
  say('filling the demo with 30 days of history …');
  const logDir = join(options.dataDir, 'logs');
  const logFile = join(logDir, 'demo.log');
  mkdirSync(logDir, { recursive: true });
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [join(root, 'deploy/local/demo/fill.ts'), inboxUrl], {
    stdio: ['ignore', log, log, 'ipc'], // It ends when the channel does.
    env: environmentFor(wiring),
  });
  closeSync(log);
  // Nothing of an interrupted filling is kept.
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  ).finally(() => signal.removeEventListener('abort', kill));
  signal.throwIfAborted();
  if (code !== 0)
    throw new Error(
      `filling the demo failed (${logFile}); ${adviceFor(options)}\n${tail(logFile, 2)}`,
    );
}

/** Settings of the user for where and how processes listen, which fill.ts does not follow. */
const listening =
  /^BAILIWICK_(?:HOST|RPC|RPC_PORT|ADMIN_PORT|GRPC_PORT|TLS_\w+|\w+_URL|PRE_DRAIN_MS)$/;

function environmentFor(wiring: Wiring) {
  const [{ services, settings }] = shapes.single;
  const inherited = Object.entries(process.env).filter(([name]) => !listening.test(name));
  return environmentOf(
    services[0],
    settings,
    { ...wiring, ports: foldPorts('single', wiring.ports) },
    {
      ...Object.fromEntries(inherited),
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8',
    },
  );
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
