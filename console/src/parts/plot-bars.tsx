import { Group, Text } from '@mantine/core';
import { type PointerEvent, useRef, useState } from 'react';
import { sum } from './sum.ts';
import { useTexts } from './texts.tsx';

export type Series = {
  name: string;
  /** Bad ones are hatched, so that they differ in more than colour. */
  isBad?: boolean;
};

export type Point = {
  /** The day or the hour. */
  label: string;
  /** One value for each series. */
  values: readonly number[];
};

const height = 100;
const step = 10;

type Props = {
  /** The id of the plot's hatching. */
  id: string;
  title: string;
  /** The sums of the series, for a screen reader. */
  summary: string;
  series: readonly Series[];
  points: readonly Point[];
  format: (value: number) => string;
  /** In pixels. */
  size: number;
};

/**
 * The bars, and the values of one of them: of the one below the pointer, or of the one that the
 * finger or the arrow keys have reached. The control over the bars is the browser's own slider, for
 * keys and screen readers: it would divide the width by one bar less than there are.
 */
export function PlotBars({ id, title, summary, series, points, format, size }: Props) {
  const { t } = useTexts();
  const [active, setActive] = useState<number>();
  const slider = useRef<HTMLInputElement>(null);
  const last = points.length - 1;
  const point = active === undefined ? undefined : points[Math.min(active, last)];
  const figures = point ? figuresOf(point, series, format) : '';
  const follow = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setActive(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * (last + 1)))));
  };
  return (
    <>
      <div
        className="console-plot"
        role="presentation"
        onPointerDown={(event) => {
          follow(event);
          slider.current?.focus({ preventScroll: true });
        }}
        onPointerMove={follow}
        onPointerLeave={({ pointerType }) => {
          if (pointerType === 'mouse' && document.activeElement !== slider.current)
            setActive(undefined);
        }}
        // The slider keeps the focus.
        onMouseDown={(event) => event.preventDefault()}
      >
        <Drawing {...{ id, title, summary, series, points, format, size, active }} />
        <input
          ref={slider}
          type="range"
          min={0}
          max={last}
          value={active ?? last}
          aria-label={t('plot.values', { title })}
          aria-valuetext={point ? `${point.label}: ${figures}` : t('plot.choose')}
          onChange={(event) => setActive(Number(event.currentTarget.value))}
          onFocus={() => setActive((now) => now ?? last)}
          onBlur={() => setActive(undefined)}
        />
      </div>
      <Ends first={points[0]?.label} last={points[last]?.label} />
      <Text size="sm" mih="1.5em" aria-hidden data-plot-value>
        {point && (
          <>
            <strong>{point.label}</strong> {figures}
          </>
        )}
      </Text>
    </>
  );
}

const Ends = ({ first, last }: { first: string | undefined; last: string | undefined }) => (
  <Group justify="space-between" aria-hidden>
    <Text size="xs" c="dimmed">
      {first}
    </Text>
    <Text size="xs" c="dimmed">
      {last}
    </Text>
  </Group>
);

const figuresOf = ({ values }: Point, series: readonly Series[], format: Props['format']) =>
  series.map(({ name }, at) => `${name}: ${format(values[at] ?? 0)}`).join(', ');

function Drawing({
  id,
  title,
  summary,
  series,
  points,
  size,
  active,
}: Props & { active: number | undefined }) {
  const highest = Math.max(1, ...points.map(({ values }) => sum(values)));
  return (
    <svg
      viewBox={`0 0 ${points.length * step} ${height}`}
      preserveAspectRatio="none"
      width="100%"
      height={size}
      role="img"
      aria-label={`${title}. ${summary}`}
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
          isActive={at === active}
        />
      ))}
    </svg>
  );
}

export const fillOf = (isBad: boolean | undefined, pattern: string) =>
  isBad ? `url(#${pattern})` : 'var(--mantine-primary-color-filled)';

export const Hatching = ({ id }: { id: string }) => (
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
  isActive: boolean;
};

/** The values of one point on top of each other. */
function Bar({ point: { values }, series, x, scale, pattern, isActive }: BarProps) {
  return (
    <g>
      <rect
        x={x}
        width={step}
        height={height}
        fill={isActive ? 'var(--console-line)' : 'transparent'}
      />
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
