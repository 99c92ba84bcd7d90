import { clockToleranceSeconds } from '../limits.ts';
import { answerInvalid } from './answer.ts';
import { findAttribute, type XmlElement } from './xml.ts';

/** Tolerance for the provider's clock, in milliseconds. */
export const skew = clockToleranceSeconds * 1000;

/** A SAML time, which is in UTC; undefined if the attribute is missing. */
export function findTime(element: XmlElement, name: string): Date | undefined {
  const text = findAttribute(element, name);
  if (text === undefined) return undefined;
  const time = new Date(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(text) ? text : Number.NaN,
  );
  if (Number.isNaN(time.getTime()))
    throw answerInvalid(`${name} of the ${element.localName} is not a time in UTC.`);
  return time;
}

export const isPast = (end: Date, now: Date): boolean => now.getTime() - skew >= end.getTime();
export const isFuture = (start: Date, now: Date): boolean => now.getTime() + skew < start.getTime();

/** A hint to compare the clocks, the most common cause. */
export const compareClocks = (now: Date): string =>
  `It is ${now.toISOString()} here: compare the clocks.`;
