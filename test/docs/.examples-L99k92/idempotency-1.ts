import type { Database } from '@bailiwick/database';
import { createIdempotency } from '@bailiwick/idempotency';
import type { KeyRing } from '@bailiwick/keys';
import { createLog } from '@bailiwick/telemetry';

type Keyed = Parameters<ReturnType<typeof createIdempotency>>;

export async function runOnce(database: Database, keyRing: KeyRing, ...[call, work]: Keyed) {
  const once = createIdempotency({ database, keyRing, log: createLog('orders') });
  const { response, replayed } = await once(call, work);
  return { response, replayed };
}
