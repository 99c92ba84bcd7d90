import { SimpleGrid, Skeleton } from '@mantine/core';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Plot } from '../parts/plot.tsx';
import { useTexts } from '../parts/texts.tsx';
import { dayName, hourName } from '../parts/times.ts';
import { useTenant } from '../shell/routes.tsx';
import { useArea } from './area.tsx';

/** Whether an endpoint accepts its deliveries, and how fast. */
export function Health({ endpoint }: { endpoint: string }) {
  const { t, locale } = useTexts();
  const { ID: Tenant } = useTenant();
  const { area } = useArea();
  const { data, error } = useCall(
    `${area}_GetStats`,
    { Tenant, ID: endpoint },
    { staleTime: 60_000 },
  );
  if (error) return <FailureNotice error={error} />;
  if (!data) return <Skeleton height={180} />;
  const inMs = (ms: number) => t('webhooks.ms', { ms: String(ms) });
  return (
    <SimpleGrid
      component="section"
      aria-label={t('webhooks.health')}
      cols={{ base: 1, md: 2 }}
      spacing="sm"
      verticalSpacing="sm"
    >
      <Plot
        title={t('webhooks.healthDays')}
        unit={t('plot.day')}
        series={[
          { name: t('webhooks.delivered') },
          { name: t('webhooks.notDelivered'), isBad: true },
        ]}
        points={data.Days.map(({ Start, Delivered, Retried, Failed }) => ({
          label: dayName(Start, locale),
          values: [Delivered, Retried + Failed],
        }))}
      />
      <Plot
        title={t('webhooks.healthTime')}
        unit={t('plot.hour')}
        series={[{ name: t('webhooks.longest') }]}
        show={inMs}
        summary={(values) => Math.max(0, ...values)}
        points={data.Hours.map(({ Start, LongestMs }) => ({
          label: hourName(Start, locale),
          values: [LongestMs],
        }))}
      />
    </SimpleGrid>
  );
}
