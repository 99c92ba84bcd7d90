import { atLeast, type SettingTable } from '@bailiwick/shared/config.ts';
import {
  brokerSettings,
  callerSettings,
  databaseSettings,
  identityPeer,
  keyRingSettings,
  limitSettings,
  listenSettings,
  tlsSettings,
  verifierSettings,
} from '@bailiwick/shared/settings.ts';

export const accessSettings = {
  ...listenSettings,
  ...verifierSettings,
  ...callerSettings,
  ...tlsSettings,
  ...databaseSettings('access'),
  ...brokerSettings,
  ...keyRingSettings,
  ...limitSettings,
  ...identityPeer,
  tenantCreation: {
    env: 'BAILIWICK_TENANT_CREATION',
    kind: 'flag',
    fallback: 'true',
    about:
      'Whether people with a verified address may create tenants of their own. The platform always can.',
  },
  auditRetentionDays: {
    env: 'BAILIWICK_AUDIT_RETENTION_DAYS',
    kind: 'int',
    fallback: '400',
    about:
      'How long audit entries are kept, in days, where a tenant has not set it for itself. At least 7.',
    check: atLeast(7),
  },
  tenantGraceSeconds: {
    env: 'BAILIWICK_TENANT_GRACE_SECONDS',
    kind: 'int',
    fallback: '2592000',
    check: atLeast(1),
    about:
      'How long a deleted tenant can be restored before all that belongs to it is removed. Seconds; 30 days where it is not set.',
  },
} as const satisfies SettingTable;
