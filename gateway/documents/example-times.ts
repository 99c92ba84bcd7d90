import { moment } from '@bailiwick/contract';

const dayMs = 86_400_000;
/** Today's UTC day, in days since 1970. */
export const today = (): number => Math.floor(Date.now() / dayMs);

const time = /"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g;

/**
 * Moves the example times in the OpenAPI document by whole days, from the day that the generator
 * assumes to `day`. An example's `ExpiresAt` is then always in the future and within its field's
 * limits.
 */
export function withCurrentTimes(document: string, day: number): string {
  const days = day - Math.floor(Date.parse(moment) / dayMs);
  return document.replace(time, (text) =>
    JSON.stringify(new Date(Date.parse(JSON.parse(text) as string) + days * dayMs).toISOString()),
  );
}
