import { Box, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { fillOf, Hatching, PlotBars, type Point, type Series } from './plot-bars.tsx';
import { sum } from './sum.ts';
import { useTexts } from './texts.tsx';

type Props = {
  title: string;
  /** The header of the points in the table. */
  unit: string;
  series: readonly Series[];
  points: readonly Point[];
  /** Shows a value, such as one in milliseconds. */
  show?: (value: number) => string;
  /** The figure beside the name of a series: the sum if it is absent. */
  summary?: (values: readonly number[]) => number;
  /** The height of the bars in pixels. */
  size?: number;
  /** Links to the view with the records, or what chooses the points. */
  children?: ReactNode;
};

/** Bars over time, and the same numbers as a table. */
export function Plot(props: Props) {
  const { title, unit, series, points, show, summary = sum, size = 96, children } = props;
  const { t, locale } = useTexts();
  const id = useId();
  const format = show ?? ((value: number) => new Intl.NumberFormat(locale).format(value));
  const legend = series.map((one, at) => ({
    ...one,
    figure: format(summary(points.map(({ values }) => values[at] ?? 0))),
  }));
  const figures = legend.map(({ name, figure }) => `${name}: ${figure}`).join(', ');
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={`${id}title`}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h5" id={`${id}title`}>
            {title}
          </Title>
          {children}
        </Group>
        <Legend id={id} series={legend} />
        <PlotBars {...{ id, title, series, points, format, size }} summary={figures} />
        <Box component="details">
          <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
            {t('plot.table')}
          </Text>
          <Numbers {...{ title, unit, series, points, format }} />
        </Box>
      </Stack>
    </Paper>
  );
}

type LegendProps = { id: string; series: ReadonlyArray<Series & { figure: string }> };

const Legend = ({ id, series }: LegendProps) => (
  <Group gap="md">
    {series.map(({ name, isBad, figure }, at) => (
      <Group key={name} gap={6} wrap="nowrap">
        <svg width={12} height={12} aria-hidden>
          <Hatching id={`${id}mark${at}`} />
          <rect width={12} height={12} fill={fillOf(isBad, `${id}mark${at}`)} />
        </svg>
        <Text size="sm">
          {name}: <strong>{figure}</strong>
        </Text>
      </Group>
    ))}
  </Group>
);

type NumbersProps = Pick<Props, 'title' | 'unit' | 'series' | 'points'> & {
  format: (value: number) => string;
};

function Numbers({ title, unit, series, points, format }: NumbersProps) {
  return (
    <Box mah={260} style={{ overflow: 'auto' }} tabIndex={0} role="group" aria-label={title}>
      <Table aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{unit}</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} scope="col">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {points.toReversed().map(({ label, values }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row">{label}</Table.Th>
              {series.map(({ name }, at) => (
                <Table.Td key={name}>{format(values[at] ?? 0)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
