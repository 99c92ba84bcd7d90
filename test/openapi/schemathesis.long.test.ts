import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { findPython } from '../support/python.ts';

// Checks openapi.json with Python's tools: the document is valid, and the product does what the document says.
// Each run sends the same requests, for about two minutes. With FUZZ_SECONDS it searches that long instead, with a random seed.

const { bin, reason } = await findPython('the tests of the OpenAPI document', [
  'schemathesis==4.32.5',
  'openapi-spec-validator==0.9.0',
]);
if (reason !== undefined) process.stderr.write(`\n${reason}\n`);
const seconds = process.env['FUZZ_SECONDS'];
const extent =
  seconds === undefined ? ['--seed', '1', '--max-examples', '30'] : ['--max-time', seconds];
/** On a machine that runs other tests too, the run takes twice as long. */
const limitMs = (300 + 2 * Number(seconds ?? 150)) * 1000;
const configuration = path.join(import.meta.dirname, 'schemathesis');
const python = path.join(bin ?? '', 'python');

describe('openapi.json and the product, checked with Python tools', {
  skip: reason ?? false,
}, () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  test('openapi-spec-validator accepts the document', async () => {
    const document = path.resolve(import.meta.dirname, '../../gateway/openapi.json');
    const { stdout } = await promisify(execFile)(python, [
      '-m',
      'openapi_spec_validator',
      document,
    ]);
    assert.match(stdout, /openapi\.json: OK/);
  });

  test('Schemathesis finds no server error, no undocumented answer, no refused valid and no accepted invalid request', {
    timeout: limitMs,
  }, async (t) => {
    const [{ token }, other] = await Promise.all([signUp(stack), signUp(stack)]);
    const environment = {
      BAILIWICK_TENANT: await createTenant(stack, token),
      BAILIWICK_SESSION: token,
      BAILIWICK_OTHER_SESSION: other.token,
      BAILIWICK_KEY: stack.platformKey,
      BAILIWICK_WORKER: stack.workerToken,
    };
    const { code, output, errors } = await runSchemathesis(
      stack,
      [...extent, '--phases', 'examples,coverage,fuzzing'],
      environment,
      t.signal,
    );
    assert.equal(code, 0, `${output}\n${errors.slice(-2000)}`);
    const [, selected, tested] = /Selected: \d+\/(\d+)\s+Tested: (\d+)/.exec(output) ?? [];
    assert.ok(selected !== undefined && tested === selected, output);
    // Requests without a credential are all rejected alike, and prove nothing.
    const [, succeeded] = /(\d+) operations succeeded/.exec(output) ?? [];
    assert.ok(
      Number(succeeded) >= 85,
      `only ${succeeded} operations answered 200 to a valid request\n${output}`,
    );
    t.diagnostic(
      `${tested} operations, ${succeeded} of them succeeded, ${/(\d+ generated)/.exec(output)?.[1]} requests`,
    );
  });
});

/** Runs Schemathesis in a folder of the stack. Its credentials go through the environment, which only its own hooks read. */
async function runSchemathesis(
  stack: Stack,
  options: readonly string[],
  environment: Record<string, string>,
  signal: AbortSignal,
) {
  const program = ['-c', 'from schemathesis.cli import schemathesis; schemathesis()'];
  const file = path.join(configuration, 'schemathesis.toml');
  const child = spawn(
    python,
    [
      ...program,
      '--no-color',
      '--config-file',
      file,
      'run',
      `${stack.url}/openapi.json`,
      ...options,
    ],
    {
      cwd: stack.folder,
      env: {
        ...process.env,
        ...environment,
        PYTHONPATH: configuration,
        PYTHONDONTWRITEBYTECODE: '1',
        NO_PROXY: '127.0.0.1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  // Kills it if the test times out.
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { output, errors, code };
}
