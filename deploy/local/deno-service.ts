import path from 'node:path';
import process from 'node:process';
import { denoEnvironment, denoRuntime } from './deno.ts';
import { root } from './paths.ts';
import { runInPlace } from './run-child.ts';
import { serviceNames } from './secrets.ts';

// deno task gateway, identity, …: runs one process on Deno, with the permissions that its settings
// need. The environment holds its settings: docs/configuration.md.

const name = process.argv[2] ?? '';
const names: readonly string[] = serviceNames;

if (name === 'migrate') {
  runInPlace(
    process.execPath,
    ['run', '--allow-all', '--no-lock', path.join(root, 'deploy/migrate.ts')],
    { ...process.env, ...denoEnvironment },
  );
} else if (names.includes(name)) {
  const script = path.join(
    root,
    name === 'gateway' ? 'gateway/main.ts' : `services/${name}/main.ts`,
  );
  const { command, args, env } = denoRuntime(process.execPath, {
    name,
    script,
    env: { ...process.env },
  });
  runInPlace(command, [...args, script], { ...process.env, ...env });
} else {
  process.stderr.write(`usage: deno task ${[...names, 'migrate'].join('|')}\n`);
  process.exit(2);
}
