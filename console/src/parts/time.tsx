import { useTexts } from './texts.tsx';
import { exactTime, relativeTime } from './times.ts';

/** A time as seen from now, with the exact one on hover. */
export function Time({ at }: { at: string | undefined }) {
  const { locale } = useTexts();
  if (at === undefined) return '–';
  return (
    <time dateTime={at} title={exactTime(at, locale)}>
      {relativeTime(at, locale)}
    </time>
  );
}
