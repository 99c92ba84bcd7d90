import { brokerSettings } from '@bailiwick/broker';
import { keyRingSettings } from '@bailiwick/keys';
import {
  atLeast,
  brandSettings,
  installationSettings,
  limitSettings,
  listenSettings,
  returnSettings,
  type SettingTable,
  tlsSettings,
} from '@bailiwick/process';
import { databaseSettings } from '@bailiwick/store';
import { callerSettings, identityPeer, verifierSettings } from '@bailiwick/wire';

export const accessSettings = {
  ...listenSettings,
  ...verifierSettings,
  ...callerSettings,
  ...tlsSettings,
  ...databaseSettings('access'),
  ...installationSettings,
  ...brokerSettings,
  ...keyRingSettings,
  ...limitSettings,
  ...identityPeer,
  ...returnSettings,
  tenantCreation: {
    env: 'BAILIWICK_TENANT_CREATION',
    kind: 'flag',
    fallback: 'true',
    about:
      'Whether users with a verified address may create tenants. Callers with iam.platform.tenants.write always can.',
  },
  brandName: brandSettings.brandName,
  reservedNames: {
    env: 'BAILIWICK_RESERVED_NAMES',
    kind: 'list',
    fallback: 'Bailiwick',
    about:
      'Names that only callers with iam.platform.tenants.write give to a tenant or its branding, compared without regard to case, width, spaces and invisible characters. BAILIWICK_BRAND_NAME is always one of them.',
  },
  auditRetentionDays: {
    env: 'BAILIWICK_AUDIT_RETENTION_DAYS',
    kind: 'int',
    fallback: '400',
    about:
      'Retention of audit entries in days, at least 7, for tenants without a retention of their own.',
    check: atLeast(7),
  },
  tenantGraceSeconds: {
    env: 'BAILIWICK_TENANT_GRACE_SECONDS',
    kind: 'int',
    fallback: '2592000',
    check: atLeast(1),
    about:
      'How long a deleted tenant can be restored before its data is destroyed, in seconds. The default is 30 days.',
  },
} as const satisfies SettingTable;
