import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { environmentOf, memoryOptions } from '@bailiwick/deploy/local/environment.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { startProcess } from '@bailiwick/deploy/local/processes.ts';
import { settingTables } from '@bailiwick/deploy/settings.ts';
import { eventually } from '../../support/harness.ts';
import { choosePorts } from '../../support/own-stack.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

// A gateway beside the others whose clock is wrong. `shiftMs` is added to its time.

const silent = { say: () => {}, relay: () => {}, print: () => {} };

for (const topology of ['five processes', 'five processes over gRPC'] as const)
  test(`a gateway whose clock is 70 s behind refuses no valid credential, says why, and is not ready until its clock is right (${topology})`, async (t) => {
    const stack = await sharedStack(topology);
    t.after(() => stack.stop());
    const { token } = await signUp(stack);
    const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-clock-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const shift = path.join(folder, 'shift');
    writeFileSync(shift, '-70000');
    const preload = path.join(folder, 'preload.mjs');
    writeFileSync(
      preload,
      `import { readFileSync } from 'node:fs';
       const now = Date.now;
       Date.now = () => now() + Number(readFileSync('${shift}', 'utf8'));`,
    );
    const ports = await choosePorts();
    const env = {
      ...environmentOf(
        'gateway',
        settingTables.gateway,
        { ...stack.wiring, ports: { ...stack.wiring.ports, gateway: ports.gateway } },
        {
          ...process.env,
          BAILIWICK_LIMITS: 'off',
          ...(topology === 'five processes over gRPC' && { BAILIWICK_RPC: 'grpc' }),
        },
      ),
      NODE_OPTIONS: `${memoryOptions.NODE_OPTIONS} --import=${preload}`,
    };
    const spec = { name: 'gateway', script: path.join(root, 'gateway/main.ts'), env };
    const gateway = startProcess(spec, { logDir: folder, console: silent });
    t.after(() => gateway.stop());

    const admin = `http://${loopback}:${ports.gateway.admin}`;
    const readiness = async () => {
      const response = await fetch(`${admin}/readyz`).catch(() => undefined);
      return { status: response?.status, text: (await response?.text()) ?? '' };
    };
    const isReady = async () => (await readiness()).status === 200;
    const account = async (bearer: string) => {
      const response = await fetch(`http://${loopback}:${ports.gateway.rpc}/Account_Get`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
        body: '{}',
      });
      const { Code = '', Reason = '' } = (await response.json()) as Record<string, string>;
      return { status: response.status, Code, Reason };
    };

    await eventually(
      'a refused token',
      async () => {
        const answer = await account(token).catch(() => undefined);
        assert.notEqual(answer?.status, 401);
        return answer?.status === 500 && answer.Code === 'unavailable' && answer.Reason === '';
      },
      60_000,
    );
    assert.equal((await account('junk')).status, 401);
    await eventually('the reason', async () => {
      const { status, text } = await readiness();
      assert.notEqual(status, 200);
      return /refuses the caller tokens of this process: its clock is (69|70|71) s behind/.test(
        text,
      );
    });
    const lines = readFileSync(gateway.logFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('refuses the caller tokens'))
      .map((line) => JSON.parse(line) as { level: string; clockDifferenceMs: number });
    assert.equal(lines[0]?.level, 'error');
    const difference = lines[0]?.clockDifferenceMs ?? 0;
    assert.ok(difference < -60_000, String(difference));
    const metrics = await (await fetch(`${admin}/metrics`)).text();
    assert.match(
      metrics,
      /^bailiwick_caller_token_refusals_total\{[^}]*service="identity"[^}]*\} [1-9]/m,
    );

    writeFileSync(shift, '0');
    await eventually('the gateway to be ready again', isReady, 60_000);
    assert.equal((await account(token)).status, 200);
  });
