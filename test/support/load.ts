import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { Pool } from 'undici';
import { type Replica, watchReadiness } from './balancer.ts';
import type { Stack } from './harness.ts';
import { createTenant, signUp } from './people.ts';

// Generates the load of many clients while a test runs.

/**
 * A slow machine gets fewer requests, since this tests failures and not speed. If all of them change
 * one row, and each change takes half a second, none waits for the ten seconds after which a call
 * is answered with 429.
 */
const maxInFlight = 16;

export type Request = { operation: string; body: object; token?: string };
type Load = { gateways: readonly Replica[]; rate: number; requestOf: (turn: number) => Request };

/** A repeating mix of requests, mostly reads. */
export async function requestsOf(stack: Stack): Promise<(turn: number) => Request> {
  const { token, email } = await signUp(stack);
  const tenant = await createTenant(stack, token);
  const pathOf = (turn: number) => `team-${turn % 20}`;
  const save = (turn: number) => ({
    Group: { Tenant: tenant, Path: pathOf(turn), Description: `turn ${turn}` },
  });
  for (let turn = 0; turn < 20; turn++)
    assert.equal((await stack.call('Groups_Save', save(turn), token)).status, 200);
  const mix: ReadonlyArray<(turn: number) => Request> = [
    () => ({ operation: 'Account_Get', body: {}, token }),
    (turn) => ({ operation: 'Groups_Save', body: save(turn), token }),
    () => ({ operation: 'Groups_List', body: { Tenant: tenant }, token }),
    (turn) => ({ operation: 'Groups_Get', body: { Tenant: tenant, Path: pathOf(turn) }, token }),
    () => ({ operation: 'Sso_Check', body: { Email: email } }),
    () => ({ operation: 'Account_Get', body: {}, token }),
    (turn) => ({ operation: 'Groups_Save', body: save(turn), token }),
    () => ({ operation: 'Webhooks_ListEndpoints', body: { Tenant: tenant }, token }),
  ];
  return (turn) => (mix[turn % mix.length] ?? assert.fail())(turn);
}

/**
 * Sends `rate` requests a second until `meanwhile` ends, each once and to the next ready gateway,
 * as a load balancer does.
 */
export async function loadWhile(
  { gateways, rate, requestOf }: Load,
  meanwhile: () => Promise<void>,
) {
  const readiness = watchReadiness(gateways);
  await readiness.probed;
  const pools = new Map(
    gateways.map((gateway) => [
      gateway,
      new Pool(`http://${loopback}:${gateway.port}`, { connections: 64 }),
    ]),
  );
  const failures: string[] = [];
  const took: number[] = [];
  const send = async (turn: number) => {
    const ready = readiness.ready();
    const pool = pools.get(ready[turn % ready.length] ?? (gateways[0] as Replica)) as Pool;
    const { operation, body, token } = requestOf(turn);
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const began = performance.now();
    try {
      const answer = await pool.request({
        method: 'POST',
        path: `/${operation}`,
        headers,
        body: JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) failures.push(`${operation}: ${answer.statusCode} ${text}`);
    } catch (error) {
      failures.push(`${operation}: ${String(error)}`);
    }
    took.push(performance.now() - began);
  };
  const inFlight = new Set<Promise<void>>();
  let requests = 0;
  let stopped = false;
  const began = performance.now();
  const sendOn = async () => {
    for (let due = began; !stopped; await sleep(5)) {
      const now = performance.now();
      // Late requests are skipped and not sent in a burst.
      for (
        due = Math.max(due, now - 100);
        due < now && inFlight.size < maxInFlight;
        due += 1000 / rate
      ) {
        const one = send(requests++).finally(() => inFlight.delete(one));
        inFlight.add(one);
      }
    }
    await Promise.all(inFlight);
  };
  const sending = sendOn();
  let seconds = 0;
  try {
    await meanwhile();
  } finally {
    // Stops the load after a failure too, so that the process can exit.
    stopped = true;
    await sending;
    seconds = (performance.now() - began) / 1000;
    await readiness.stop();
    await Promise.all([...pools.values()].map((pool) => pool.close()));
  }
  took.sort((a, b) => a - b);
  const percentile = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0);
  return {
    failures,
    requests,
    perSecond: Math.round(requests / seconds),
    medianMs: percentile(0.5),
    p99Ms: percentile(0.99),
  };
}
