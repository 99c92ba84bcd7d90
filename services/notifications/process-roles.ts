import { type EgressRules, egressRulesOf } from '@bailiwick/egress';
import type { OwnSettings } from '@bailiwick/wire';
import { readDisablePolicy } from './health/disable-policy.ts';
import type { QueuePlan } from './queue/queue.ts';
import { parseSchedule, shortSchedule } from './queue/schedule.ts';
import type { Lane } from './queue/worker.ts';
import { type notificationsSettings, type Role, readPauses, readRoles } from './settings.ts';

/** The work of one process. */
export type ProcessPlan = QueuePlan & { roles: ReadonlySet<Role>; egress: EgressRules };

/** Reads the work of a process from its settings, which are validated. */
export function readPlan(settings: OwnSettings<typeof notificationsSettings>): ProcessPlan {
  const roles = readRoles(settings.roles);
  const schedule = parseSchedule(settings.retrySchedule);
  const lanes: Lane[] = [];
  const share = (part: number) => Math.max(1, Math.round(settings.deliveryConcurrency * part));
  if (roles.has('delivery')) {
    lanes.push({ name: 'webhook', concurrency: share(1) });
    // Chat services accept about one message a second per endpoint, so a few slots suffice.
    lanes.push({ name: 'chat', concurrency: share(1 / 4) });
    // A lane of its own: a worker of a version without logouts receives none, and loses none.
    lanes.push({ name: 'logout', concurrency: share(1 / 4) });
    lanes.push(
      { name: 'slow', concurrency: share(1 / 2) },
      { name: 'replay', concurrency: share(1 / 8) },
    );
  }
  if (roles.has('email')) lanes.push({ name: 'email', concurrency: settings.emailConcurrency });
  return {
    roles,
    lanes,
    watchesEndpoints: roles.has('delivery'),
    schedules: { webhook: schedule, other: shortSchedule(schedule) },
    pauses: readPauses(settings.breakerPauses),
    disablePolicy: readDisablePolicy(parseSchedule(settings.endpointPatience)),
    egress: egressRulesOf(settings),
  };
}
