import { serviceOrigin } from '@bailiwick/contract';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { nextNotice } from './expiry.ts';
import { setNotice, takeDue } from './queries.ts';
import { recordKey } from './records.ts';

const batch = 100;

const origin = serviceOrigin('identity');

/**
 * Announces that keys are about to expire or have expired. Safe to run on several replicas, since
 * each row is locked by one. Nothing depends on it: every use of a key checks its expiry.
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
    database.transaction({ call: origin, tenant: null }, async (tx) => {
      const keys = await takeDue(tx, batch);
      for (const key of keys) {
        const expiresAt = new Date(key.expiresAt);
        // The database decides which keys are due. Its clock and this one may differ, and no event
        // is sent twice.
        const at = new Date(Math.max(Date.now(), Date.parse(key.noticeAt)));
        recordKey(tx, expiresAt <= at ? 'bot_key.expired' : 'bot_key.expiring', key);
        await setNotice(tx, key, nextNotice(expiresAt, at));
      }
      return keys.length;
    });

  return repeat({
    everyMs: intervalMs,
    log,
    failed: 'announcing expiring keys failed, retrying',
    async work(isStopped) {
      while (!isStopped() && (await announce()) === batch);
    },
  });
}
