import process from 'node:process';
import { denoEnvironment, denoTest, unitTests } from './deno.ts';
import { root } from './paths.ts';
import { runInPlace } from './run-child.ts';

// deno task test [FILE …]: runs the tests that need no running product under Deno's own runner. The
// others need Node's runner: npm test.

const chosen = process.argv.slice(2);

process.chdir(root);
runInPlace(process.execPath, [...denoTest, ...(chosen.length > 0 ? chosen : unitTests)], {
  ...process.env,
  ...denoEnvironment,
});
