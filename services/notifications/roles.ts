import { type EgressRules } from '@bailiwick/egress';
import { egressRulesOf, type OwnSettings } from '@bailiwick/service';
import type { Pauses } from './endpoints/breaker.ts';
import { readDisablePolicy } from './endpoints/disable-policy.ts';
import type { DisablePolicy } from './endpoints/queries.ts';
import { parseSchedule, type Schedules, shortSchedule } from './queue/schedule.ts';
import type { Lane } from './queue/worker.ts';
import type { notificationsSettings } from './settings.ts';

const roleNames = ['api', 'fanout', 'delivery', 'email'] as const;
export type Role = (typeof roleNames)[number];

/** The work of one process. */
export type ProcessPlan = {
  roles: ReadonlySet<Role>;
  lanes: readonly Lane[];
  schedules: Schedules;
  disablePolicy: DisablePolicy;
  pauses: Pauses;
  egress: EgressRules;
};

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
    lanes.push(
      { name: 'slow', concurrency: share(1 / 2) },
      { name: 'replay', concurrency: share(1 / 8) },
    );
  }
  if (roles.has('email')) lanes.push({ name: 'email', concurrency: settings.emailConcurrency });
  return {
    roles,
    lanes,
    schedules: { webhook: schedule, other: shortSchedule(schedule) },
    pauses: readPauses(settings.breakerPauses),
    disablePolicy: readDisablePolicy(parseSchedule(settings.endpointPatience)),
    egress: egressRulesOf(settings),
  };
}

/** The roles with these names. Throws for an unknown name. */
export function readRoles(names: readonly string[]): ReadonlySet<Role> {
  const known: readonly string[] = roleNames;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`knows ${roleNames.join(', ')} and not ${unknown.join(', ')}`);
  if (names.length === 0) throw new Error('must name at least one role');
  return new Set(names.filter((name): name is Role => known.includes(name)));
}

/** The first and the longest pause. Throws unless there are exactly two, the shorter one first. */
export function readPauses(items: readonly string[]): Pauses {
  const [first = 0, longest = 0, ...more] = parseSchedule(items);
  if (more.length > 0 || first < 1 || longest < first)
    throw new Error('must be two waits, the first and the longest');
  return { first, longest };
}
