import { serviceOrigin } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import { type Background, repeat } from '@bailiwick/pipeline';
import type { Log } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { type ClearUrl, listClearUrls, replaceClearUrl } from './queries.ts';
import { sealsUrls, sealUrl } from './url.ts';

type Deps = { database: Database; keys: TenantKeys; log: Log };

const intervalMs = 15_000;

const atOnce = 100;

/** Seals the URLs that an older version has stored in clear, once none may run any more. */
export const createUrlSealer = (deps: Deps): Background =>
  repeat({
    everyMs: intervalMs,
    log: deps.log,
    failed: 'sealing the URLs of webhook endpoints failed, retrying',
    work: (isStopped) => sealUrls(deps, isStopped),
  });

export async function sealUrls(
  { database, keys, log }: Deps,
  isStopped: () => boolean,
): Promise<void> {
  if (!(await sealsUrls(database))) return;
  let sealed = 0;
  for (let after: { tenant: string; id: string } | undefined = { tenant: '', id: '' }; after; ) {
    const rows: ClearUrl[] = await listClearUrls(database, after, atOnce);
    for (const row of rows) {
      if (isStopped()) return;
      try {
        if (
          await replaceClearUrl(
            database,
            serviceOrigin('notifications'),
            row,
            await sealUrl(keys, row, row.url),
          )
        )
          sealed++;
      } catch (error) {
        const { tenant, id } = row;
        log.warn('sealing the URL of a webhook endpoint failed, retrying', { tenant, id, error });
      }
    }
    after = rows.length < atOnce ? undefined : rows.at(-1);
  }
  if (sealed > 0) log.info('sealed the URLs of webhook endpoints', { sealed });
}
