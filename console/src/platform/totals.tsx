import { SimpleGrid } from '@mantine/core';
import { useCall } from '../parts/calls.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { usePlatformPermissions } from '../parts/permissions.ts';
import { Plot } from '../parts/plot.tsx';
import { useTexts } from '../parts/texts.tsx';
import { dayName } from '../parts/times.ts';

/** Sign-ins and denied calls on the platform, day by day. */
export function Totals() {
  const { t, locale } = useTexts();
  const mayAsk = usePlatformPermissions().may('iam.platform.tenants.read');
  const options = { staleTime: 60_000, enabled: mayAsk };
  const { data, error } = useCall('Tenants_GetTotals', {}, options);
  if (error) return <FailureNotice error={error} />;
  if (!data) return undefined;
  const plots = [
    { title: t('platform.signIns'), days: data.SignIns, isBad: false },
    { title: t('platform.refusals'), days: data.Refusals, isBad: true },
  ];
  return (
    <SimpleGrid
      component="section"
      aria-label={t('platform.lastDays')}
      cols={{ base: 1, md: 2 }}
      spacing="sm"
      verticalSpacing="sm"
    >
      {plots.map(({ title, days, isBad }) => (
        <Plot
          key={title}
          title={title}
          unit={t('plot.day')}
          series={[{ name: title, isBad }]}
          points={days.map(({ Day, Count }) => ({ label: dayName(Day, locale), values: [Count] }))}
        />
      ))}
    </SimpleGrid>
  );
}
