import { answerInvalid } from './answer.ts';
import { findAttribute, type XmlElement } from './xml.ts';

/** How far the provider's clock may be from ours, in milliseconds. */
export const skew = 60_000;

/** A time as SAML writes it: in UTC. Undefined where it is not said. */
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

export const isOver = (end: Date, now: Date): boolean => now.getTime() - skew >= end.getTime();
export const isToCome = (start: Date, now: Date): boolean => now.getTime() + skew < start.getTime();

/** By how much two clocks differ is the first thing to look at. */
export const clocks = (now: Date): string => `It is ${now.toISOString()} here: compare the clocks.`;
