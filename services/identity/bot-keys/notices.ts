import { serviceCaller } from '@bailiwick/shared/caller.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { repeat } from '@bailiwick/shared/repeat.ts';
import type { Background } from '@bailiwick/shared/service.ts';
import { nextNotice } from './expiry.ts';
import { setNotice, takeDue } from './queries.ts';
import { recordKey } from './records.ts';

const batch = 100;

const origin = { operation: { name: '' }, caller: serviceCaller('identity') };

/**
 * Says that keys are about to expire, and that they have. Any number of replicas may run it: each row is one's. No key
 * lives by it: whatever reads one asks for its expiry itself.
 */
export function createKeyNotices({
  database,
  log,
  intervalMs = 5000,
}: {
  database: Database;
  log: Log;
  intervalMs?: number;
}): Background {
  const announce = () =>
    database.transaction(null, async (em) => {
      const keys = await takeDue(em, batch);
      for (const key of keys) {
        const expiresAt = new Date(key.expiresAt);
        // The database says what is due. Its clock and this one may differ, and nothing is said twice.
        const at = new Date(Math.max(Date.now(), Date.parse(key.noticeAt)));
        recordKey(em, origin, expiresAt <= at ? 'bot_key.expired' : 'bot_key.expiring', key);
        await setNotice(em, key, nextNotice(expiresAt, at));
      }
      return keys.length;
    });

  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'expiring keys could not be announced, it is tried again',
    async work(isStopped) {
      while (!isStopped() && (await announce()) === batch);
    },
  });
}
