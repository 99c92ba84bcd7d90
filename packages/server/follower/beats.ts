import { type Lease, type Moment, momentOf } from './lease.ts';
import type { Platform } from './platform.ts';

/** A connection whose gateway has not answered a beat for this time is dead. */
const silenceMs = 3000;

type BeatDeps = {
  platform: Platform;
  lease: Lease;
  send: (frame: object) => void;
  onBeat: () => void;
  /** Whether there are entries or open questions, so that the lease must not end. */
  isBusy: () => boolean;
  onSilence: () => void;
};

export type Beats = ReturnType<typeof createBeats>;

/** Sends the beats that extend the lease: often while the connection is in use, else seldom. */
export function createBeats({ platform, lease, send, onBeat, isBusy, onSilence }: BeatDeps) {
  const { clock } = platform;
  /** The beats without an `ok`, in the order of their IDs. */
  const unanswered = new Map<number, Moment>();
  let lastId = 0;
  let times = { beatMs: 0, idleBeatMs: 0 };
  let isIdle = true;
  let cancel = () => {};

  function beat(isAwake = false): void {
    cancel();
    const [oldest] = unanswered.values();
    if (oldest && clock.monotonicMs() - oldest.monotonicMs > silenceMs) return onSilence();
    onBeat();
    // The lease counts from before the beat is sent.
    unanswered.set(++lastId, momentOf(clock));
    send({ Type: 'beat', ID: lastId });
    isIdle = !isAwake && !isBusy();
    cancel = platform.after(isIdle ? times.idleBeatMs : times.beatMs, () => beat());
  }

  return {
    start(beatMs: number, idleBeatMs: number): void {
      times = { beatMs, idleBeatMs };
      beat(true);
    },

    /** Begins to beat often, at the first question after an idle time. */
    wake(): void {
      if (isIdle) beat(true);
    },

    /** An `ok` to a beat that is not known, or was answered before, extends nothing. */
    receiveOk(id: number, leaseMs: number): void {
      const sentAt = unanswered.get(id);
      if (!sentAt) return;
      for (const earlier of unanswered.keys()) if (earlier <= id) unanswered.delete(earlier);
      lease.extend(sentAt, leaseMs);
    },

    stop: () => cancel(),
  };
}
