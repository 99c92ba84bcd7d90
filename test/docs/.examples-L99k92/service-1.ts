import { createService, repeat, type Service } from '@bailiwick/service';
import { createLog } from '@bailiwick/telemetry';

const log = createLog('orders');

export const openOrders = (
  options: Pick<Parameters<typeof createService>[0], 'schema' | 'settings' | 'keyRing'>,
): Promise<Service> =>
  createService({
    ...options,
    log,
    parts: ({ database }) => ({
      served: [],
      background: [
        repeat({
          everyMs: 60_000,
          log,
          failed: 'checking the database failed, retrying',
          work: () => database.ping(),
        }),
      ],
    }),
  });
