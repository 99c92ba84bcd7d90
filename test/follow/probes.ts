import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fillMembers } from '../races/warm-callers.ts';
import { bodyOf } from '../support/answers.ts';
import type { Answer, OwnStack, Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { openPlace, type Place } from './place.ts';
import {
  machineMs,
  type Probe,
  type ProberMessage,
  type ProberOptions,
  type Report,
} from './prober-messages.ts';

// Rights that end while followers decide all the time: none is allowed by a decision that begins after
// the reply of the call that ends it.

export type Prober = { child: ChildProcess; report: Promise<Report> };

/** Starts a process of followers, and waits until each of them has decided about every right. */
export async function startProber(options: ProberOptions): Promise<Prober> {
  const child = fork(path.join(import.meta.dirname, 'prober.ts'));
  child.send(options);
  const messages = new Set<(message: ProberMessage) => void>();
  child.on('message', (message: ProberMessage) => messages.forEach((hear) => hear(message)));
  const hear = (isLast: (message: ProberMessage) => boolean): Promise<ProberMessage> =>
    new Promise((resolve, reject) => {
      messages.add((message) => isLast(message) && resolve(message));
      child.once('exit', (code) => reject(new Error(`the prober ended with ${code}`)));
    });
  const report = hear(({ type }) => type === 'report').then(
    (message) => (message as { report: Report }).report,
  );
  report.catch(() => {});
  let ready = 0;
  await hear(({ type }) => type === 'ready' && ++ready === options.followers);
  return { child, report };
}

export async function stopProber({ child, report }: Prober): Promise<Report> {
  child.send('stop');
  const last = await report;
  if (child.exitCode === null) await once(child, 'exit');
  return last;
}

/** Members with a grant each, which the followers probe. `mark`: see `fillMembers`. */
export async function fillRights(
  stack: OwnStack,
  { tenant, owner }: Place,
  count: number,
  mark: number,
): Promise<Probe[]> {
  const members = await fillMembers({ stack, owner, tenant }, count, mark);
  await rowsOf(
    stack,
    `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
     select $2, 'gr2' || substr(n, 4), 'user', n, 'report-reader', 'report:7', '', now() from unnest($1::text[]) n`,
    [members.map(({ id }) => id), tenant],
  );
  return members.map(({ id: subject }) => ({
    tenant,
    subject,
    permission: 'app.reports.read',
    resource: 'report:7',
  }));
}

type Call = (operation: string, body: object, token: string) => Promise<Answer>;

/** The calls that end a user's right to read the report, in turns. */
function waysToEnd(stack: Stack, { tenant: Tenant, owner }: Place, call: Call) {
  const byOwner = (operation: string, requestOf: (UserID: string) => object) => (UserID: string) =>
    call(operation, requestOf(UserID), owner.token);
  return [
    byOwner('Grants_Remove', (UserID) => ({
      Grant: { Tenant, UserID, Role: 'report-reader', Resource: 'report:7' },
    })),
    byOwner('TenantMembers_Disable', (UserID) => ({ Tenant, UserID })),
    byOwner('TenantMembers_Remove', (UserID) => ({ Tenant, UserID })),
    (UserID: string) => call('Users_Disable', { UserID }, stack.platformKey),
  ];
}

/** Ends each right, several at a time. Returns when each call replied, and how long it took. */
export async function endRights(
  stack: Stack,
  place: Place,
  probes: readonly Probe[],
  { call, atOnce }: { call: Call; atOnce: number },
): Promise<{ repliedAt: number[]; tookMs: number[] }> {
  const ways = waysToEnd(stack, place, call);
  const repliedAt: number[] = [];
  const tookMs: number[] = [];
  const waiting = [...probes.entries()];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, { subject }] = next;
      const beganAt = machineMs();
      const answer = await ways[index % ways.length]?.(subject);
      repliedAt[index] = machineMs();
      tookMs[index] = repliedAt[index] - beganAt;
      assert.ok(answer);
      bodyOf(answer);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return { repliedAt, tookMs };
}

/** The rights that a decision allowed that began after the reply. */
export const lateDecisions = (
  probes: readonly Probe[],
  repliedAt: readonly number[],
  reports: readonly Report[],
): string[] =>
  probes.flatMap(({ subject }, index) =>
    reports
      .map(({ lastAllowed }) => (lastAllowed[index] ?? 0) - (repliedAt[index] ?? 0))
      .filter((lateMs) => lateMs > 0)
      .map((lateMs) => `${subject}: ${lateMs.toFixed(1)} ms`),
  );

type Size = { processes: number; followers: number; rights: number; mark: number };

/**
 * Ends rights while processes of followers decide about them, and asserts that no decision that began
 * after a reply allowed an ended right. Returns a line with the figures.
 */
export async function proveNoLateDecision(
  stack: OwnStack,
  { processes, followers, rights, mark }: Size,
): Promise<string> {
  const place = await openPlace(stack);
  const probes = await fillRights(stack, place, rights, mark);
  const options = { urls: [stack.url], credential: place.credential, followers, probes };
  const probers = await Promise.all(Array.from({ length: processes }, () => startProber(options)));
  const ends = await endRights(stack, place, probes, { call: stack.call, atOnce: 4 });
  const reports = await Promise.all(probers.map(stopProber));
  // Most rights were allowed before their end, so that a late decision would show.
  const pairs = reports.flatMap(({ lastAllowed }) => lastAllowed);
  const share = pairs.filter((at) => at > 0).length / pairs.length;
  assert.ok(share > 0.5, String(share));
  assert.deepEqual(lateDecisions(probes, ends.repliedAt, reports), []);
  const total = (field: 'probes' | 'unknown') =>
    reports.reduce((sum, report) => sum + report[field], 0);
  const slowest = ends.tookMs.toSorted((a, b) => b - a);
  const [p99, p50] = [slowest[Math.floor(rights / 100)], slowest[Math.floor(rights / 2)]];
  return `${total('probes')} decisions, ${total('unknown')} unknown, ${(share * 100).toFixed(1)} % of rights seen, p50 ${p50?.toFixed(0)} ms, p99 ${p99?.toFixed(0)} ms`;
}
