// The only file that has to run on an old Node and before the installation. It installs the
// workspace, finds a Node that can run TypeScript, and runs the script.
//
//   node deploy/local/bootstrap.mjs <script.ts> [arguments]
//
// On Deno (deno task …) it does the same without Node: Deno runs npm, and then the script itself.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const pnpm = 'pnpm@12.21.0';
/** Runs pnpm if there is no npx. */
const npm = 'npm@11.19.1';
const oldestHost = 20;
const oldestRuntime = 24;
/** Enough for a cold cache on a slow line. npm clients time out much earlier. */
const installLimitMs = 20 * 60_000;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const stampFile = join(root, 'node_modules/.bailiwick-installed');
const lockFile = join(tmpdir(), `bailiwick-install-${hash(root).slice(0, 16)}.lock`);
/**
 * Saves type stripping and compiling for every process after the first: a third of the start, and
 * 20 MB each.
 */
const compileCache = join(root, 'node_modules/.cache/bailiwick/compile');
const onDeno = 'deno' in process.versions;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function hash(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const major = (version) => Number(version.split('.', 1)[0]);

/**
 * The packages that a script needs. A start needs half of them. The tests, the checks, the site of
 * the documentation and the benchmarks need all.
 */
const scopeOf = (script) => (/^(\.\/)?deploy\/local\//.test(script) ? 'start' : 'all');
const startFilters = [
  'bailiwick...',
  '@bailiwick/deploy...',
  '@bailiwick/console...',
  '@bailiwick/containers',
];

/** The inputs of node_modules: the lock file, the platform of its binaries, and the scope. */
function stampOf(scope) {
  const lock = read(join(root, 'pnpm-lock.yaml')) || fail(`${root}/pnpm-lock.yaml is missing`);
  return `${hash(`${lock}\n${process.platform}-${process.arch}`)} ${scope}`;
}

const isInstalled = (scope) => [stampOf(scope), stampOf('all')].includes(read(stampFile));

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Two first starts of one clone would write the same node_modules, so the second one waits here.
 */
async function takeInstallLock() {
  const deadline = Date.now() + installLimitMs;
  for (;;) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      const release = () => rmSync(lockFile, { force: true });
      process.once('exit', release);
      return () => {
        process.off('exit', release);
        release();
      };
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(read(lockFile));
    // An empty file is being written right now, unless it stays empty.
    const age = Date.now() - (statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if ((holder === 0 && age > 10_000) || (holder !== 0 && !isAlive(holder)))
      rmSync(lockFile, { force: true });
    if (Date.now() > deadline)
      fail(`another install has held ${lockFile} for too long; remove it and try again`);
    await sleep(200);
  }
}

function runPnpm(scope) {
  const args = [
    'install',
    '--frozen-lockfile',
    '--config.confirm-modules-purge=false',
    ...(scope === 'start' ? ['--prod', ...startFilters.map((filter) => `--filter=${filter}`)] : []),
  ];
  const [command, before] = onDeno
    ? [
        process.execPath,
        ['run', '--allow-all', '--no-lock', `npm:${npm}`, 'exec', '--yes', pnpm, '--'],
      ]
    : ['npx', ['--yes', pnpm]];
  const denoFirst = onDeno ? [join(root, 'deploy/local/deno-bin'), dirname(process.execPath)] : [];
  const path = [...denoFirst, process.env.PATH].filter(Boolean).join(delimiter);
  return new Promise((done) => {
    const child = spawn(command, [...before, ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PATH: path },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) =>
      done({
        code: 1,
        output: error.code === 'ENOENT' ? 'npx was not found: install npm' : String(error),
      }),
    );
    child.on('close', (code) => done({ code: code ?? 1, output }));
  });
}

async function install(scope) {
  if (isInstalled(scope)) return;
  const release = await takeInstallLock();
  if (!isInstalled(scope)) {
    const began = Date.now();
    process.stderr.write('installing the workspace, once (about a minute) …\n');
    const notice = setInterval(
      () =>
        process.stderr.write(
          `still installing the workspace, ${Math.round((Date.now() - began) / 1000)} s …\n`,
        ),
      15_000,
    );
    const { code, output } = await runPnpm(scope);
    clearInterval(notice);
    if (code !== 0)
      fail(
        `${output.trim().split('\n').slice(-30).join('\n')}\n\ninstalling the workspace failed (npx ${pnpm} install)`,
      );
    writeFileSync(stampFile, stampOf(scope));
  }
  release();
}

/** The host's Node if it is new enough, else the Node that came with the workspace. */
function findRuntime() {
  if (major(process.versions.node) >= oldestRuntime) return process.execPath;
  const shipped = join(root, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(shipped)) return shipped;
  return fail(
    `Bailiwick runs on Node ${oldestRuntime} or newer; this is ${process.version}, and no package brings one ` +
      `for ${process.platform}-${process.arch}. Install Node ${oldestRuntime} and try again.`,
  );
}

/**
 * Outlives the script, so that the shell's prompt comes back only after everything has stopped.
 * Ctrl-C reaches the script directly, because it is in the same process group. A signal to this
 * process alone (`kill -INT`, npm) goes on as a message, which the script cannot mistake for a
 * second Ctrl-C.
 */
function run(runtime, script, args) {
  const path = [dirname(runtime), process.env.PATH].filter(Boolean).join(delimiter);
  const child = spawn(runtime, [resolve(root, script), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env, PATH: path },
  });
  process.on('SIGINT', () => child.connected && child.send('stop', () => {}));
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${runtime} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

const [script, ...args] = process.argv.slice(2);
if (major(process.versions.node) < oldestHost)
  fail(`Bailiwick needs Node ${oldestHost} or newer to start; this is ${process.version}`);
if (script === undefined) fail('usage: node deploy/local/bootstrap.mjs <script.ts> [arguments]');
await install(scopeOf(script));
if (onDeno) {
  // Runs in this process, with the script's own name and arguments in argv.
  process.argv.splice(1, 1);
  await import(pathToFileURL(resolve(root, script)).href);
} else {
  run(findRuntime(), script, args);
}
