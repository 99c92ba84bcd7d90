import { useCall } from '../parts/calls.ts';
import { Facts } from '../parts/facts.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import { amountOf } from '../parts/times.ts';
import { shownCount } from '../start/figure.tsx';
import type { Tenant } from './tenant-states.ts';

/** The defaults of settings that are 0. */
const keyDays = 365;
const auditDays = 400;

/** The figures of a tenant, and the settings that limit it. */
export function TenantFacts({ tenant: { ID, Status, CreatedAt, Settings } }: { tenant: Tenant }) {
  const { t, locale } = useTexts();
  const { data } = useCall('Tenants_GetCounts', { Tenant: ID }, { enabled: Status === 'active' });
  const days = (count: number) => amountOf(count, 'day', locale);
  const members = data?.Members?.Active;
  const invitations = data?.Invitations;
  return (
    <Facts
      facts={[
        { name: t('platform.created'), value: <Time at={CreatedAt} /> },
        ...(members ? [{ name: t('overview.members'), value: shownCount(members, locale) }] : []),
        ...(invitations
          ? [{ name: t('overview.invitations'), value: shownCount(invitations, locale) }]
          : []),
        {
          name: t('platform.requireSso'),
          value: t(Settings?.RequireSso ? 'platform.yes' : 'platform.no'),
        },
        { name: t('platform.keyLimit'), value: days(Settings?.MaxBotKeyDays || keyDays) },
        { name: t('platform.auditLimit'), value: days(Settings?.AuditRetentionDays || auditDays) },
      ]}
    />
  );
}
