import { join, relative } from 'node:path';
import process from 'node:process';
import { migrateSettings } from '../settings.ts';
import { foldPorts, type ProcessPlan, processTables, shapes } from '../shapes.ts';
import { buildConsole } from './built-console.ts';
import { createConsole } from './console.ts';
import { prepareFolder } from './data-folder.ts';
import { demoText, prepareDemo } from './demo/run.ts';
import { denoRuntime, findDeno } from './deno.ts';
import { createDiskWatch } from './disk-watch.ts';
import { environmentOf, type Ports, unknownNames, type Wiring } from './environment.ts';
import { type Inbox, startInbox } from './inbox/inbox.ts';
import { startInfrastructure } from './infrastructure.ts';
import { lockFolder } from './lock.ts';
import { runMigrations } from './migrate.ts';
import { makeOperatorLink, mayShowLink } from './operator-link.ts';
import { type Options, readOptions, UsageError } from './options.ts';
import { root } from './paths.ts';
import { assertPortFree, freePort, freePorts, loopback } from './ports.ts';
import { type ManagedProcess, type Runtime, startProcess } from './processes.ts';
import { waitUntilReady } from './ready.ts';
import { ensureInstallation, ensureSecrets, type ServiceName, serviceNames } from './secrets.ts';
import { createShutdown } from './shutdown.ts';

const console = createConsole();
const shutdown = createShutdown(console.say);
const stopping = new AbortController();

async function main(): Promise<number> {
  let unlock = (): void => {};
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    assertKnownVariables();
    prepareFolder(options.dataDir);
    unlock = lockFolder(options.dataDir);
    await watchDisk(options.dataDir);
    await assertPortFree(options.gatewayPort, 'the gateway', 'PORT');
    await assertPortFree(options.inboxPort, 'the inbox', 'BAILIWICK_INBOX_PORT');
    const wiring = await bringUp(options);
    const link = await operatorLink(wiring);
    stopping.signal.throwIfAborted();
    console.print(summary(options, wiring, link));
    await new Promise((stop) => stopping.signal.addEventListener('abort', stop));
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    console.say(describe(error));
    return error instanceof UsageError ? 2 : 1;
  } finally {
    await shutdown.stop();
    unlock();
  }
}

/** Before the database starts, which a full disk would end. */
async function watchDisk(folder: string): Promise<void> {
  const watch = createDiskWatch({ folder, say: console.say });
  await watch.check();
  watch.start();
  stopping.signal.addEventListener('abort', watch.stop);
}

function assertKnownVariables(): void {
  const unknown = unknownNames(processTables, process.env);
  if (unknown.length > 0)
    throw new UsageError(
      `no process reads ${unknown.join(', ')}: correct the spelling, or unset it`,
    );
}

/** Only for a person at a terminal: see `mayShowLink`. */
const operatorLink = async (wiring: Wiring): Promise<string | undefined> =>
  mayShowLink(process.stdout, wiring, process.env)
    ? makeOperatorLink(wiring, process.env, console.say)
    : undefined;

const sizes = { services: 'five processes', compact: 'two processes', single: 'one process' };

type Running = Wiring & Pick<Inbox, 'url'>;

async function bringUp(options: Options): Promise<Running> {
  console.say(`starting Bailiwick (${sizes[options.shape]}${options.deno ? ' on Deno' : ''}) …`);
  const deno = options.deno ? await findDeno(console.say, { signal: stopping.signal }) : undefined;
  const secrets = ensureSecrets(options.dataDir);
  const hasConsole = process.env['BAILIWICK_CONSOLE'] !== 'false';
  const built = hasConsole ? buildConsole(console.say) : undefined;
  const infrastructure = await startInfrastructure(options, {
    shutdown,
    say: console.say,
    signal: stopping.signal,
  });
  stopping.signal.throwIfAborted();
  const inbox = await startInbox({
    httpPort: options.inboxPort,
    templatesDir: process.env['BAILIWICK_MAIL_TEMPLATES_DIR'] ?? '',
  });
  shutdown.add({ what: 'the inbox', stop: inbox.stop, kill: inbox.stop });
  const wiring = await wire(options, { ...infrastructure, smtpUrl: inbox.smtpUrl, secrets });
  await runMigrations(
    environmentOf('access', migrateSettings, wiring, process.env),
    console,
    stopping.signal,
  );
  const { say } = console;
  await prepareDemo({ options, wiring, inboxUrl: inbox.url, say, signal: stopping.signal });
  await built;
  const processes = startProcesses(options, wiring, deno);
  const admins = new Set(serviceNames.map((name) => wiring.ports[name].admin));
  await waitUntilReady(
    [wiring.ports.gateway.rpc, ...admins].map((port) => `http://${loopback}:${port}/readyz`),
    processes,
    stopping.signal,
  );
  return { ...wiring, url: inbox.url };
}

