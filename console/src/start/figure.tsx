import type { ResponseOf } from '@bailiwick/client/client.ts';
import { Anchor, Paper, Skeleton, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Sparkline } from '../parts/sparkline.tsx';
import { useTexts } from '../parts/texts.tsx';
import { useTenant } from '../shell/routes.tsx';

export type Count = NonNullable<ResponseOf<'Tenants_GetCounts'>['Groups']>;

/** Shows a count, and that there are more if counting ended before. */
export const shownCount = ({ Value, HasMore }: Count, locale: string): string =>
  `${new Intl.NumberFormat(locale).format(Value)}${HasMore ? '+' : ''}`;

/** The last 30 days of a figure: a value for each day, if they are known, and what they come to. */
export type Course = { values: readonly number[]; text: string };

type FigureProps = {
  title: string;
  isPending: boolean;
  /** Absent if it is not available. */
  count: Count | undefined;
  course?: Course | undefined;
  /** The view below the tenant that shows the items. */
  to?: string;
  search?: object;
  children?: ReactNode;
};

/** One figure, which leads to its view. */
export function Figure({ title, isPending, count, course, to, search, children }: FigureProps) {
  const { t, locale } = useTexts();
  const { Slug } = useTenant();
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {to ? (
          <Anchor
            component={Link}
            to={`/console/t/${Slug}/${to}`}
            {...(search && { search: search as never })}
            inherit
          >
            {title}
          </Anchor>
        ) : (
          title
        )}
      </Text>
      {isPending ? (
        <Skeleton height={32} width={64} mt={4} />
      ) : (
        <Text fz={count ? 28 : 'sm'} fw={650} lh={1.3} data-figure={title}>
          {count ? shownCount(count, locale) : t('overview.unavailable')}
        </Text>
      )}
      {course && (
        <>
          {course.values.length > 0 && <Sparkline values={course.values} />}
          <Text size="xs" c="dimmed">
            {course.text}
          </Text>
        </>
      )}
      {children}
    </Paper>
  );
}

/** A further number below a figure, if it is not 0. */
export function Further({ text, isBad = false }: { text: string; isBad?: boolean }) {
  return (
    <Text size="sm" c={isBad ? 'var(--mantine-color-error)' : 'dimmed'}>
      {text}
    </Text>
  );
}
