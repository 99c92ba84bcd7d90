import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls again and again to keep the gateway's cache filled. `result` asserts that no call that
 * began after `ended()` succeeded.
 */
export function callOften(call: () => Promise<{ status: number }>) {
  let endedAt = Number.POSITIVE_INFINITY;
  let stop = false;
  let late = 0;
  let before = 0;
  const loops = Array.from({ length: 4 }, async () => {
    while (!stop) {
      const began = performance.now();
      const { status } = await call();
      if (status === 200 && began > endedAt) late++;
      if (status === 200 && began < endedAt) before++;
    }
  });
  return {
    ended: () => (endedAt = performance.now()),
    async result() {
      await sleep(300);
      stop = true;
      await Promise.all(loops);
      assert.ok(before > 0, 'the calls were allowed before');
      assert.equal(late, 0);
    },
  };
}
