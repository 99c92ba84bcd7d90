import { type EgressRules, egressRules } from '@bailiwick/shared/egress.ts';
import type { OwnSettings } from '@bailiwick/shared/settings.ts';
import { parseSchedule, shortSchedule } from './queue/schedule.ts';
import type { Lane } from './queue/worker.ts';
import type { notificationsSettings } from './settings.ts';

const roleNames = ['api', 'fanout', 'delivery', 'email'] as const;
export type Role = (typeof roleNames)[number];

/** What a process is to do. */
export type ProcessPlan = { roles: ReadonlySet<Role>; lanes: readonly Lane[]; egress: EgressRules };

/** What a process is to do, by its settings, which were checked when they were read. */
export function readPlan(settings: OwnSettings<typeof notificationsSettings>): ProcessPlan {
  const roles = readRoles(settings.roles);
  const schedule = parseSchedule(settings.retrySchedule);
  const lanes: Lane[] = [];
  if (roles.has('delivery')) lanes.push({ name: 'webhook', concurrency: settings.deliveryConcurrency, schedule });
  if (roles.has('email')) lanes.push({ name: 'email', concurrency: settings.emailConcurrency, schedule: shortSchedule(schedule) });
  return { roles, lanes, egress: egressRules({ hosts: settings.egressAllowHosts, cidrs: settings.egressAllowCidrs, ports: settings.egressPorts }) };
}

/** The roles of those names. Throws for a name there is none of. */
export function readRoles(names: readonly string[]): ReadonlySet<Role> {
  const known: readonly string[] = roleNames;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`knows ${roleNames.join(', ')} and not ${unknown.join(', ')}`);
  if (names.length === 0) throw new Error('must name at least one role');
  return new Set(names.filter((name): name is Role => known.includes(name)));
}
