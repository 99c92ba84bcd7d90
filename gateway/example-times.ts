import { moment } from '@bailiwick/proto/example-moment.ts';

const dayMs = 86_400_000;
/** The UTC day, in days since 1970. */
export const today = (): number => Math.floor(Date.now() / dayMs);

const time = /"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g;

/**
 * The OpenAPI document with the times of its examples moved by whole days, so that they stand to `day` as they do to the
 * day that the generator assumes. An `ExpiresAt` in an example is then always ahead, and within the limits of its field.
 */
export function withCurrentTimes(document: string, day: number): string {
  const days = day - Math.floor(Date.parse(moment) / dayMs);
  return document.replace(time, (text) =>
    JSON.stringify(new Date(Date.parse(JSON.parse(text) as string) + days * dayMs).toISOString()),
  );
}
