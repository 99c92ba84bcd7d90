import { atLeast, type SettingTable } from '@bailiwick/shared/config.ts';
import { egressRules } from '@bailiwick/shared/egress.ts';
import {
  accessPeer,
  brokerSettings,
  callerSettings,
  databaseSettings,
  keyRingSettings,
  listenSettings,
  publicUrlSettings,
  verifierSettings,
} from '@bailiwick/shared/settings.ts';
import { parseSchedule } from './queue/schedule.ts';
import { readRoles } from './roles.ts';

export const notificationsSettings = {
  ...listenSettings,
  ...callerSettings,
  ...verifierSettings,
  ...databaseSettings('notifications'),
  ...brokerSettings,
  ...keyRingSettings,
  ...publicUrlSettings,
  ...accessPeer,
  roles: {
    env: 'BAILIWICK_NOTIFICATIONS_ROLES',
    kind: 'list',
    fallback: 'api,fanout,delivery,email',
    check: readRoles,
    about: 'What this process does: api (takes calls), fanout (makes tasks of events), delivery (webhooks and chat), email.',
  },
  endpointLimit: { env: 'BAILIWICK_ENDPOINTS_PER_TENANT', kind: 'int', fallback: '50', check: atLeast(1), about: 'Endpoints of each kind a tenant may have.' },
  deliveryConcurrency: {
    env: 'BAILIWICK_DELIVERY_CONCURRENCY',
    kind: 'int',
    fallback: '64',
    check: atLeast(1),
    about: 'Webhooks and chat messages one process sends at once.',
  },
  emailConcurrency: { env: 'BAILIWICK_EMAIL_CONCURRENCY', kind: 'int', fallback: '10', check: atLeast(1), about: 'Mails one process sends at once.' },
  retrySchedule: {
    env: 'BAILIWICK_RETRY_SCHEDULE',
    kind: 'list',
    fallback: '0s,5s,1m,5m,30m,2h,5h,10h,14h,20h,24h',
    check: parseSchedule,
    about:
      'Waits before the attempts of a delivery, in s, m or h, up to 10 % longer by chance. Their number is the number of attempts; mails and chat messages use the first six.',
  },
  smtpUrl: {
    env: 'BAILIWICK_SMTP_URL',
    kind: 'url',
    about: 'The mail server, smtp:// (STARTTLS where it is offered, always with ?requireTLS=true) or smtps://, with user and password where it wants them.',
  },
  mailFrom: { env: 'BAILIWICK_MAIL_FROM', kind: 'text', about: 'The sender of all mails, such as Example <no-reply@example.com>.' },
  egressAllowHosts: {
    env: 'BAILIWICK_EGRESS_ALLOW_HOSTS',
    kind: 'list',
    fallback: '',
    about:
      'Names and addresses of receivers for which the egress guard is lifted, plain http and any port included. For receivers inside the cluster; empty otherwise.',
  },
  egressAllowCidrs: {
    env: 'BAILIWICK_EGRESS_ALLOW_CIDRS',
    kind: 'list',
    fallback: '',
    check: (cidrs: string[]) => egressRules({ hosts: [], cidrs, ports: [] }),
    about: 'Networks of receivers for which the egress guard is lifted.',
  },
  egressPorts: {
    env: 'BAILIWICK_EGRESS_PORTS',
    kind: 'list',
    fallback: '',
    check: (ports: string[]) => egressRules({ hosts: [], cidrs: [], ports }),
    about: 'Ports receivers may use besides 443 and 8443.',
  },
} as const satisfies SettingTable;
