import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { conformanceVersion, findTool, lastWords, moduleFolder, run } from '../tools/go.ts';
import { callSuite } from './client.ts';
import { readSuite, type Suite } from './protos.ts';
import { serveSuite } from './server.ts';

// The hop between our processes, checked with Connect's own conformance suite: its clients call our
// listeners, and our transports call its servers. The YAML files declare what is supported, and
// client-known-failing.txt names what fails, with the reason. The runs take 20 s: one of the cases
// waits for the end of its call.

const limitMs = 240_000;

type SuiteSetup =
  | { command: string; suite: Suite; reason?: never }
  | { command?: never; suite?: never; reason: string };

/** The suite's runner, and its messages from the proto files of the same Go module. */
async function prepare(): Promise<SuiteSetup> {
  const { command, reason } = await findTool('connectconformance');
  if (command === undefined) return { reason };
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-conformance-'));
  try {
    const module = await moduleFolder('connectrpc.com/conformance', conformanceVersion);
    const image = path.join(folder, 'image.binpb');
    const buf = path.join(root, 'node_modules/@bufbuild/buf/bin/buf');
    await run(process.execPath, [buf, 'build', path.join(module, 'proto'), '-o', image]);
    return { command, suite: readSuite(readFileSync(image)) };
  } catch (error) {
    return { reason: `NOT TESTED: no messages of the conformance suite: ${lastWords(error)}` };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { command = '', suite, reason } = await prepare();
if (reason !== undefined) process.stderr.write(`\n${reason}\n`);

type Mode = 'client' | 'server';

/** Runs the suite against the part that exchanges messages with its runner. Returns its output. */
async function runSuite(
  mode: Mode,
  options: readonly string[],
  part: (runner: Socket) => Promise<void>,
): Promise<string> {
  const failures: unknown[] = [];
  const relayed = createServer({ allowHalfOpen: true }, (runner) => {
    part(runner.on('error', () => {})).then(
      () => runner.end(),
      (error: unknown) => failures.push(error),
    );
  });
  await once(relayed.listen(0, loopback), 'listening');
  const { port } = relayed.address() as AddressInfo;
  const program = [process.execPath, fileOf('relay.ts'), mode, String(port)];
  const output = await new Promise<string>((resolve) =>
    execFile(
      command,
      ['-v', '--mode', mode, '--conf', fileOf(`${mode}.yaml`), ...options, '--', ...program],
      { timeout: limitMs },
      (_error, out, problems) => resolve(out + problems),
    ),
  );
  relayed.close();
  assert.deepEqual(failures, []);
  return output;
}

const fileOf = (name: string) => path.join(import.meta.dirname, name);

/** The number of cases that ran, by protocol and version of HTTP. */
function countCases(output: string): Record<string, number> {
  const counts: Record<string, number> = {};
  const runs = output.matchAll(/^Running (\d+) tests .*\{HTTP_VERSION_(\d), PROTOCOL_(\w+),/gm);
  for (const [, count, version, protocol] of runs) {
    const wire = `${protocol} over HTTP/${version}`;
    counts[wire] = (counts[wire] ?? 0) + Number(count);
  }
  return counts;
}

/** Fails with the cases that failed, or that passed although they are known to fail. */
function assertPassed(output: string): void {
  assert.deepEqual(output.match(/^FAILED: .*(\n\t.*)*/gm) ?? [], []);
  assert.match(output, /^\d+ passed, 0 failed$/m, output);
}

describe('the hop between processes, checked with connectconformance', {
  skip: reason ?? false,
}, () => {
  test('the transports pass the suite', { timeout: limitMs }, async () => {
    const flags = ['--known-failing', `@${fileOf('client-known-failing.txt')}`];
    const output = await runSuite('client', flags, (runner) => callSuite(suite as Suite, runner));
    assertPassed(output);
    // Fewer would mean that the declaration leaves cases out.
    assert.deepEqual(countCases(output), { 'CONNECT over HTTP/1': 55, 'GRPC over HTTP/2': 83 });
  });

  test('the listeners pass the suite, without a known failure', { timeout: limitMs }, async () => {
    const output = await runSuite('server', [], (runner) => serveSuite(suite as Suite, runner));
    assertPassed(output);
    assert.deepEqual(countCases(output), {
      'CONNECT over HTTP/1': 168,
      'GRPC_WEB over HTTP/1': 107,
      'CONNECT over HTTP/2': 168,
      'GRPC over HTTP/2': 156,
      'GRPC_WEB over HTTP/2': 107,
    });
  });
});
