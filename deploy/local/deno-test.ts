import { globSync } from 'node:fs';
import process from 'node:process';
import { denoEnvironment } from './deno.ts';
import { root } from './paths.ts';
import { runInPlace } from './run-child.ts';

// deno task test [FILE …]: runs the tests that need no running product under Deno's own runner. The
// others need Node's runner: npm test.

const chosen = process.argv.slice(2);
const found = globSync('{services,gateway,proto}/**/*.test.ts', {
  cwd: root,
  exclude: (name) => name.includes('node_modules'),
});
const files =
  chosen.length > 0 ? chosen : found.filter((file) => !file.endsWith('.long.test.ts')).sort();

process.chdir(root);
runInPlace(process.execPath, ['test', '--allow-all', '--no-check', '--cached-only', ...files], {
  ...process.env,
  ...denoEnvironment,
});
