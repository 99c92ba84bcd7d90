/** A moment on both clocks: the wall clock may be set, and the monotonic one stands while a machine sleeps. */
export type Moment = { wall: number; monotonic: number };

export const present = (): Moment => ({ wall: Date.now(), monotonic: performance.now() });

/** Whether less than this time has passed between two moments, on either clock. */
export const isWithin = (ms: number, from: Moment, to: Moment): boolean =>
  to.wall - from.wall < ms && to.monotonic - from.monotonic < ms;
