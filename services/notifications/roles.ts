import { ConfigurationError } from '@bailiwick/shared/config.ts';
import { type EgressRules, egressRules } from '@bailiwick/shared/egress.ts';
import type { OwnSettings } from '@bailiwick/shared/settings.ts';
import { parseSchedule, shortSchedule } from './queue/schedule.ts';
import type { Lane } from './queue/worker.ts';
import type { notificationsSettings } from './settings.ts';

const roleNames = ['api', 'fanout', 'delivery', 'email'] as const;
export type Role = (typeof roleNames)[number];

/** What a process is to do. */
export type ProcessPlan = { roles: ReadonlySet<Role>; lanes: readonly Lane[]; egress: EgressRules };

/** Reads what a process is to do from its settings. Throws one error that lists every problem. */
export function readPlan(settings: OwnSettings<typeof notificationsSettings>): ProcessPlan {
  const problems: string[] = [];
  const read = <Value>(env: string, make: () => Value): Value | undefined => {
    try {
      return make();
    } catch (error) {
      problems.push(`${env} ${error instanceof Error ? error.message : 'is malformed'}`);
      return undefined;
    }
  };
  const roles = read('BAILIWICK_NOTIFICATIONS_ROLES', () => readRoles(settings.roles));
  const schedule = read('BAILIWICK_RETRY_SCHEDULE', () => parseSchedule(settings.retrySchedule));
  const egress = read('BAILIWICK_EGRESS_ALLOW_CIDRS', () =>
    egressRules({ hosts: settings.egressAllowHosts, cidrs: settings.egressAllowCidrs, ports: settings.egressPorts }),
  );
  if (!roles || !schedule || !egress) throw new ConfigurationError(problems);
  const lanes: Lane[] = [];
  if (roles.has('delivery')) lanes.push({ name: 'webhook', concurrency: settings.deliveryConcurrency, schedule });
  if (roles.has('email')) lanes.push({ name: 'email', concurrency: settings.emailConcurrency, schedule: shortSchedule(schedule) });
  return { roles, lanes, egress };
}

function readRoles(names: readonly string[]): ReadonlySet<Role> {
  const known: readonly string[] = roleNames;
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`knows ${roleNames.join(', ')} and not ${unknown.join(', ')}`);
  if (names.length === 0) throw new Error('must name at least one role');
  return new Set(names.filter((name): name is Role => known.includes(name)));
}
