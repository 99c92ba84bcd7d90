/** A moment on both clocks: the wall clock may be set, and the monotonic one stands while a machine sleeps. */
export type Moment = { wall: number; monotonic: number };

export const present = (): Moment => ({ wall: Date.now(), monotonic: performance.now() });

/** The time between two moments in ms, on the clock that shows more. */
export const elapsedMs = (from: Moment, to: Moment): number =>
  Math.max(to.wall - from.wall, to.monotonic - from.monotonic);

/** Whether less than this time has passed between two moments, on either clock. */
export const isWithin = (ms: number, from: Moment, to: Moment): boolean => elapsedMs(from, to) < ms;
