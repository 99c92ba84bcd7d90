import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Wiring } from '@bailiwick/deploy/local/environment.ts';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { ManagedProcess } from '@bailiwick/deploy/local/processes.ts';
import { waitUntilReady } from '@bailiwick/deploy/local/ready.ts';
import { foldPorts } from '@bailiwick/deploy/shapes.ts';
import { settle } from '../faults/account.ts';
import { schedule } from '../faults/product.ts';
import { seededRandom } from '../faults/random.ts';
import { startReceivers } from '../faults/receivers.ts';
import { bodyOf } from '../support/answers.ts';
import { preDrainMs } from '../support/balancer.ts';
import { createBot, createKey } from '../support/bots.ts';
import { callerOf, type OwnStack, startStack, type Topology } from '../support/harness.ts';
import { loadWhile } from '../support/load.ts';
import { choosePorts, shapeOf, startProcesses } from '../support/own-stack.ts';
import { createTenant, newAddress, password } from '../support/people.ts';
import { errorsIn } from '../support/replicas.ts';
import { prepareChanges, witnessOf } from '../upgrade/changes.ts';

// A running installation moves from five processes to two and back, under load. The processes of
// each shape call only each other, and both shapes share database and broker, as in the chart.

const rate = 25;
/** Long enough for connections to move to the other shape, and for its workers to take tasks. */
const besideMs = 3000;
const aloneMs = 2000;
const revocations = 5;

test(`a move from five processes to two and back under ${rate} requests a second fails no request, loses no event, and ends revoked rights at once`, async (t) => {
  const receivers = await startReceivers(seededRandom(1));
  t.after(() => receivers.stop());
  const sides = await startSides(t, {
    BAILIWICK_LIMITS: 'off',
    BAILIWICK_PRE_DRAIN_MS: String(preDrainMs),
    BAILIWICK_RETRY_SCHEDULE: schedule,
    BAILIWICK_SMTP_URL: receivers.smtpUrl,
  });
  const { stack, urlOf } = sides;
  const changes = await prepareChanges(stack, receivers);
  const [five, two] = [urlOf('five processes'), urlOf('two processes')];
  const crossOver = async () => {
    for (const [from, to] of [
      [five, two],
      [two, five],
    ] as const) {
      await changes.goOn(from, to);
      await revokeRights(stack, from, to);
    }
    await sleep(besideMs);
  };

  const result = await loadWhile(
    { gateways: sides.gateways, rate, requestOf: changes.requestOf },
    async () => {
      await sleep(aloneMs);
      await sides.bring('two processes');
      await crossOver();
      await sides.takeAway('five processes');
      await changes.goOn(two, two);
      await sleep(aloneMs);
      await sides.bring('five processes');
      await crossOver();
      await sides.takeAway('two processes');
      await changes.goOn(five, five);
      await sleep(aloneMs);
    },
  );
  if (result.failures.length > 0) t.diagnostic(sides.errors());
  t.diagnostic(JSON.stringify({ ...result, failures: result.failures.length }));
  assert.deepEqual(result.failures.slice(0, 10), []);

  const witness = witnessOf(stack, receivers, changes);
  const { accepted, effects, duplicates, ...problems } = await settle(
    witness,
    changes.entriesOf(result.requests),
  );
  t.diagnostic(JSON.stringify({ accepted, effects, duplicates }));
  assert.deepEqual(problems, {
    lost: [],
    deadLetters: 0,
    severalIds: [],
    forged: 0,
    disagreements: [],
  });
  const { expected, actual } = await changes.countGrants(result.requests);
  assert.equal(actual, expected);
  assert.ok(result.requests > 500, String(result.requests));
});

type Side = Extract<Topology, 'five processes' | 'two processes'>;

/** Starts five processes, which two can be started beside. */
async function startSides(t: TestContext, environment: Record<string, string>) {
  const ports: Record<Side, Wiring['ports']> = {
    'five processes': await choosePorts(),
    'two processes': foldPorts('compact', await choosePorts()),
  };
  const stack = await startStack('five processes', environment, { ports: ports['five processes'] });
  const running = new Map<Side, Map<string, ManagedProcess>>();
  const logFiles = new Set<string>();
  const keep = (side: Side, processes: Map<string, ManagedProcess>) => {
    running.set(side, processes);
    for (const { logFile } of processes.values()) logFiles.add(logFile);
  };
  keep('five processes', stack.processes);
  const stop = (side: Side) => [...(running.get(side)?.values() ?? [])].map((one) => one.stop());
  t.after(async () => {
    await Promise.all([...stop('two processes'), ...stop('five processes')]);
    await stack.stop();
  });
  return {
    stack,
    gateways: Object.values(ports).map(({ gateway: { rpc: port, admin } }) => ({ port, admin })),
    urlOf: (side: Side) => `http://${loopback}:${ports[side].gateway.rpc}`,
    /** Starts a shape, and waits until its processes are ready. */
    async bring(side: Side): Promise<void> {
      const logDir = path.join(stack.folder, `logs-${shapeOf[side]}`);
      const wiring = { ...stack.wiring, ports: ports[side] };
      const processes = startProcesses({ topology: side, wiring, logDir, environment });
      keep(side, processes);
      const admins = new Set(Object.values(ports[side]).map(({ admin }) => admin));
      const urls = [...admins].map((admin) => `http://${loopback}:${admin}/readyz`);
      await waitUntilReady(urls, [...processes.values()], AbortSignal.timeout(90_000));
    },
    /** Stops a shape: first the process with the gateway, which calls the others. */
    async takeAway(side: Side): Promise<void> {
      const processes = running.get(side);
      await (processes?.get('gateway') ?? processes?.get('serve') ?? assert.fail()).stop();
      await Promise.all(stop(side));
    },
    errors: () => errorsIn([...logFiles]),
  };
}

/** Rights that one gateway revokes end at the other one, which has them cached, with the reply. */
async function revokeRights(stack: OwnStack, from: string, to: string): Promise<void> {
  const [revoking, caching] = [callerOf(from), callerOf(to)];
  const person = { Email: newAddress(), Password: password };
  const user = { User: { Email: person.Email }, Password: password };
  bodyOf(await stack.call('Users_Create', user, stack.platformKey));
  const token = String(bodyOf(await revoking('Account_Login', person))['Token']);
  const Tenant = await createTenant(stack, token);
  const bot = await createBot({ call: revoking }, Tenant, token);
  const { Secret } = await createKey({ ...stack, call: revoking }, bot, token);
  const Grant = { Tenant, Bot: bot.ID, Role: 'auditor' };
  const read = () => caching('Groups_List', { Tenant }, Secret);
  for (let turn = 0; turn < revocations; turn++) {
    bodyOf(await revoking('BotGrants_Add', { Grant }, token));
    for (const status of [200, 200]) assert.equal((await read()).status, status);
    bodyOf(await revoking('BotGrants_Remove', { Grant }, token));
    assert.equal((await read()).status, 403, `revoked at ${from}, asked at ${to}`);
  }
}
