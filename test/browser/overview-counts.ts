import type { Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';

/** Days and hours as the service counts them. */
export async function fillCounts(stack: Stack, tenant: string, endpoint: string): Promise<void> {
  await rowsOf(
    stack,
    `insert into access.daily_count select $1, kind, (now() at time zone 'UTC')::date - n, (n * 7) % 23 + 1
     from generate_series(0, 29) n, unnest(array['sign_in', 'denied']) kind
     on conflict (tenant, kind, day) do update set count = excluded.count`,
    [tenant],
  );
  await rowsOf(
    stack,
    `insert into access.hourly_count select $1, 'sign_in', date_trunc('hour', now()) - n * interval '1 hour', n + 3
     from generate_series(0, 23) n on conflict (tenant, kind, hour) do update set count = excluded.count`,
    [tenant],
  );
  await rowsOf(
    stack,
    `insert into access.daily_count select $1, 'groups', (now() at time zone 'UTC')::date - n, n % 3
     from generate_series(0, 29) n on conflict (tenant, kind, day) do update set count = excluded.count`,
    [tenant],
  );
  await rowsOf(
    stack,
    `insert into notifications.delivery_hour
     select $1, $2, date_trunc('hour', now()) - n * interval '1 hour', (n * 13) % 60, (n * 7) % 11, n % 5, 90 * ((n * 13) % 60), (n * 31) % 900
     from generate_series(0, 700) n`,
    [tenant, endpoint],
  );
}
