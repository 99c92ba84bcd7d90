import { atLeast, type SettingTable } from '@bailiwick/shared/config.ts';
import { keyServiceSettings } from '@bailiwick/shared/keys/settings.ts';
import {
  accessPeer,
  brokerSettings,
  callerSettings,
  databaseSettings,
  egressSettings,
  keyRingSettings,
  limitSettings,
  listenSettings,
  publicUrlSettings,
  ssoPeer,
  tlsSettings,
  verifierSettings,
} from '@bailiwick/shared/settings.ts';
import { openTemplates } from './email/templates.ts';
import { parseSchedule } from './queue/schedule.ts';
import { readPauses, readRoles } from './roles.ts';

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
      'What this process does: api (takes calls), fanout (makes tasks of events), delivery (webhooks and chat), email.',
  },
  endpointLimit: {
    env: 'BAILIWICK_ENDPOINTS_PER_TENANT',
    kind: 'int',
    fallback: '50',
    check: atLeast(1),
    about: 'Endpoints of each kind a tenant may have.',
  },
  deliveryConcurrency: {
    env: 'BAILIWICK_DELIVERY_CONCURRENCY',
    kind: 'int',
    fallback: '64',
    check: atLeast(1),
    about: 'Webhooks one process sends at once. Chat messages are a quarter as many, beside them.',
  },
  emailConcurrency: {
    env: 'BAILIWICK_EMAIL_CONCURRENCY',
    kind: 'int',
    fallback: '10',
    check: atLeast(1),
    about: 'Mails one process sends at once.',
  },
  retrySchedule: {
    env: 'BAILIWICK_RETRY_SCHEDULE',
    kind: 'list',
    fallback: '0s,5s,1m,5m,30m,2h,5h,10h,14h,20h,24h',
    check: parseSchedule,
    about:
      'Waits before the attempts of a delivery, in s, m or h, up to 10 % longer by chance. Their number is the number of attempts; mails and chat messages use the first six.',
  },
  breakerPauses: {
    env: 'BAILIWICK_BREAKER_PAUSES',
    kind: 'list',
    fallback: '30s,15m',
    check: readPauses,
    about:
      'How long an endpoint is left alone that has failed too often: at first, and at most, as the wait doubles while it fails. In s, m or h.',
  },
  endpointPatience: {
    env: 'BAILIWICK_ENDPOINT_PATIENCE',
    kind: 'list',
    fallback: '6h,24h,120h',
    check: parseSchedule,
    about:
      'How long an endpoint may fail, without one success, before its owners are told, in s, m or h; after the last of these it is switched off, if a task was given up meanwhile.',
  },
  deliveryBodyHours: {
    env: 'BAILIWICK_DELIVERY_BODY_HOURS',
    kind: 'int',
    fallback: '168',
    check: deliveryBodyHours,
    about:
      'Hours for which the bodies that were sent to endpoints are kept, sealed, to be shown by Webhooks_GetMessage and Chat_GetMessage and sent again; 0 = none is kept. About 2 KB a delivery.',
  },
  smtpUrl: {
    env: 'BAILIWICK_SMTP_URL',
    kind: 'url',
    about:
      'The mail server, smtp:// (STARTTLS where it is offered, always with ?requireTLS=true) or smtps://, with user and password where it wants them.',
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
      'Directory with mail templates that replace shipped ones file by file, or add a locale; empty = none. docs/mail.md tells what is in it.',
  },
  ...egressSettings,
} as const satisfies SettingTable;
