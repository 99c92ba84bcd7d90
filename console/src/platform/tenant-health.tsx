import { Alert, Skeleton } from '@mantine/core';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Icon } from '../parts/icon.tsx';
import { PageSection } from '../parts/page-section.tsx';
import { useTexts } from '../parts/texts.tsx';
import { Time } from '../parts/time.tsx';
import type { Tenant } from './tenant-states.ts';

/** The endpoints of a tenant that fail now. */
export function TenantHealth({ tenant: { ID } }: { tenant: Tenant }) {
  const { t } = useTexts();
  const { data, error, refetch } = useCall('Queues_Status', {}, { staleTime: 5000 });
  const failing = data?.FailingEndpoints.filter(({ Tenant: owner }) => owner === ID) ?? [];
  return (
    <PageSection title={t('platform.health')}>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={52} />}
      {data && failing.length === 0 && (
        <Alert color="teal" icon={<Icon name="check" />}>
          {t('platform.noFailing')}
        </Alert>
      )}
      {failing.map(({ Endpoint, Name, FailingSince, StatusCode, Error: problem }) => (
        <Alert key={Endpoint} color="red" icon={<Icon name="warning" />} title={Name || Endpoint}>
          {t('platform.since')} <Time at={FailingSince} />
          {': '}
          {[StatusCode || '', problem].filter(Boolean).join(' ')}
        </Alert>
      ))}
    </PageSection>
  );
}
