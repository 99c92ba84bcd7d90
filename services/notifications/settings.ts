import { brokerSettings } from '@bailiwick/broker';
import { egressSettings } from '@bailiwick/egress';
import { keyRingSettings, keyServiceSettings } from '@bailiwick/keys';
import {
  atLeast,
  brandSettings,
  installationSettings,
  limitSettings,
  listenSettings,
  publicUrlSettings,
  type SettingTable,
  tlsSettings,
} from '@bailiwick/process';
import { databaseSettings } from '@bailiwick/store';
import { accessPeer, callerSettings, ssoPeer, verifierSettings } from '@bailiwick/wire';
import { openTemplates } from './email/templates.ts';
import type { Pauses } from './health/breaker.ts';
import { parseSchedule } from './queue/schedule.ts';

const roleNames = ['api', 'fanout', 'delivery', 'email'] as const;
export type Role = (typeof roleNames)[number];

/** The roles with these names. Throws for an unknown name. */
export function readRoles(names: readonly string[]): ReadonlySet<Role> {
  const supported: readonly string[] = roleNames;
  const unknown = names.filter((name) => !supported.includes(name));
  if (unknown.length > 0)
    throw new Error(`knows ${roleNames.join(', ')} and not ${unknown.join(', ')}`);
  if (names.length === 0) throw new Error('must name at least one role');
  return new Set(names.filter((name): name is Role => supported.includes(name)));
}

/** The first and the longest pause. Throws unless there are exactly two, the shorter one first. */
export function readPauses(items: readonly string[]): Pauses {
  const [first = 0, longest = 0, ...more] = parseSchedule(items);
  if (more.length > 0 || first < 1 || longest < first)
    throw new Error('must be two waits, the first and the longest');
  return { first, longest };
}

/** Throws for more than 30 days: attempts are kept no longer. */
function deliveryBodyHours(hours: number): void {
  if (hours < 0 || hours > 720) throw new Error('must be 0 to 720 hours');
}

export const notificationsSettings = {
  ...listenSettings,
  ...callerSettings,
  ...tlsSettings,
  ...verifierSettings,
  ...databaseSettings('notifications'),
  ...installationSettings,
  ...brokerSettings,
  ...keyRingSettings,
  ...keyServiceSettings,
  ...publicUrlSettings,
  ...limitSettings,
  ...accessPeer,
  ...ssoPeer,
  roles: {
    env: 'BAILIWICK_NOTIFICATIONS_ROLES',
    kind: 'list',
    fallback: 'api,fanout,delivery,email',
    check: readRoles,
    about:
      'The roles of this process: api (serves calls), fanout (turns events into tasks), delivery (sends webhooks and chat messages), email (sends mails).',
  },
  endpointLimit: {
    env: 'BAILIWICK_ENDPOINTS_PER_TENANT',
    kind: 'int',
    fallback: '50',
    check: atLeast(1),
    about: 'Maximum number of endpoints of each kind per tenant.',
  },
  deliveryConcurrency: {
    env: 'BAILIWICK_DELIVERY_CONCURRENCY',
    kind: 'int',
    fallback: '64',
    check: atLeast(1),
    about:
      'Webhooks that one process sends concurrently. A quarter of this number of chat messages is sent in addition.',
  },
  emailConcurrency: {
    env: 'BAILIWICK_EMAIL_CONCURRENCY',
    kind: 'int',
    fallback: '10',
    check: atLeast(1),
    about: 'Mails that one process sends concurrently.',
  },
  retrySchedule: {
    env: 'BAILIWICK_RETRY_SCHEDULE',
    kind: 'list',
    fallback: '0s,5s,1m,5m,30m,2h,5h,10h,14h,20h,24h',
    check: parseSchedule,
    about:
      'Delays before each attempt of a delivery, in s, m or h, with up to 10 % jitter. The number of delays is the number of attempts; mails and chat messages use the first six.',
  },
  breakerPauses: {
    env: 'BAILIWICK_BREAKER_PAUSES',
    kind: 'list',
    fallback: '30s,15m',
    check: readPauses,
    about:
      'Pauses of the circuit breaker for an endpoint that fails repeatedly, in s, m or h: the first pause and the longest one. The pause doubles with each failure.',
  },
  endpointPatience: {
    env: 'BAILIWICK_ENDPOINT_PATIENCE',
    kind: 'list',
    fallback: '6h,24h,120h',
    check: parseSchedule,
    about:
      'How long an endpoint may fail without a success, in s, m or h: its owners get a notice after each of these times. After the last one it is disabled, if a task has been dead-lettered since the failures began.',
  },
  deliveryBodyHours: {
    env: 'BAILIWICK_DELIVERY_BODY_HOURS',
    kind: 'int',
    fallback: '168',
    check: deliveryBodyHours,
    about:
      'Retention of sent bodies in hours, for Webhooks_GetMessage, Chat_GetMessage and resending. Bodies are encrypted, about 2 KB each; 0 = bodies are not kept.',
  },
  smtpUrl: {
    env: 'BAILIWICK_SMTP_URL',
    kind: 'url',
    about:
      'The mail server: smtp:// (STARTTLS if the server offers it, required with ?requireTLS=true) or smtps://, with user and password if the server needs them.',
  },
  smtpName: {
    env: 'BAILIWICK_SMTP_NAME',
    kind: 'text',
    fallback: '',
    about:
      'The name that greets the mail server (EHLO): a domain, or an address in brackets. Empty = the host of the public URL.',
  },
  mailFrom: {
    env: 'BAILIWICK_MAIL_FROM',
    kind: 'text',
    about: 'The sender of all mails, such as Example <no-reply@example.com>.',
  },
  mailTemplatesDir: {
    env: 'BAILIWICK_MAIL_TEMPLATES_DIR',
    kind: 'text',
    fallback: '',
    check: openTemplates,
    about:
      'Directory with mail templates that override the built-in ones file by file, or add a locale; empty = none. For its content see docs/mail.md.',
  },
  ...brandSettings,
  ...egressSettings,
} as const satisfies SettingTable;
