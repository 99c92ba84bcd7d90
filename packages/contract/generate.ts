import { spawnSync } from 'node:child_process';
import { cp, glob, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';

/**
 * Lints the proto files and updates the files generated from them: proto/gen, gateway/openapi.json
 * and the generated code of the client and the command-line tool. With --check it changes nothing and
 * fails if a file is out of date.
 *
 * Files are generated into a temporary folder first: a running process never sees half of them, and a
 * file whose proto file was deleted is detected.
 */
const root = join(import.meta.dirname, '../..');
// The order matters: our plugins read our options through the generated code.
const passes = [
  { template: 'buf.gen.yaml', outputs: 'proto/gen/**/*.ts' },
  { template: 'buf.gen.openapi.yaml', outputs: 'gateway/openapi.json' },
  { template: 'buf.gen.client.yaml', outputs: 'packages/{client,cli}/gen/*.ts' },
];

const check = process.argv.includes('--check');
run('lint');
for (const { template, outputs } of passes) {
  for (const path of await update(template, outputs)) {
    console.log(check ? `out of date: ${path}` : `brought up to date: ${path}`);
    if (check) process.exitCode = 1;
  }
}

/** Generates, and copies the files that differ unless this is a check. Returns the paths that differ. */
async function update(template: string, outputs: string): Promise<string[]> {
  const fresh = await mkdtemp(join(tmpdir(), 'bailiwick-generate-'));
  try {
    run('generate', '--template', template, '--output', fresh);
    const paths = new Set([
      ...(await listOutputs(root, outputs)),
      ...(await listOutputs(fresh, outputs)),
    ]);
    const differing: string[] = [];
    for (const path of [...paths].sort()) {
      const content = await readIfThere(join(fresh, path));
      if (content === (await readIfThere(join(root, path)))) continue;
      differing.push(path);
      if (check) continue;
      if (content === undefined) await rm(join(root, path));
      else await cp(join(fresh, path), join(root, path));
    }
    return differing;
  } finally {
    await rm(fresh, { recursive: true });
  }
}

async function listOutputs(cwd: string, outputs: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const path of glob(outputs, { cwd })) paths.push(path);
  return paths;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs buf. Its plugins run on the same Node as this script. */
function run(...args: string[]): void {
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  const { status, error } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/@bufbuild/buf/bin/buf'), ...args],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, PATH: path },
    },
  );
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
