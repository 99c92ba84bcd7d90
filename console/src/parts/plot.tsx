import { Box, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useTexts } from './texts.tsx';

type Series = {
  name: string;
  /** Bad ones are hatched, so that they differ in more than colour. */
  isBad?: boolean;
};

type Point = {
  /** The day or the hour. */
  label: string;
  /** One value for each series. */
  values: readonly number[];
};

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
  /** A link to the view with the records. */
  children?: ReactNode;
};

const height = 100;
const step = 10;

/** Bars over time, and the same numbers as a table. */
export function Plot({ title, unit, series, points, show, summary = sum, children }: Props) {
  const { t, locale } = useTexts();
  const id = useId();
  const format = show ?? ((value: number) => new Intl.NumberFormat(locale).format(value));
  const highest = Math.max(1, ...points.map(({ values }) => sum(values)));
  const legend = series.map((one, at) => ({
    ...one,
    figure: format(summary(points.map(({ values }) => values[at] ?? 0))),
  }));
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
        <svg
          viewBox={`0 0 ${points.length * step} ${height}`}
          preserveAspectRatio="none"
          width="100%"
          height={96}
          role="img"
          aria-label={`${title}. ${legend.map(({ name, figure }) => `${name}: ${figure}`).join(', ')}`}
        >
          <Hatching id={`${id}bars`} />
          {points.map((point, at) => (
            <Bar
              key={point.label}
              point={point}
              series={series}
              x={at * step}
              scale={height / highest}
              pattern={`${id}bars`}
              format={format}
            />
          ))}
        </svg>
        <Group justify="space-between" aria-hidden>
          <Text size="xs" c="dimmed">
            {points[0]?.label}
          </Text>
          <Text size="xs" c="dimmed">
            {points.at(-1)?.label}
          </Text>
        </Group>
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

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const fillOf = (isBad: boolean | undefined, pattern: string) =>
  isBad ? `url(#${pattern})` : 'var(--mantine-primary-color-filled)';

const Hatching = ({ id }: { id: string }) => (
  <pattern id={id} width={4} height={4} patternUnits="userSpaceOnUse">
    <rect width={4} height={4} fill="var(--mantine-color-error)" />
    <path d="M-1 5 5 -1" stroke="var(--mantine-color-body)" strokeWidth={1} />
  </pattern>
);

type BarProps = {
  point: Point;
  series: readonly Series[];
  x: number;
  scale: number;
  pattern: string;
  format: (value: number) => string;
};

/** The values of one point on top of each other. */
function Bar({ point: { label, values }, series, x, scale, pattern, format }: BarProps) {
  const figures = series.map(({ name }, at) => `${name}: ${format(values[at] ?? 0)}`).join(', ');
  return (
    <g>
      <title>{`${label}: ${figures}`}</title>
      <rect x={x} width={step} height={height} fill="transparent" />
      <rect x={x + 1} y={height - 1} width={step - 2} height={1} fill="var(--console-line)" />
      {series.map(({ name, isBad }, at) => {
        const below = sum(values.slice(0, at + 1)) * scale;
        const size = (values[at] ?? 0) * scale;
        return (
          <rect
            key={name}
            x={x + 1}
            y={height - below}
            width={step - 2}
            height={size}
            fill={fillOf(isBad, pattern)}
          />
        );
      })}
    </g>
  );
}

type NumbersProps = Pick<Props, 'title' | 'unit' | 'series' | 'points'> & Pick<BarProps, 'format'>;

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