async function wire(
  options: Options,
  servers: Pick<Wiring, 'databaseUrl' | 'natsUrl' | 'smtpUrl' | 'secrets'>,
): Promise<Wiring> {
  const gatewayPort = options.gatewayPort === 0 ? await freePort() : options.gatewayPort;
  const free = await freePorts(3 * serviceNames.length);
  const port = (): number => free.pop() as number;
  const portsOf = (name: ServiceName): Ports => ({
    rpc: name === 'gateway' ? gatewayPort : port(),
    grpc: port(),
    admin: port(),
  });
  const ports = foldPorts(
    options.shape,
    Object.fromEntries(serviceNames.map((name) => [name, portsOf(name)])) as Wiring['ports'],
  );
  // Browsers refuse passkeys on pages with an IP address.
  const publicUrl = process.env['BAILIWICK_PUBLIC_URL'] ?? `http://localhost:${gatewayPort}`;
  const installationId = ensureInstallation(options.dataDir);
  // The disk is the same, and a process on Deno may read this folder: it must hold no secret.
  const dataDir = join(options.dataDir, 'logs');
  return { host: loopback, publicUrl, ports, dataDir, installationId, ...servers };
}

/** Starts the processes, and the one with the gateway last, so that it is the first to stop. */
function startProcesses(
  options: Options,
  wiring: Wiring,
  deno: string | undefined,
): ManagedProcess[] {
  const run = (plans: readonly ProcessPlan[], what: string): ManagedProcess[] => {
    const started = plans.map((plan) => {
      const { name, services, settings, script } = plan;
      const env = environmentOf(services[0], settings, wiring, process.env);
      const runtime = runtimeOf(options, { services, env }, deno);
      const spec = { name, script: join(root, script), env, runtime };
      return startProcess(spec, { logDir: join(options.dataDir, 'logs'), console });
    });
    const every = (end: (one: ManagedProcess) => unknown) => Promise.all(started.map(end));
    shutdown.add({
      what,
      stop: () => every((one) => one.stop()),
      kill: () => every((one) => one.kill()),
    });
    return started;
  };
  const plans: readonly ProcessPlan[] = shapes[options.shape];
  const isFront = ({ services }: ProcessPlan): boolean => services.includes('gateway');
  const services = run(
    plans.filter((plan) => !isFront(plan)),
    'a service',
  );
  return [...services, ...run(plans.filter(isFront), 'the gateway')];
}

/** The program that runs a process; undefined = this Node. */
function runtimeOf(
  { watch }: Options,
  spec: Parameters<typeof denoRuntime>[1],
  deno?: string,
): Runtime | undefined {
  if (deno !== undefined) return denoRuntime(deno, spec);
  const args = ['--watch', '--watch-preserve-output'];
  return watch ? { command: process.execPath, args } : undefined;
}

function summary(options: Options, running: Running, link: string | undefined): string {
  const folder = relative(process.cwd(), options.dataDir);
  const dataDir = folder === '' || folder.startsWith('..') ? options.dataDir : folder;
  const rows = [
    [
      'console',
      `${running.publicUrl}/console   ${options.demo ? 'sign in there as a person of the demo' : 'register there, and follow its first steps'}`,
    ],
    ['gateway', `${running.publicUrl}   sign-in, the API and its reference`],
    ['inbox', `${running.url}   what is mailed and posted ends there`],
    ['platform key', `${join(dataDir, 'platform-key')}   a file; keep its content secret`],
    ['database', withoutPassword(running.databaseUrl)],
    ['broker', running.natsUrl],
    ['data', `${dataDir}   keys, logs and data; delete it to start afresh`],
  ];
  return `
Bailiwick is running

${rows.map(([name, value]) => `  ${String(name).padEnd(14)} ${value}`).join('\n')}

${options.demo ? demoText() : ''}${link === undefined ? '' : operatorText(link)}Try:  curl -s ${running.publicUrl}/Audit_List -H 'Content-Type: application/json' \\
        -H "Authorization: Bearer $(cat ${join(dataDir, 'platform-key')})" -d '{}'

README.md has the first five minutes. Press Ctrl-C to stop.

`;
}

const operatorText = (
  link: string,
): string => `The platform has no operator yet. Open this link and sign in, and you become the first one. The link
works once, for one hour:

  ${link}

`;

/** The output may be recorded, by a terminal or a build: it must hold no secret. */
function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  const hint = url.password === '' ? '' : '   without its password';
  url.password = '';
  return `${url.href}${hint}`;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function requestStop(): void {
  if (stopping.signal.aborted) return;
  console.say('\nstopping …');
  stopping.abort();
}

// The terminal's Ctrl-C arrives as a signal. A `kill -INT` of npm alone arrives as a message
// through the bootstrap. A second Ctrl-C kills all remaining processes. `deno task` forwards the
// terminal's signal too, so that one Ctrl-C arrives twice within moments.
const repeatedAfterMs = 1000;
let firstInterrupt = 0; // of the signal alone: the bootstrap's message about it may arrive first
process.on('SIGINT', () => {
  firstInterrupt ||= Date.now();
  if (Date.now() - firstInterrupt < repeatedAfterMs) return requestStop();
  console.say('killing the remaining processes');
  void shutdown.kill().then(() => process.exit(130));
});
process.on('SIGTERM', requestStop);
process.on('SIGHUP', requestStop);
process.on('message', requestStop);
process.on('disconnect', requestStop);

process.exit(await main());
