import path from 'node:path';
import process from 'node:process';
import { shapes } from '../shapes.ts';
import { denoEnvironment, denoRuntime } from './deno.ts';
import { root } from './paths.ts';
import { runInPlace } from './run-child.ts';
import { serviceNames } from './secrets.ts';

// deno task gateway, identity, …: runs one process on Deno, with the permissions that its settings
// need. The environment holds its settings: docs/configuration.md.

const name = process.argv[2] ?? '';
const plan = shapes.services.find((one) => one.name === name);

if (name === 'migrate') {
  runInPlace(
    process.execPath,
    ['run', '--allow-all', '--no-lock', path.join(root, 'deploy/migrate.ts')],
    { ...process.env, ...denoEnvironment },
  );
} else if (plan) {
  const { services, script } = plan;
  const { command, args, env } = denoRuntime(process.execPath, { services, env: process.env });
  runInPlace(command, [...args, path.join(root, script)], { ...process.env, ...env });
} else {
  process.stderr.write(`usage: deno task ${[...serviceNames, 'migrate'].join('|')}\n`);
  process.exit(2);
}
