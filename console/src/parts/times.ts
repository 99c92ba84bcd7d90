const units = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** The formatter of each locale, made once: a list formats a time in each row. */
function perLocale<Format>(make: (locale: string) => Format): (locale: string) => Format {
  const formats = new Map<string, Format>();
  return (locale) => {
    const format = formats.get(locale) ?? make(locale);
    formats.set(locale, format);
    return format;
  };
}

const relativeFormat = perLocale(
  (locale) => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
);
const exactFormat = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' }),
);

/** A time as seen from now: "3 hours ago", "in 2 days". */
export function relativeTime(at: string, locale: string, now: number = Date.now()): string {
  const seconds = (Date.parse(at) - now) / 1000;
  const format = relativeFormat(locale);
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  return format.format(0, 'minute');
}

/** The same time with its date, hour and time zone. */
export const exactTime = (at: string, locale: string): string =>
  exactFormat(locale).format(new Date(at));

/** A day in UTC, such as 2026-11-25 or the time of its start. */
export const dayName = (day: string | undefined, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(day ?? 0),
  );

/** The start of an hour with its day, in the time zone of the user. */
export const hourName = (start: string | undefined, locale: string): string =>
  new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  }).format(new Date(start ?? 0));

/** How long to wait: "42 seconds", "10 minutes". */
export function waitingTime(seconds: number, locale: string): string {
  if (seconds < 120) return amountOf(seconds, 'second', locale);
  return amountOf(Math.ceil(seconds / 60), 'minute', locale);
}

/** An amount of time: "1 day", "15 minutes". */
export const amountOf = (
  count: number,
  unit: 'second' | 'minute' | 'hour' | 'day',
  locale: string,
): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count);

const clockFormat = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' }),
);
const localDayFormat = perLocale(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'full' }),
);

/** The hour and minute of a time, in the time zone of the user. */
export const clockTime = (at: string, locale: string): string =>
  clockFormat(locale).format(new Date(at));

/** The day of a time, in the time zone of the user. */
export const localDay = (at: string, locale: string): string =>
  localDayFormat(locale).format(new Date(at));
