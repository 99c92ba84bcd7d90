const width = 80;
const height = 20;

/** A line through the values. The text beside it says the same. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) =>
    highest === lowest
      ? height - 2
      : height - 2 - ((value - lowest) / (highest - lowest)) * (height - 4);
  const x = (at: number) => (at / Math.max(1, values.length - 1)) * width;
  const line = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      width="100%"
      height={height}
      aria-hidden
      data-sparkline
    >
      <polyline
        points={line}
        fill="none"
        stroke="var(--mantine-primary-color-filled)"
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
