import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Anchor, Group, SimpleGrid } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useCall } from '../parts/calls.ts';
import { Plot } from '../parts/plot.tsx';
import { useTexts } from '../parts/texts.tsx';
import { dayName } from '../parts/times.ts';
import { useTenant } from '../shell/routes.tsx';
import { useCounts } from './figures.tsx';

// A tenant's counts of each of the last 30 days, as far as the user may see them.

type Days = ResponseOf<'Webhooks_GetStats'>['Days'];

export function Plots() {
  const { t } = useTexts();
  const { may } = useTenant();
  const hasCounts = may('iam.users.write') || may('iam.audit.read');
  const hasStats = may('iam.webhooks.read') || may('iam.chat.read');
  if (!hasCounts && !hasStats) return undefined;
  return (
    <SimpleGrid
      component="section"
      aria-label={t('overview.plots')}
      cols={{ base: 1, md: 2 }}
      spacing="sm"
      verticalSpacing="sm"
    >
      {hasCounts && <Calls />}
      {hasStats && <Deliveries />}
    </SimpleGrid>
  );
}

/** Sign-ins and denied calls. */
function Calls() {
  const { t, locale } = useTexts();
  const { Slug } = useTenant();
  const { data } = useCounts();
  if (!data) return undefined;
  const plots = [
    { title: t('overview.signIns'), days: data.SignIns, result: '' },
    { title: t('overview.refusals'), days: data.Refusals, result: 'denied' },
  ].filter(({ days }) => days.length > 0);
  return plots.map(({ title, days, result }) => (
    <Plot
      key={title}
      title={title}
      unit={t('plot.day')}
      series={[{ name: title, isBad: result !== '' }]}
      points={days.map(({ Day, Count }) => ({ label: dayName(Day, locale), values: [Count] }))}
    >
      {result !== '' && (
        <Anchor
          component={Link}
          to={`/console/t/${Slug}/audit`}
          search={{ result } as never}
          size="sm"
        >
          {t('overview.toAudit')}
        </Anchor>
      )}
    </Plot>
  ));
}

/** The attempts of webhooks and chat together. */
function Deliveries() {
  const { t, locale } = useTexts();
  const { ID, Slug, may } = useTenant();
  const options = (area: string) => ({ enabled: may(`iam.${area}.read`), staleTime: 60_000 });
  const webhooks = useCall('Webhooks_GetStats', { Tenant: ID }, options('webhooks')).data?.Days;
  const chat = useCall('Chat_GetStats', { Tenant: ID }, options('chat')).data?.Days;
  const days = together(webhooks, chat);
  if (days.length === 0) return undefined;
  return (
    <Plot
      title={t('overview.deliveries')}
      unit={t('plot.day')}
      series={[
        { name: t('overview.delivered') },
        { name: t('overview.notDelivered'), isBad: true },
      ]}
      points={days.map(({ start, values }) => ({ label: dayName(start, locale), values }))}
    >
      <Group gap="sm">
        {may('iam.webhooks.read') && (
          <Anchor component={Link} to={`/console/t/${Slug}/webhooks`} size="sm">
            {t('overview.webhooks')}
          </Anchor>
        )}
        {may('iam.chat.read') && (
          <Anchor component={Link} to={`/console/t/${Slug}/chat`} size="sm">
            {t('overview.chat')}
          </Anchor>
        )}
      </Group>
    </Plot>
  );
}

/** Delivered and failed attempts of each day. */
function together(one: Days | undefined, other: Days | undefined) {
  return (one ?? other ?? []).map(({ Start }, at) => {
    const both = [one?.[at], other?.[at]];
    const total = (count: (day: Days[number]) => number) =>
      both.reduce((sum, day) => sum + (day ? count(day) : 0), 0);
    return {
      start: Start,
      values: [
        total(({ Delivered }) => Delivered),
        total(({ Retried, Failed }) => Retried + Failed),
      ],
    };
  });
}
