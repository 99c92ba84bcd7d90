import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { ManagedProcess } from '@bailiwick/deploy/local/processes.ts';
import { waitUntilReady } from '@bailiwick/deploy/local/ready.ts';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { Pool } from 'undici';
import { type Replica, startBalancer, watchReadiness } from './balancer.ts';
import { choosePorts, eventually, type Stack, startProcesses, startStack } from './harness.ts';
import { createTenant, signUp } from './people.ts';

// Two replicas of every process are replaced one after the other, as Kubernetes does it, while clients read and write.

const rate = 200;
/** A machine that cannot keep up gets fewer requests: this tests what fails, not how fast it is. */
const maxInFlight = 100;
/** Longer than it takes until everybody has noticed that a process is not ready any more. */
const preDrainMs = 2000;
/** Replaced at the same time. Each start costs seconds of a core. */
const groups: ReadonlyArray<readonly ServiceName[]> = [['gateway', 'sso'], ['identity', 'notifications'], ['access']];

const called = ['identity', 'access', 'sso', 'notifications'] as const;
const topologies = { http: 'five processes', grpc: 'five processes over gRPC' } as const;

/** Two replicas of everything, and how a process finds those of the others. */
async function startReplicas(wire: 'http' | 'grpc') {
  const ports = [await choosePorts(), await choosePorts()] as const;
  const replicasOf = (name: ServiceName): Replica[] => ports.map((own) => ({ port: own[name].rpc, admin: own[name].admin }));
  const balancers = wire === 'http' ? await Promise.all(called.map(async (name) => [name, await startBalancer(replicasOf(name))] as const)) : [];
  const urls =
    wire === 'http'
      ? balancers.map(([name, { url }]) => [name, url] as const)
      : called.map((name) => [name, `ipv4:${ports.map((own) => `${loopback}:${own[name].grpc}`).join()}`] as const);
  const environment = {
    ...Object.fromEntries(urls.map(([name, url]) => [`BAILIWICK_${name.toUpperCase()}_URL`, url])),
    BAILIWICK_PRE_DRAIN_MS: String(preDrainMs),
    BAILIWICK_LIMITS: 'off',
  };
  const stack = await startStack(topologies[wire], environment, { ports: ports[0] });
  const second = startProcesses(topologies[wire], { ...stack.wiring, ports: ports[1] }, path.join(stack.folder, 'logs-2'), environment);
  const replicas = [stack.processes, second] as const;

  const ready = (index: 0 | 1, names: readonly ServiceName[] = serviceNames) => {
    const urlsOf = names.map((name) => `http://${loopback}:${ports[index][name].admin}/readyz`);
    return waitUntilReady(urlsOf, [...replicas[index].values()], AbortSignal.timeout(60_000));
  };
  await ready(1);
  return {
    stack,
    gateways: replicasOf('gateway'),
    /** SIGTERM to a process, and again ready afterwards. */
    async replace(index: 0 | 1, name: ServiceName): Promise<void> {
      const managed = replicas[index].get(name) as ManagedProcess;
      const before = managed.pid();
      if (before === undefined) throw new Error(`${name} does not run`);
      process.kill(before, 'SIGTERM');
      await eventually(`${name} again`, () => Promise.resolve(managed.pid() !== undefined && managed.pid() !== before), 60_000);
      await ready(index, [name]);
    },
    /** What went wrong, in the processes' own words. */
    logs: () =>
      replicas
        .flatMap((replica) => [...replica.values()].flatMap(({ logFile }) => readFileSync(logFile, 'utf8').split('\n')))
        .filter((line) => line.includes('"level":"error"'))
        .slice(0, 20)
        .join('\n'),
    async stop(): Promise<void> {
      await Promise.all([...second.values()].map((one) => one.stop()));
      await stack.stop();
      await Promise.all(balancers.map(([, balancer]) => balancer.close()));
    },
  };
}

type Request = { operation: string; body: object; token?: string };

/** What people do, over and over: mostly they read. */
async function requestsOf(stack: Stack): Promise<(turn: number) => Request> {
  const { token, email } = await signUp(stack);
  const tenant = await createTenant(stack, token);
  const pathOf = (turn: number) => `team-${turn % 20}`;
  const save = (turn: number) => ({ Group: { Tenant: tenant, Path: pathOf(turn), Description: `turn ${turn}` } });
  for (let turn = 0; turn < 20; turn++) assert.equal((await stack.call('Groups_Save', save(turn), token)).status, 200);
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

/** Sends `rate` requests a second until `meanwhile` is over, each to the next gateway that is ready, as a load balancer would. None is sent twice. */
async function loadWhile(gateways: readonly Replica[], requestOf: (turn: number) => Request, meanwhile: () => Promise<void>) {
  const readiness = watchReadiness(gateways);
  const pools = new Map(gateways.map((gateway) => [gateway, new Pool(`http://${loopback}:${gateway.port}`, { connections: 64 })]));
  const failures: string[] = [];
  const took: number[] = [];
  const send = async (turn: number) => {
    const ready = readiness.ready();
    const pool = pools.get(ready[turn % ready.length] ?? (gateways[0] as Replica)) as Pool;
    const { operation, body, token } = requestOf(turn);
    const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const began = performance.now();
    try {
      const answer = await pool.request({ method: 'POST', path: `/${operation}`, headers, body: JSON.stringify(body) });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) failures.push(`${operation}: ${answer.statusCode} ${text}`);
    } catch (error) {
      failures.push(`${operation}: ${String(error)}`);
    }
    took.push(performance.now() - began);
  };
  const inFlight = new Set<Promise<void>>();
  let requests = 0;
  let done = false;
  const began = performance.now();
  const sendOn = async () => {
    for (let due = began; !done; await sleep(5)) {
      const now = performance.now();
      // What could not be sent in its time is not made up for in a burst.
      for (due = Math.max(due, now - 100); due < now && inFlight.size < maxInFlight; due += 1000 / rate) {
        const one = send(requests++).finally(() => inFlight.delete(one));
        inFlight.add(one);
      }
    }
    await Promise.all(inFlight);
  };
  const sending = sendOn();
  await meanwhile().finally(() => (done = true));
  await sending;
  const seconds = (performance.now() - began) / 1000;
  await readiness.stop();
  await Promise.all([...pools.values()].map((pool) => pool.close()));
  took.sort((a, b) => a - b);
  const percentile = (share: number) => Math.round(took[Math.floor(took.length * share)] ?? 0);
  return { failures, requests, perSecond: Math.round(requests / seconds), medianMs: percentile(0.5), p99Ms: percentile(0.99) };
}

for (const wire of ['http', 'grpc'] as const) {
  describe(`rolling restarts over ${wire}`, () => {
    test(`every process is replaced while clients send ${rate} requests a second, and no request fails`, async (t) => {
      const replicas = await startReplicas(wire);
      t.after(() => replicas.stop());
      const requestOf = await requestsOf(replicas.stack);
      const result = await loadWhile(replicas.gateways, requestOf, async () => {
        for (const index of [0, 1] as const) {
          for (const group of groups) await Promise.all(group.map((name) => replicas.replace(index, name)));
        }
      });
      if (result.failures.length > 0) t.diagnostic(replicas.logs());
      t.diagnostic(JSON.stringify({ ...result, failures: result.failures.length }));
      assert.deepEqual(result.failures.slice(0, 10), []);
      assert.ok(result.requests > 1000);
    });
  });
}
