import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { bodyOf } from '../support/answers.ts';
import type { Answer, Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import type { Place } from './place.ts';
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
  const child = fork(path.join(import.meta.dirname, 'prober.ts'), [JSON.stringify(options)]);
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

/** Users with a grant each, which the followers probe. Written directly to the database. */
export async function fillRights(stack: Stack, place: Place, count: number): Promise<Probe[]> {
  const { tenant, owner } = place;
  const ids = Array.from(
    { length: count },
    (_, index) => `usr_2${String(index).padStart(25, '0')}`,
  );
  for (const [statement, values] of [
    [
      `insert into identity.user_account select (jsonb_populate_record(u, jsonb_build_object('id', n,
         'email', n || '@example.com', 'email_key', n || '@example.com'))).*
       from identity.user_account u cross join unnest($1::text[]) n where u.id = $2`,
      [ids, owner.id],
    ],
    [
      `insert into access.tenant_member select (jsonb_populate_record(m, jsonb_build_object('user_id', n,
         'email_key', n || '@example.com'))).*
       from access.tenant_member m cross join unnest($1::text[]) n where m.tenant = $2 and m.user_id = $3`,
      [ids, tenant, owner.id],
    ],
    [
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at)
       select $2, 'grt' || substr(n, 4), 'user', n, 'report-reader', 'report:7', 'nobody', now() from unnest($1::text[]) n`,
      [ids, tenant],
    ],
  ] as const)
    await rowsOf(stack, statement, [...values]);
  return ids.map((subject) => ({
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
