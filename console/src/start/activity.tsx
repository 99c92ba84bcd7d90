import { Anchor, Group, NativeSelect, SegmentedControl, Skeleton, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Plot } from '../parts/plot.tsx';
import { useTexts } from '../parts/texts.tsx';
import { dayName, hourName } from '../parts/times.ts';
import { useTenant } from '../shell/routes.tsx';
import { useCounts, useStats } from './counts.ts';
import { addStats } from './trends.ts';

// One plot of the events in a tenant, as far as the user may see them.

type Moment = { start: string | undefined; values: readonly number[] };
type Metric = {
  id: 'signIns' | 'refusals' | 'deliveries';
  title: string;
  series: ReadonlyArray<{ name: string; isBad?: boolean }>;
  isAllowed: boolean;
  isLoading: boolean;
  days: readonly Moment[];
  hours: readonly Moment[];
};

const ranges = ['day', 'week', 'month'] as const;
type Range = (typeof ranges)[number];
const rangeTexts = {
  day: 'overview.day',
  week: 'overview.week',
  month: 'overview.month',
} as const;

/** The figures that the user may see, in an order that does not depend on the first answer. */
function useMetrics(): Metric[] {
  const { t } = useTexts();
  const { may } = useTenant();
  const [maySignIns, mayRefusals] = [may('iam.users.write'), may('iam.audit.read')];
  const [mayWebhooks, mayChat] = [may('iam.webhooks.read'), may('iam.chat.read')];
  const { data: counts, isLoading: isCounting } = useCounts(maySignIns || mayRefusals);
  const webhooks = useStats('Webhooks', mayWebhooks);
  const chat = useStats('Chat', mayChat);
  const daysOf = (days: ReadonlyArray<{ Day: string; Count: number }> = []) =>
    days.map(({ Day, Count }) => ({ start: Day, values: [Count] }));
  const hoursOf = (hours: ReadonlyArray<{ Start?: string; Count: number }> = []) =>
    hours.map(({ Start, Count }) => ({ start: Start, values: [Count] }));
  const [signIns, refusals] = [t('overview.signIns'), t('overview.refusals')];
  const metrics: Metric[] = [
    {
      id: 'signIns',
      title: signIns,
      series: [{ name: signIns }],
      isAllowed: maySignIns,
      isLoading: isCounting,
      days: daysOf(counts?.SignIns),
      hours: hoursOf(counts?.SignInHours),
    },
    {
      id: 'refusals',
      title: refusals,
      series: [{ name: refusals, isBad: true }],
      isAllowed: mayRefusals,
      isLoading: isCounting,
      days: daysOf(counts?.Refusals),
      hours: hoursOf(counts?.RefusalHours),
    },
    {
      id: 'deliveries',
      title: t('overview.deliveries'),
      series: [
        { name: t('overview.delivered') },
        { name: t('overview.notDelivered'), isBad: true },
      ],
      isAllowed: mayWebhooks || mayChat,
      isLoading: webhooks.isLoading || chat.isLoading,
      days: addStats(webhooks.data?.Days, chat.data?.Days).slice(-30),
      hours: addStats(webhooks.data?.Hours, chat.data?.Hours).slice(-24),
    },
  ];
  // One whose service does not answer is left out.
  return metrics.filter(
    ({ isAllowed, isLoading, days }) => isAllowed && (isLoading || days.length > 0),
  );
}

/** The plot with the choices of its values and its period. */
export function Activity() {
  const { t, locale } = useTexts();
  const metrics = useMetrics();
  const [chosen, setChosen] = useState<string>();
  const [range, setRange] = useState<Range>('month');
  const metric = metrics.find(({ id }) => id === chosen) ?? metrics[0];
  if (!metric) return undefined;
  const { id, title, series, isLoading, days, hours } = metric;
  const moments = range === 'day' ? hours : days.slice(range === 'week' ? -7 : 0);
  const nameOf = range === 'day' ? hourName : dayName;
  return (
    <Stack gap="sm" component="section" aria-label={t('overview.activity')}>
      <Group justify="space-between" gap="sm">
        <NativeSelect
          size="sm"
          aria-label={t('overview.activity')}
          value={id}
          onChange={(event) => setChosen(event.currentTarget.value)}
          data={metrics.map((one) => ({ value: one.id, label: one.title }))}
        />
        <SegmentedControl
          size="xs"
          transitionDuration={0}
          aria-label={t('overview.range')}
          value={range}
          onChange={(name) => setRange(ranges.find((one) => one === name) ?? 'month')}
          data={ranges.map((name) => ({ value: name, label: t(rangeTexts[name]) }))}
        />
      </Group>
      {isLoading ? (
        <Skeleton height={320} />
      ) : (
        <Plot
          key={`${id} ${range}`}
          title={title}
          unit={t(range === 'day' ? 'plot.hour' : 'plot.day')}
          series={series}
          points={moments.map(({ start, values }) => ({ label: nameOf(start, locale), values }))}
          size={200}
        >
          <Records of={id} />
        </Plot>
      )}
    </Stack>
  );
}

/** The views with the records behind the plot. */
function Records({ of }: { of: Metric['id'] }) {
  const { t } = useTexts();
  const { Slug, may } = useTenant();
  const links = {
    // A sign-in is an entry of the platform's audit: the tenant has no list of them.
    signIns: [],
    refusals: [
      { to: 'audit', text: t('overview.toAudit'), area: 'audit', search: { result: 'denied' } },
    ],
    deliveries: [
      { to: 'webhooks', text: t('overview.webhooks'), area: 'webhooks', search: {} },
      { to: 'chat', text: t('overview.chat'), area: 'chat', search: {} },
    ],
  }[of];
  return (
    <Group gap="sm">
      {links
        .filter(({ area }) => may(`iam.${area}.read`))
        .map(({ to, text, search }) => (
          <Anchor
            key={to}
            component={Link}
            to={`/console/t/${Slug}/${to}`}
            search={search as never}
            size="sm"
          >
            {text}
          </Anchor>
        ))}
    </Group>
  );
}
